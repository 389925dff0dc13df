"""Files of our own pages and of the components that other sites embed, from memory, with ETags."""

import gzip
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from townsquare.api import AnyEndpoint, Call, Content, Endpoint

CACHE = "public, max-age=600, stale-while-revalidate=86400"  # sites that embed us see a release in minutes
REVALIDATED = "no-cache"  # modules that pages import by name must be of the same release as the page
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
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


class Nothing(msgspec.Struct):
    """An endpoint that asks for nothing."""


class _File:
    def __init__(self, path: Path, cache: str) -> None:
        self._path = path
        self._cache = cache
        self._read_at = -1
        self._body = b""
        self._packed = b""
        self._etag = ""

    async def serve(self, call: Call, _: Nothing) -> Content:
        self._refresh()
        headers = {"ETag": self._etag, "Cache-Control": self._cache, "Vary": "Accept-Encoding"}
        media_type = MEDIA_TYPES[self._path.suffix]
        if same_tag(call.headers.get("if-none-match", ""), self._etag):
            return Content(b"", media_type, 304, headers)
        if "gzip" in call.headers.get("accept-encoding", ""):
            return Content(self._packed, media_type, 200, {**headers, "Content-Encoding": "gzip"})
        return Content(self._body, media_type, 200, headers)

    def _refresh(self) -> None:
        changed = self._path.stat().st_mtime_ns
        if changed != self._read_at:
            self._body = self._path.read_bytes()
            self._packed = gzip.compress(self._body, mtime=0)
            self._etag = etag(self._body)
            self._read_at = changed


def asset_endpoints(assets: Sequence[Assets]) -> list[AnyEndpoint]:
    """One endpoint per file: what is not in the folder at the start can never be asked for."""
    return [
        Endpoint(
            method="GET",
            path=f"{prefix.rstrip('/')}/{path.relative_to(folder).as_posix()}",
            run=_File(path, cache).serve,
            input=Nothing,
            output=Content,
            tag="assets",
            limit=None,
            open_to_any_origin=True,
            documented=False,
        )
        for prefix, folder, cache in assets
        for path in sorted(folder.rglob("*"))
        if path.suffix in MEDIA_TYPES and path.is_file()
    ]


def etag(body: bytes) -> str:
    return f'"{sha256(body).hexdigest()[:20]}"'


def same_tag(if_none_match: str, tag: str) -> bool:
    candidates = (candidate.strip().removeprefix("W/") for candidate in if_none_match.split(","))
    return any(candidate in (tag, "*") for candidate in candidates)
