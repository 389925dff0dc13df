"""Metrics for Prometheus at /metrics, summed over all worker processes.

A process counts in plain integers: telling Prometheus of every request would cost more than routing it. Once
a second it hands them over to the totals, which are its own or, where there are workers, its parent's. No
file is involved, so a full disk harms nobody who counts.
"""

import asyncio
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from townsquare.cache.counts import ByNamespace, CacheCounts
from townsquare.store.client_cache import ClientCache

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
SETTLE_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestCounts(msgspec.Struct, array_like=True):
    method: str
    route: str
    status: str
    counts: list[int]  # per bound in SECONDS, the last for longer ones
    seconds: float


class ClientCacheFigures(msgspec.Struct, frozen=True):
    """The client cache: counts since the last report, and its current size."""

    hits: int = 0
    misses: int = 0
    drops: int = 0
    size: int = 0  # bytes, by an estimate
    records: int = 0


class Increments(msgspec.Struct, tag="increments"):
    """The counts of a process since its last report."""

    requests: list[RequestCounts] = []
    rate_limited: dict[str, int] = {}
    rate_limits_local: dict[str, int] = {}
    client_cache: ClientCacheFigures | None = None
    cache: ByNamespace = {}

    def __bool__(self) -> bool:
        return bool(
            self.requests or self.rate_limited or self.rate_limits_local or self.client_cache or self.cache
        )


class MetricTotals(Protocol):
    """Sums the reports: in this process or in the parent."""

    def add(self, increments: Increments) -> None: ...

    async def text(self) -> bytes: ...


class Totals:
    """The sums as Prometheus metrics."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Histogram(
            "townsquare_http_request_seconds",
            "Time to answer a request",
            ["method", "route", "status"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._rate_limited = self._counter("rate_limited", "Requests refused by a rate limit", "limit")
        self._rate_limits_local = self._counter(
            "rate_limits_local",
            "Times that a process counted a rate limit by itself because the store did not answer",
            "limit",
        )
        self._client_cache = {
            name: self._counter(f"client_cache_{name}", about, "worker")
            for name, about in (
                ("hits", "Records that came from the client cache"),
                ("misses", "Records that were read from Redis and cached"),
                ("drops", "Cached records that Redis invalidated, or whose connection was lost"),
            )
        }
        self._client_cache_size = self._gauge(
            "client_cache_bytes", "Memory of the client cache, by an estimate"
        )
        self._client_cache_records = self._gauge("client_cache_records", "Records in the client cache")
        self._cache = Counter(
            "townsquare_cache_total",
            "What the cache did: hit, miss, wait, refresh, stale, error",
            ["namespace", "event"],
            registry=self.registry,
        )
        self._worker_requests = self._counter("worker_requests", "Requests that a worker answered", "worker")
        self.worker_restarts = self._counter("worker_restarts", "Times that a worker was replaced", "worker")

    def _counter(self, name: str, about: str, label: str) -> Counter:
        return Counter(f"townsquare_{name}_total", about, [label], registry=self.registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(f"townsquare_{name}", about, ["worker"], registry=self.registry)

    def add(self, increments: Increments, worker: str = "1") -> None:
        if increments.client_cache is not None:
            for name, counter in self._client_cache.items():
                counter.labels(worker).inc(getattr(increments.client_cache, name))
            self._client_cache_size.labels(worker).set(increments.client_cache.size)
            self._client_cache_records.labels(worker).set(increments.client_cache.records)
        for one in increments.requests:
            histogram = self._requests.labels(one.method, one.route, one.status)
            histogram._sum.inc(one.seconds)
            for bucket, count in zip(histogram._buckets, one.counts, strict=True):
                bucket.inc(count)
            self._worker_requests.labels(worker).inc(sum(one.counts))
        for counter, by_limit in (
            (self._rate_limited, increments.rate_limited),
            (self._rate_limits_local, increments.rate_limits_local),
        ):
            for limit, count in by_limit.items():
                counter.labels(limit).inc(count)

        for namespace, events in increments.cache.items():
            for event, count in events.items():
                self._cache.labels(namespace, event).inc(count)

    def render(self) -> bytes:
        return generate_latest(self.registry)

    async def text(self) -> bytes:
        return await asyncio.to_thread(self.render)


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
