"""The metrics of all worker processes, summed, and their text for Prometheus.

It imports little: in a server the supervisor has the sums.
"""

from collections import defaultdict
from itertools import accumulate
from typing import NamedTuple

import msgspec

ByNamespace = dict[str, dict[str, int]]

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
REQUESTS = "townsquare_http_request_seconds"
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


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


class Metric(NamedTuple):
    name: str
    kind: str  # counter or gauge
    about: str
    labels: tuple[str, ...]


METRICS = {
    metric.name: metric
    for metric in (
        Metric("rate_limited_total", "counter", "Requests refused by a rate limit", ("limit",)),
        Metric(
            "rate_limits_local_total",
            "counter",
            "Times that a process counted a rate limit by itself because the store did not answer",
            ("limit",),
        ),
        Metric("client_cache_hits_total", "counter", "Records that came from the client cache", ("worker",)),
        Metric(
            "client_cache_misses_total",
            "counter",
            "Records that were read from Redis and cached",
            ("worker",),
        ),
        Metric(
            "client_cache_drops_total",
            "counter",
            "Cached records that Redis invalidated, or whose connection was lost",
            ("worker",),
        ),
        Metric("client_cache_bytes", "gauge", "Memory of the client cache, by an estimate", ("worker",)),
        Metric("client_cache_records", "gauge", "Records in the client cache", ("worker",)),
        Metric(
            "cache_total",
            "counter",
            "What the cache did: hit, miss, wait, refresh, stale, error",
            ("namespace", "event"),
        ),
        Metric("worker_requests_total", "counter", "Requests that a worker answered", ("worker",)),
        Metric("worker_restarts_total", "counter", "Times that a worker was replaced", ("worker",)),
    )
}


class RequestTimes:
    """The histogram of one method, route and status."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)
        self.seconds = 0.0


class Totals:
    """The sums of the reports."""

    def __init__(self) -> None:
        self._requests: defaultdict[tuple[str, str, str], RequestTimes] = defaultdict(RequestTimes)
        self._values: dict[str, defaultdict[tuple[str, ...], float]] = {
            name: defaultdict(float) for name in METRICS
        }

    def add(self, increments: Increments, worker: str = "1") -> None:
        if cache := increments.client_cache:
            for name in ("hits", "misses", "drops"):
                self._count(f"client_cache_{name}_total", getattr(cache, name), worker)
            self._values["client_cache_bytes"][worker,] = cache.size
            self._values["client_cache_records"][worker,] = cache.records
        for one in increments.requests:
            times = self._requests[one.method, one.route, one.status]
            times.seconds += one.seconds
            times.counts = [had + new for had, new in zip(times.counts, one.counts, strict=True)]
            self._count("worker_requests_total", sum(one.counts), worker)
        for limit, count in increments.rate_limited.items():
            self._count("rate_limited_total", count, limit)
        for limit, count in increments.rate_limits_local.items():
            self._count("rate_limits_local_total", count, limit)
        for namespace, events in increments.cache.items():
            for event, count in events.items():
                self._count("cache_total", count, namespace, event)

    def add_restart(self, worker: str) -> None:
        self._count("worker_restarts_total", 1, worker)

    def _count(self, name: str, count: float, *labels: str) -> None:
        self._values[name][labels] += count

    async def text(self) -> bytes:
        return self.render()

    def render(self) -> bytes:
        """The text format of Prometheus, version 0.0.4."""
        lines = [f"# HELP {REQUESTS} Time to answer a request", f"# TYPE {REQUESTS} histogram"]
        for (method, route, status), times in self._requests.items():
            labels = labelled(("method", "route", "status"), (method, route, status))
            totals = [*accumulate(times.counts)]
            for bound, total in zip((*SECONDS, "+Inf"), totals, strict=True):
                lines.append(f'{REQUESTS}_bucket{{le="{bound}",{labels}}} {float(total)}')
            lines.append(f"{REQUESTS}_count{{{labels}}} {float(totals[-1])}")
            lines.append(f"{REQUESTS}_sum{{{labels}}} {times.seconds}")
        for metric in METRICS.values():
            name = f"townsquare_{metric.name}"
            lines += [f"# HELP {name} {metric.about}", f"# TYPE {name} {metric.kind}"]
            for values, number in self._values[metric.name].items():
                lines.append(f"{name}{{{labelled(metric.labels, values)}}} {float(number)}")
        return "\n".join([*lines, ""]).encode()


def labelled(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    return ",".join(f'{name}="{value.translate(ESCAPED)}"' for name, value in zip(names, values, strict=True))
