"""The headers of one response alone: its rate limit, request id and length."""

from functools import lru_cache

import msgspec

from townsquare.web.responses import RawHeader, header_lines

LIMITS_WRITTEN = 256


@lru_cache(LIMITS_WRITTEN)
def limit_lines(name: str, count: int, seconds: int) -> str:
    """The encoded headers of a limit, without what is remaining."""
    policy = f'"{name}";q={count};w={seconds}'.encode()
    return header_lines([(b"ratelimit-policy", policy), (b"ratelimit-limit", b"%d" % count)]).decode()


class ReplyHeaders(msgspec.Struct, gc=False):
    limit: str = ""  # encoded; empty if no limit applied
    remaining: int = 0
    reset: int = 0  # seconds
    others: list[RawHeader] = []

    def set_limit(self, limit: str, remaining: int, reset: int) -> None:
        """Replaces the headers of another limit."""
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
