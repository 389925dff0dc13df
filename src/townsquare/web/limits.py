"""Rate limits: how many calls a client may make, counted by the store's `Limiter` in small leases.

A process takes a hundredth of a limit at a time and spends it locally, so that a generous limit costs one
round trip in many requests while a limit of 5 stays exact. Tokens that a process leased and did not spend
are lost at the end of their window: clients may be refused a hundredth early per worker, never late.

While the store does not answer in time, each process counts on its own, so a client that keeps the store busy
is limited too. One process never grants a client more than the limit.
"""

import asyncio
import time
from collections.abc import Callable
from hashlib import sha256
from math import ceil

from townsquare.api import Call, Limit, Quota, by_ip, by_user
from townsquare.logger import get_logger
from townsquare.problems import TooManyRequests
from townsquare.settings import Settings
from townsquare.store.coordination.limits import Limiter
from townsquare.web.metrics import Metrics
from townsquare.web.responses import ReplyHeaders, limit_lines

LEASES_KEPT = 20_000  # clients with a lease in one process
LEASE_SHARE = 100  # a lease is this part of the limit
PATIENCE = 0.1  # seconds to wait for the store before the process counts on its own
SHORTEST_WINDOW = 0.001  # seconds; a reply that arrives at the end of its window is still valid
LONGEST_KEY = 128  # characters of a key; longer keys are hashed
ALONE_FOR = 1.0  # seconds before the next attempt after the store did not answer

log = get_logger("townsquare.limits")


class _Lease:
    __slots__ = ("ends", "filled", "had", "left", "tokens", "waiting")

    def __init__(self) -> None:
        self.tokens = 0  # leased and not spent
        self.left = 0  # that the store can still grant, as of its last reply
        self.had = 0  # granted to this process in this window
        self.ends = 0.0
        self.waiting = 0
        self.filled: asyncio.Event | None = None  # set while a request fetches tokens from the store


