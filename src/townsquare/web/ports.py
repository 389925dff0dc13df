"""What the web layer needs from the rest, as narrow as it can be said."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from townsquare.api import Call, Content, Identity

Authenticate = Callable[[Call, str], Awaitable[Identity | None]]
Probe = Callable[[], Awaitable[object]]  # raises when its store does not answer


class Limiter(Protocol):
    async def take(
        self, name: str, who: str, count: int, seconds: int, amount: int, *, per: str = "ip"
    ) -> tuple[int, int, float]:
        """Take up to `amount` calls: (granted, left in this window, seconds until the next)."""
        ...


class Idempotency(Protocol):
    """Remembers the answers of creating requests by the key that their clients chose."""

    async def begin(self, scope: str, key: str, fingerprint: str) -> Content | None:
        """The answer to replay, or None: the caller holds the key and must finish or abandon it.

        Raises a problem for a key that came with another fingerprint, or while somebody else holds it.
        """
        ...

    async def finish(self, scope: str, key: str, fingerprint: str, answer: Content) -> None: ...

    async def abandon(self, scope: str, key: str, fingerprint: str) -> None: ...


class WebSettings(Protocol):
    @property
    def body_limit(self) -> int: ...
    @property
    def trusted_proxies(self) -> tuple[str, ...]: ...
    @property
    def cors_origins(self) -> tuple[str, ...]: ...
    @property
    def public_url(self) -> str: ...
    @property
    def rate_limits(self) -> str: ...
    @property
    def rate_limit(self) -> Mapping[str, str]: ...
    @property
    def admin_token(self) -> str: ...
    @property
    def log_format(self) -> str: ...
    @property
    def log_level(self) -> str: ...
