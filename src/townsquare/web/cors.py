"""CORS: which pages of other sites may call the API."""

from collections.abc import Sequence

from townsquare.web.responses import header_lines

REQUEST_HEADERS = (
    b"Authorization, Content-Type, Idempotency-Key, projectid, X-Access-Token, X-API-Key, X-Authorization, "
    b"X-Turnstile-Token, "
    b"X-Request-Id"
)
EXPOSED = (
    b"Idempotency-Replayed, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset, "
    b"Retry-After, X-Request-Id, X-Warnings"
)
PREFLIGHT_SECONDS = b"7200"  # the most that Chromium accepts

ANY_ORIGIN = header_lines([(b"access-control-allow-origin", b"*")])
ANY_ORIGIN_CALLING = ANY_ORIGIN + header_lines([(b"access-control-expose-headers", EXPOSED)])
VARY_ORIGIN = header_lines([(b"vary", b"Origin")])


class Cors:
    def __init__(self, origins: Sequence[str]) -> None:
        self._any = "*" in origins
        self._origins = {
            origin.rstrip("/").encode(): _for_one(origin.rstrip("/").encode()) for origin in origins
        }
        self._stranger = VARY_ORIGIN if origins else b""

    def lines(self, origin: bytes | None, open_to_any: bool) -> bytes:
        """The CORS headers of a response to a page of `origin`."""
        if open_to_any or self._any:
            return ANY_ORIGIN if origin is None else ANY_ORIGIN_CALLING
        if origin is None:
            return self._stranger
        return self._origins.get(origin, self._stranger)

    def knows(self, origin: str) -> bool:
        return self._any or origin.encode("latin-1") in self._origins

    def preflight(self, origin: bytes, methods: Sequence[str], open_to_any: bool) -> bytes:
        """The additional headers of a preflight response, if the origin is allowed."""
        if self.lines(origin, open_to_any) is self._stranger:
            return b""
        return header_lines(
            [
                (b"access-control-allow-methods", ", ".join(methods).encode()),
                (b"access-control-allow-headers", REQUEST_HEADERS),
                (b"access-control-max-age", PREFLIGHT_SECONDS),
            ]
        )


def _for_one(origin: bytes) -> bytes:
    return VARY_ORIGIN + header_lines(
        [
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-credentials", b"true"),
            (b"access-control-expose-headers", EXPOSED),
        ]
    )