class RateLimit:
    def __init__(
        self, limit: Limit, limiter: Limiter, metrics: Metrics, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.limit = limit
        self._key = limit.key
        self._limiter = limiter
        self._now = now
        self._per = "ip" if limit.key is by_ip else "user" if limit.key is by_user else "key"
        self._size = max(1, limit.count // LEASE_SHARE)
        self._leases: dict[str, _Lease] = {}
        self._lines = limit_lines(limit.name, limit.count, limit.seconds)
        self._metrics = metrics
        self._alone_until: float | None = None  # while the store does not answer

    def spend(self, call: Call, headers: ReplyHeaders) -> bool:
        """Spend a leased token: the fast path. Hashed keys (`counted_as`) take the slow one."""
        lease = self._leases.get(self._key(call))
        now = self._now()
        if lease is None or lease.tokens <= 0 or now >= lease.ends:
            return False
        lease.tokens -= 1
        headers.set_limit(self._lines, lease.tokens + lease.left, ceil(lease.ends - now))
        return True

    async def acquire(self, call: Call, headers: ReplyHeaders) -> None:
        """Spend a token or raise `TooManyRequests`; the headers of the response contain what is left."""
        if self.spend(call, headers):
            return
        who = counted_as(self.limit, call)
        lease = self._lease(who)
        await self._wait_for_tokens(lease, who)
        reset = max(1, ceil(lease.ends - self._now()))
        if lease.tokens <= 0:
            self._metrics.count("rate_limited_total", self.limit.name)
            headers.set_limit(self._lines, 0, reset)
            raise TooManyRequests(
                f"At most {self.limit.count} calls in {self.limit.seconds} s, try again in {reset} s",
                retry_after=reset,
            )
        lease.tokens -= 1
        headers.set_limit(self._lines, lease.tokens + lease.left, reset)

    async def charge(self, call: Call, headers: ReplyHeaders, calls: int) -> None:
        """Count an admitted call as `calls` more: its cost is known only after its body."""
        amount, limit = min(calls, self.limit.count), self.limit
        if amount <= 0:
            return
        who = counted_as(limit, call)
        lease = self._lease(who)
        granted = await self._granted(lease, who, amount)
        reset = max(1, ceil(lease.ends - self._now()))
        headers.set_limit(self._lines, lease.tokens + lease.left, reset)
        if granted < amount:
            self._metrics.count("rate_limited_total", self.limit.name)
            raise TooManyRequests(
                f"This counts as {calls + 1} calls; at most {limit.count} in {limit.seconds} s",
                retry_after=reset,
            )

    def _lease(self, who: str) -> _Lease:
        lease = self._leases.get(who)
        if lease is None:
            lease = self._leases[who] = _Lease()
            if len(self._leases) > LEASES_KEPT:
                del self._leases[next(iter(self._leases))]  # the oldest; its client gets a new one
        return lease

    async def _wait_for_tokens(self, lease: _Lease, who: str) -> None:
        """Return with tokens, or with none until `ends`; one request calls the store, the others wait."""
        lease.waiting += 1
        try:
            while True:
                if lease.filled is not None:
                    await lease.filled.wait()
                    continue
                if self._now() < lease.ends and (lease.tokens > 0 or lease.left <= 0):
                    return
                await self._fill(lease, who)
        finally:
            lease.waiting -= 1

    async def _fill(self, lease: _Lease, who: str) -> None:
        lease.filled = asyncio.Event()
        try:
            lease.tokens = await self._granted(lease, who, max(self._size, lease.waiting))
        finally:
            lease.filled.set()
            lease.filled = None

    async def _granted(self, lease: _Lease, who: str, amount: int) -> int:
        """How many of `amount` are granted: by the store or, while it does not answer, by this process."""
        now = self._now()
        if now >= lease.ends:
            lease.tokens = lease.left = lease.had = 0
        if self._alone_until is not None and now < self._alone_until:
            return self._grant(lease, amount)
        try:
            async with asyncio.timeout(PATIENCE):
                granted = await self._take(lease, who, amount)
        except Exception as away:
            if self._alone_until is None:
                log.warning("rate limit counted by each process", limit=self.limit.name, reason=repr(away))
            self._alone_until = self._now() + ALONE_FOR
            return self._grant(lease, amount)
        if self._alone_until is not None:
            log.info("rate limit counted in the store again", limit=self.limit.name)
            self._alone_until = None
        return granted

    async def _take(self, lease: _Lease, who: str, amount: int) -> int:
        asked, limit = self._now(), self.limit
        granted, left, reset = await self._limiter.take(
            limit.name, who, limit.count, limit.seconds, amount, per=self._per
        )
        granted = min(granted, limit.count - lease.had)  # including what this process granted on its own
        lease.had += granted
        lease.left = min(left, limit.count - lease.had)
        lease.ends = asked + max(reset, SHORTEST_WINDOW)
        return granted

    def _grant(self, lease: _Lease, amount: int) -> int:
        """Grant what is left of the limit for this process."""
        self._metrics.count("rate_limits_local_total", self.limit.name)
        if self._now() >= lease.ends:
            lease.ends = self._now() + self.limit.seconds
        granted = min(amount, self.limit.count - lease.had)
        lease.had += granted
        lease.left = self.limit.count - lease.had
        return granted


def set_quota(quota: Quota | None, headers: ReplyHeaders) -> None:
    """If two limits apply, the headers show the one with less remaining."""
    if quota is None or (headers.limit and headers.remaining <= quota.remaining):
        return
    lines = limit_lines(quota.name, quota.count, quota.seconds)
    headers.set_limit(lines, max(0, quota.remaining), quota.reset)


def require_quota(quota: Quota | None, headers: ReplyHeaders) -> None:
    """Raise if a limit of the scheme refuses the request."""
    if quota is not None and quota.remaining < 0:
        set_quota(quota, headers)
        raise TooManyRequests(
            f"At most {quota.count} in {quota.seconds} s, try again in {quota.reset} s",
            retry_after=quota.reset,
        )


def counted_as(limit: Limit | None, call: Call) -> str:
    """The key under which a limit counts this call; without a limit, the IP address."""
    key = (limit.key(call) if limit is not None else "") or by_ip(call)
    return key if len(key) <= LONGEST_KEY else sha256(key.encode()).hexdigest()


def rate_limits(
    settings: Settings, limiter: Limiter | None, metrics: Metrics
) -> Callable[[Limit | None], RateLimit | None]:
    """The `RateLimit` of a declared limit, as configured; None if it is off."""
    known: dict[Limit, RateLimit | None] = {}

    def rate_limit(limit: Limit | None) -> RateLimit | None:
        if limit is None or limiter is None or settings.rate_limits == "off":
            return None
        if limit not in known:
            chosen = limit.configured(settings.rate_limit.get(limit.name, ""))
            known[limit] = RateLimit(chosen, limiter, metrics) if chosen else None
        return known[limit]

    return rate_limit
