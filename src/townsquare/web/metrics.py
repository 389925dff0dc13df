"""Metrics for Prometheus at /metrics, summed over all worker processes.

A process counts in plain integers. Once a second it adds them to the totals, which are its own or, where
there are workers, its parent's. No file is involved, so that a full disk does not stop it.
"""

import asyncio
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Protocol

from townsquare.cache.counts import CacheCounts
from townsquare.store.client_cache import ClientCache
from townsquare.store.coordination.incidents import RATE_LIMITED, Incidents
from townsquare.store.keys import LastCheck
from townsquare.web.metric_totals import SECONDS, Increments, Minute, RequestCounts, RequestTimes, Totals

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SETTLE_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricTotals(Protocol):
    """Sums the reports: in this process or in the parent."""

    def add(self, increments: Increments) -> None: ...

    async def text(self) -> bytes: ...

    async def history(self) -> list[Minute]: ...


class Metrics:
    def __init__(self, totals: MetricTotals | None = None) -> None:
        self._totals = totals or Totals()
        self.cache = CacheCounts()  # of the square that is served
        self.settling = False
        self._timer: asyncio.TimerHandle | None = None
        self.before_settling: list[Callable[[], None]] = []  # callbacks that report pending counts
        self._requests: defaultdict[tuple[str, str, int], RequestTimes] = defaultdict(RequestTimes)
        self._counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.client_cache: ClientCache | None = None  # reported with the counts
        self.incidents: Incidents | None = None  # counts rejected requests for the operator
        self.open_connections: Callable[[], int] = int  # WebSockets and event streams
        self.last_backup = 0.0  # seconds since 1970
        self.last_check: LastCheck | None = None
        self._connections_reported = 0
        self._client_cache_reported: Counter[str] = Counter()

    def add_request(self, method: str, route: str, status: int, seconds: float) -> None:
        times = self._requests[method if method in METHODS else "OTHER", route, status]
        times.counts[bisect_left(SECONDS, seconds)] += 1
        times.seconds += seconds
        if not self.settling:
            self.settle_soon()

    def count(self, name: str, *labels: str) -> None:
        self._counts[name, labels] += 1
        if not self.settling:
            self.settle_soon()

    def settle_soon(self) -> None:
        self.settling = True
        try:
            self._timer = asyncio.get_running_loop().call_later(SETTLE_SECONDS, self.settle)
        except RuntimeError:
            self.settle()

    def settle(self) -> None:
        for report_pending in self.before_settling:
            report_pending()
        self.settling = False
        if self._timer is not None:  # already scheduled
            self._timer.cancel()
            self._timer = None
        requests = [
            RequestCounts(method, route, str(status), *times.take())
            for (method, route, status), times in self._requests.items()
            if times.seconds
        ]
        values: list[tuple[str, tuple[str, ...], float]] = [
            (name, labels, count) for (name, labels), count in self._counts.items()
        ]
        self._report_refusals()
        self._counts.clear()
        for namespace, events in self.cache.take().items():
            values += [("cache_total", (namespace, event), count) for event, count in events.items()]
        values += self._client_cache_values()
        connections = self.open_connections()
        if connections != self._connections_reported:
            self._connections_reported = connections
            values.append(("connections", (), connections))
        if self.last_backup:
            values.append(("backup_last_timestamp_seconds", (), self.last_backup))
        if self.last_check:
            values += [
                ("integrity_last_timestamp_seconds", (), self.last_check.finished_at / 1000),
                ("integrity_findings", (), self.last_check.findings),
                ("integrity_keys", (), self.last_check.keys),
                ("integrity_seconds", (), (self.last_check.finished_at - self.last_check.began_at) / 1000),
            ]
        if requests or values:
            self._totals.add(Increments(requests, values))

    def _report_refusals(self) -> None:
        for (name, labels), count in self._counts.items():
            if self.incidents and name == "rate_limited_total":
                self.incidents.count(RATE_LIMITED, labels[0], count)

    def _client_cache_values(self) -> list[tuple[str, tuple[str, ...], float]]:
        cache, reported = self.client_cache, self._client_cache_reported
        if cache is None:
            return []
        counted = Counter(hits=cache.hits, misses=cache.misses, drops=cache.drops)
        self._client_cache_reported = counted
        return [
            *((f"client_cache_{name}_total", (), max(0, counted[name] - reported[name])) for name in counted),
            ("client_cache_bytes", (), cache.size),
            ("client_cache_records", (), len(cache.entries)),
        ]

    async def history(self) -> list[Minute]:
        """The last minutes of all processes."""
        self.settle()
        return await self._totals.history()

    async def text(self) -> bytes:
        """The reports of all processes."""
        self.settle()
        return await self._totals.text()
