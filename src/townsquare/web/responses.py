"""Responses: problems as RFC 9457 JSON, and the headers of each media type."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from townsquare.api import Content
from townsquare.kit.fragments import Fragment
from townsquare.kit.fragments import encode as _encode
from townsquare.problems import Problem

RawHeader = tuple[bytes, bytes]

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
BODILESS = frozenset({204, 304})
RETRY_SECONDS = 1  # a store that restarts is usually back within a second

FRAMED_NOWHERE = b"default-src 'none'; frame-ancestors 'none'"
PICTURE = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
EVERYWHERE: tuple[RawHeader, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
)
EMBEDDED = ("image/", "font/", "audio/", "video/", "text/css", "text/javascript", "application/javascript")
BREAKS_HEADERS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

# in the scope: a function of the server that sends a whole response (scope, status, header lines, body)
SEND_WHOLE = "townsquare.send_whole"
LIMITS_WRITTEN = 256


def encode(result: Any) -> bytes:
    """The JSON of a response; a `Fragment` or `Raw` is already encoded."""
    if result.__class__ is msgspec.Raw:
        return bytes(result)
    return result.json if isinstance(result, Fragment) else _encode(result)


class Response(msgspec.Struct, gc=False):
    status: int
    lines: bytes  # encoded headers, without those of this response alone (`ReplyHeaders`)
    body: bytes
    stream: Any = None  # sends what follows the head


@lru_cache(256)
def fixed_headers(media_type: str, open_to_any_origin: bool = False) -> tuple[RawHeader, ...]:
    """Content type and security headers of a media type."""
    kind = media_type.partition(";")[0].strip().lower()
    answer: tuple[RawHeader, ...] = ((b"content-type", media_type.encode("latin-1")), *EVERYWHERE)
    if kind == "text/html":
        return (
            *answer,
            (b"content-security-policy", FRAMED_NOWHERE),  # pages in the shell have a policy of their own
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
        )
    if kind == "image/svg+xml":
        answer = (*answer, (b"content-security-policy", PICTURE))
    elif kind in (JSON, PROBLEM_JSON):  # browsers do not render JSON, so it needs no policy
        answer = (*answer, (b"cache-control", b"no-store"))
    elif not kind.startswith(EMBEDDED):
        answer = (*answer, (b"content-security-policy", FRAMED_NOWHERE), (b"cache-control", b"no-store"))
    shared = open_to_any_origin or kind.startswith(EMBEDDED)
    return (*answer, (b"cross-origin-resource-policy", b"cross-origin" if shared else b"same-origin"))


def header_lines(headers: Iterable[RawHeader]) -> bytes:
    pairs = [b"%b: %b\r\n" % header for header in headers]
    lines = b"".join(pairs)
    if not lines.count(b"\r") == lines.count(b"\n") == len(pairs) or b"\0" in lines:
        raise ValueError("a header has a control character in its value")
    return lines


def pairs_of(lines: bytes) -> list[RawHeader]:
    """Decode `header_lines` for a server that encodes them itself."""
    pairs = [line.partition(b": ") for line in lines.split(b"\r\n")[:-1]]
    return [(name, value) for name, _, value in pairs]


@lru_cache(256)
def fixed_lines(media_type: str, open_to_any_origin: bool = False) -> bytes:
    return header_lines(fixed_headers(media_type, open_to_any_origin))


def from_content(content: Content, open_to_any_origin: bool = False) -> Response:
    if not content.headers:
        return Response(content.status, fixed_lines(content.media_type, open_to_any_origin), content.body)
    own = [_raw(name, value) for name, value in content.headers.items()]
    replaced = {name for name, _ in own}
    fixed = fixed_headers(content.media_type, open_to_any_origin)
    kept = [header for header in fixed if header[0] not in replaced]
    return Response(content.status, header_lines([*kept, *own]), content.body)


def problem_content(problem: Problem, request_id: str) -> Content:
    standard: dict[str, Any] = {
        "type": f"urn:townsquare:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
    }
    return Content(encode({**problem.extra, **standard}), PROBLEM_JSON, problem.status)


def retry_header(problem: Problem) -> tuple[RawHeader, ...]:
    if problem.status not in (429, 503):
        return ()
    return ((b"retry-after", b"%d" % problem.extra.get("retry_after", RETRY_SECONDS)),)


def _raw(name: str, value: str) -> RawHeader:
    if BREAKS_HEADERS.search(value):
        raise ValueError(f"header {name} has a control character in its value")
    return name.lower().encode("ascii"), value.encode("latin-1")


@lru_cache(LIMITS_WRITTEN)
def limit_lines(name: str, count: int, seconds: int) -> str:
    """The encoded headers of a limit, without the remaining calls."""
    policy = f'"{name}";q={count};w={seconds}'.encode()
    return header_lines([(b"ratelimit-policy", policy), (b"ratelimit-limit", b"%d" % count)]).decode()


class ReplyHeaders(msgspec.Struct, gc=False):
    limit: str = ""  # encoded; empty if no limit applied
    remaining: int = 0
    reset: int = 0  # seconds
    others: list[RawHeader] = []

    def set_limit(self, limit: str, remaining: int, reset: int) -> None:
        self.limit = limit
        self.remaining = remaining
        self.reset = reset

    def copy(self) -> "ReplyHeaders":
        return ReplyHeaders(self.limit, self.remaining, self.reset, [*self.others])

    def lines(self, request_id: str, length: int | None) -> bytes:
        """Encoded; streams and some statuses have no length."""
        limit = size = ""
        if self.limit:
            limit = f"{self.limit}ratelimit-remaining: {self.remaining}\r\nratelimit-reset: {self.reset}\r\n"
        if length is not None:
            size = f"content-length: {length}\r\n"
        lines = f"{limit}x-request-id: {request_id}\r\n{size}".encode()
        return lines + header_lines(self.others) if self.others else lines
