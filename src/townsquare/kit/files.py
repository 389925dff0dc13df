"""Static files over HTTP, from memory, with ETag and gzip."""

import gzip
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from townsquare.api import AnyEndpoint, Call, Content, Nothing
from townsquare.routes import Routes

CACHE = "public, max-age=600, stale-while-revalidate=86400"  # sites get a release within minutes
REVALIDATED = "no-cache"  # imported modules must be of the same release as the page
GZIP = re.compile(r"(?:^|,)\s*gzip\s*(?!;\s*q=0(?:\.0*)?\s*(?:,|$))(?:;|,|$)")  # in Accept-Encoding
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


class Assets(NamedTuple):
    """The files of a folder, served below a prefix: ("/components", folder) has /components/counter.js."""

    url_prefix: str
    folder: Path
    cache: str = CACHE


@cache
def asset_endpoints(assets: tuple[Assets, ...]) -> list[AnyEndpoint]:
    """One endpoint per file: only files that are in the folder at start are served."""
    routes = Routes(tag="assets", limit=None, open_to_any_origin=True, documented=False, unknown="ignore")
    for prefix, folder, cache_control in assets:
        for path in sorted(folder.rglob("*")):
            if path.suffix in MEDIA_TYPES and path.is_file():
                address = f"{prefix.rstrip('/')}/{path.relative_to(folder).as_posix()}"
                routes.get(address)(_File(path, cache_control).serve)
    return routes.endpoints


class _File:
    def __init__(self, path: Path, cache: str) -> None:
        self._path = path
        self._cache = cache
        self._read_at = -1
        self._body = b""
        self._packed = b""

    async def serve(self, call: Call, given: Nothing) -> Content:
        changed = self._path.stat().st_mtime_ns
        if changed != self._read_at:
            self._body = self._path.read_bytes()
            self._packed = gzip.compress(self._body, mtime=0)
            self._read_at = changed
        return tagged(call, self._body, MEDIA_TYPES[self._path.suffix], self._cache, packed=self._packed)


def tagged(
    call: Call, body: bytes, media_type: str, cache: str, *, packed: bytes = b"", tag: str = ""
) -> Content:
    """A body with its ETag, by default a digest; 304 if the client has it, gzipped if accepted."""
    tag = tag or f'"{sha256(body).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": cache}
    if packed:
        headers["Vary"] = "Accept-Encoding"
    if _has(call.headers.get("if-none-match", ""), tag):
        return Content(b"", media_type, 304, headers)
    if packed and GZIP.search(call.headers.get("accept-encoding", "")):
        return Content(packed, media_type, 200, {**headers, "Content-Encoding": "gzip"})
    return Content(body, media_type, 200, headers)


def _has(if_none_match: str, tag: str) -> bool:
    candidates = (candidate.strip().removeprefix("W/") for candidate in if_none_match.split(","))
    return any(candidate in (tag, "*") for candidate in candidates)
