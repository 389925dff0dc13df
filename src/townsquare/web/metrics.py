"""Metrics for Prometheus at /metrics, summed over all worker processes.

A process counts in plain integers. Once a second it adds them to the totals, which are its own or, where
there are workers, its parent's. No file is involved, so that a full disk does not stop it.
"""

import asyncio
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

from townsquare.cache.counts import CacheCounts
from townsquare.store.client_cache import ClientCache
from townsquare.web.metric_totals import SECONDS, ClientCacheFigures, Increments, RequestCounts, Totals

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SETTLE_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricTotals(Protocol):
    """Sums the reports: in this process or in the parent."""

    def add(self, increments: Increments) -> None: ...

    async def text(self) -> bytes: ...


class Metrics:
    """The counters of this process."""

    def __init__(self, totals: MetricTotals | None = None) -> None:
        self._totals = totals or Totals()
        self.cache = CacheCounts()  # of the square that is served
        self.settling = False
        self._timer: asyncio.TimerHandle | None = None
        self.before_settling: list[Callable[[], None]] = []  # callbacks that report pending counts
        self._timers: defaultdict[tuple[str, str, int], Timer] = defaultdict(Timer)
        self._rate_limited: dict[str, EventCount] = {}
        self._rate_limits_local: dict[str, EventCount] = {}
        self.client_cache: ClientCache | None = None  # reported with the counts
        self._client_cache_reported = (0, 0, 0)

    def add_request(self, method: str, route: str, status: int, seconds: float) -> None:
        timer = self._timers[method if method in METHODS else "OTHER", route, status]
        timer.counts[bisect_left(SECONDS, seconds)] += 1
        timer.seconds += seconds
        if not self.settling:
            self.settle_soon()

    def rate_limited(self, limit: str) -> "EventCount":
        return self._rate_limited.setdefault(limit, EventCount(self))

    def rate_limit_local(self, limit: str) -> "EventCount":
        return self._rate_limits_local.setdefault(limit, EventCount(self))

    def settle_soon(self) -> None:
        self.settling = True
        try:
            self._timer = asyncio.get_running_loop().call_later(SETTLE_SECONDS, self.settle)
        except RuntimeError:
            self.settle()

    def settle(self) -> None:
        """Report the counts."""
        for tell in self.before_settling:
            tell()
        self.settling = False
        if self._timer is not None:  # already scheduled
            self._timer.cancel()
            self._timer = None
        increments = Increments(
            [
                RequestCounts(method, route, str(status), *timer.take())
                for (method, route, status), timer in self._timers.items()
                if timer.seconds
            ],
            taken(self._rate_limited),
            taken(self._rate_limits_local),
            self._take_client_cache(),
            self.cache.take(),
        )
        if increments:
            self._totals.add(increments)

    def _take_client_cache(self) -> ClientCacheFigures | None:
        client_cache = self.client_cache
        if client_cache is None:
            return None
        counted = (client_cache.hits, client_cache.misses, client_cache.drops)
        hits, misses, drops = (
            now - reported for now, reported in zip(counted, self._client_cache_reported, strict=True)
        )
        self._client_cache_reported = counted
        return ClientCacheFigures(max(0, hits), misses, drops, client_cache.size, len(client_cache.entries))

    async def text(self) -> bytes:
        """The reports of all processes."""
        self.settle()
        return await self._totals.text()


class Timer:
    """The requests of one method, route and status since the last report."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)  # by how long they took
        self.seconds = 0.0

    def take(self) -> tuple[list[int], float]:
        counts, self.counts = self.counts, [0] * len(self.counts)
        seconds, self.seconds = self.seconds, 0.0
        return counts, seconds


class EventCount:
    __slots__ = ("_metrics", "count")

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self.count = 0

    def add_one(self) -> None:
        self.count += 1
        if not self._metrics.settling:
            self._metrics.settle_soon()


def taken(counts: dict[str, EventCount]) -> dict[str, int]:
    counted = {name: one.count for name, one in counts.items() if one.count}
    for name in counted:
        counts[name].count = 0
    return counted
