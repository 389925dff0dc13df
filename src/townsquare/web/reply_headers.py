"""The headers of one answer that no other has: what a limit leaves, the id of the request, the length."""

from functools import lru_cache

import msgspec

from townsquare.web.responses import RawHeader, header_lines

LIMITS_WRITTEN = 256


@lru_cache(LIMITS_WRITTEN)
def limit_lines(name: str, count: int, seconds: int) -> str:
    """How answers tell of a limit; what it leaves is told besides."""
    policy = f'"{name}";q={count};w={seconds}'.encode()
    return header_lines([(b"ratelimit-policy", policy), (b"ratelimit-limit", b"%d" % count)]).decode()


class ReplyHeaders(msgspec.Struct, gc=False):
    limit: str = ""  # its lines; none where nothing was counted
    remaining: int = 0
    reset: int = 0  # seconds
    others: list[RawHeader] = []

    def tell_limit(self, limit: str, remaining: int, reset: int) -> None:
        """Of one limit only: what was told of another is replaced."""
        self.limit = limit
        self.remaining = remaining
        self.reset = reset

    def copy(self) -> "ReplyHeaders":
        return ReplyHeaders(self.limit, self.remaining, self.reset, [*self.others])

    def lines(self, request_id: str, length: int | None) -> bytes:
        """As they stand in the head; without a length, which a stream and some statuses do not have."""
        limit = size = ""
        if self.limit:
            limit = f"{self.limit}ratelimit-remaining: {self.remaining}\r\nratelimit-reset: {self.reset}\r\n"
        if length is not None:
            size = f"content-length: {length}\r\n"
        lines = f"{limit}x-request-id: {request_id}\r\n{size}".encode()
        return lines + header_lines(self.others) if self.others else lines
