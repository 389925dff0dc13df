"""What Prometheus reads at /metrics, summed over all worker processes."""

import asyncio
import os
from bisect import bisect_left

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # set before this module is imported where there are workers
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
SETTLE_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.settling = False
        self._timers: dict[tuple[str, str, str], Timer] = {}
        self.requests = Histogram(
            "townsquare_http_request_seconds",
            "Time to answer a request",
            ["method", "route", "status"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.rate_limited = Counter(
            "townsquare_rate_limited_total",
            "Requests refused by a rate limit",
            ["limit"],
            registry=self.registry,
        )
        self.rate_limits_unenforced = Counter(
            "townsquare_rate_limits_unenforced_total",
            "Times that a rate limit could not be checked because its store was away",
            ["limit"],
            registry=self.registry,
        )

    def timer(self, method: str, route: str, status: int) -> "Timer":
        """Takes the seconds of one request; look it up once and keep it."""
        labels = (method if method in METHODS else "OTHER", route, str(status))
        if labels not in self._timers:
            self._timers[labels] = Timer(self, self.requests.labels(*labels))
        return self._timers[labels]

    def settle_soon(self) -> None:
        self.settling = True
        try:
            asyncio.get_running_loop().call_later(SETTLE_SECONDS, self.settle)
        except RuntimeError:
            self.settle()

    def settle(self) -> None:
        """Put what the timers hold where every process sees it."""
        self.settling = False
        for timer in self._timers.values():
            timer.settle()

    def render(self) -> bytes:
        """Everything that is settled, as text; reads files, so call it in a thread."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self.registry)
        all_workers = CollectorRegistry()
        MultiProcessCollector(all_workers)  # type: ignore[no-untyped-call]
        return generate_latest(all_workers)


class Timer:
    """Counts in plain integers: telling Prometheus of every request would cost more than routing it."""

    __slots__ = ("_counts", "_metrics", "_seconds", "_shared")

    def __init__(self, metrics: Metrics, shared: Histogram) -> None:
        self._metrics = metrics
        self._shared = shared
        self._counts = [0] * (len(SECONDS) + 1)
        self._seconds = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(SECONDS, seconds)] += 1
        self._seconds += seconds
        if not self._metrics.settling:
            self._metrics.settle_soon()

    def settle(self) -> None:
        counts, self._counts = self._counts, [0] * len(self._counts)
        seconds, self._seconds = self._seconds, 0.0
        if seconds:
            self._shared._sum.inc(seconds)
            for bucket, count in zip(self._shared._buckets, counts, strict=True):
                if count:
                    bucket.inc(count)
