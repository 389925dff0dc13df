"""The metrics of all worker processes, summed, and their text for Prometheus.

It imports little: in a server the supervisor has the sums.
"""

import time
from collections import defaultdict, deque
from itertools import accumulate
from typing import NamedTuple

import msgspec

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
REQUESTS = "townsquare_http_request_seconds"
HISTORY = 180  # minutes that are kept
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class RequestCounts(msgspec.Struct, array_like=True):
    method: str
    route: str
    status: str
    counts: list[int]  # per bound in SECONDS, the last for longer ones
    seconds: float


class Increments(msgspec.Struct, tag="increments"):
    """What a process reports: its requests and counts since the last report, and its gauges."""

    requests: list[RequestCounts] = []
    values: list[tuple[str, tuple[str, ...], float]] = []  # the metric, its labels, and a count or a gauge


class Minute(msgspec.Struct, array_like=True):
    """The requests of one minute, for the charts of the console."""

    at: int  # minutes since 1970
    counts: list[int]  # per bound in SECONDS, the last for longer ones
    errors: int = 0  # responses 5xx
    hits: int = 0  # of the client cache
    misses: int = 0
    connections: int = 0

    @property
    def requests(self) -> int:
        return sum(self.counts)

    def quantile(self, share: float) -> float:
        """Seconds within which this share of the requests was answered: the bound of its bucket."""
        wanted = share * self.requests
        reached = (
            bound for bound, total in zip(SECONDS, accumulate(self.counts), strict=False) if total >= wanted
        )
        return next(reached, SECONDS[-1]) if wanted else 0.0


class Metric(NamedTuple):
    """A counter if its name ends in `_total`, otherwise a gauge."""

    help: str
    labels: tuple[str, ...]


METRICS = {
    "rate_limited_total": Metric("Requests refused by a rate limit", ("limit",)),
    "rate_limits_local_total": Metric("Limits counted by one process: the store did not answer", ("limit",)),
    "client_cache_hits_total": Metric("Records that came from the client cache", ("worker",)),
    "client_cache_misses_total": Metric("Records that were read from Redis and cached", ("worker",)),
    "client_cache_drops_total": Metric("Cached records that were invalidated, or lost", ("worker",)),
    "client_cache_bytes": Metric("Memory of the client cache, by an estimate", ("worker",)),
    "client_cache_records": Metric("Records in the client cache", ("worker",)),
    "connections": Metric("Open WebSockets and event streams", ("worker",)),
    "cache_total": Metric("Cache events: hit, miss, wait, refresh, stale, error", ("namespace", "event")),
    "backups_total": Metric("Scheduled backups, by result: done, failed", ("result",)),
    "backup_last_timestamp_seconds": Metric("When the newest scheduled backup was made", ()),
    "integrity_checks_total": Metric("Scheduled checks, by result: clean, findings, failed", ("result",)),
    "integrity_last_timestamp_seconds": Metric("When the last scheduled check ended", ()),
    "integrity_findings": Metric("Findings of the last scheduled check", ()),
    "integrity_keys": Metric("Keys of the last scheduled check", ()),
    "integrity_seconds": Metric("Duration of the last scheduled check", ()),
    "worker_requests_total": Metric("Requests that a worker answered", ("worker",)),
    "worker_restarts_total": Metric("Times that a worker was replaced", ("worker",)),
}


class RequestTimes:
    """The histogram of one method, route and status."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)  # by how long they took
        self.seconds = 0.0

    def take(self) -> tuple[list[int], float]:
        """The figures since the last call."""
        counts, self.counts = self.counts, [0] * len(self.counts)
        seconds, self.seconds = self.seconds, 0.0
        return counts, seconds


class Totals:
    def __init__(self) -> None:
        self._requests: defaultdict[tuple[str, str, str], RequestTimes] = defaultdict(RequestTimes)
        self._values: dict[str, defaultdict[tuple[str, ...], float]] = {
            name: defaultdict(float) for name in METRICS
        }
        self._minutes: deque[Minute] = deque(maxlen=HISTORY)

    def add(self, increments: Increments, worker: str = "1") -> None:
        minute = self._minute()
        for one in increments.requests:
            minute.counts = [had + new for had, new in zip(minute.counts, one.counts, strict=True)]
            minute.errors += sum(one.counts) if one.status.startswith("5") else 0
            times = self._requests[one.method, one.route, one.status]
            times.seconds += one.seconds
            times.counts = [had + new for had, new in zip(times.counts, one.counts, strict=True)]
            self.count("worker_requests_total", sum(one.counts), worker)
        for name, labels, value in increments.values:
            if name == "client_cache_hits_total":
                minute.hits += int(value)
            elif name == "client_cache_misses_total":
                minute.misses += int(value)
            if "worker" in METRICS[name].labels:
                labels = (*labels, worker)
            if name.endswith("_total"):
                self.count(name, value, *labels)
            else:
                self._values[name][labels] = value
        minute.connections = int(sum(self._values["connections"].values()))

    def _minute(self) -> Minute:
        """The current minute; minutes without requests are added too."""
        at = int(time.time() // 60)
        last = self._minutes[-1].at if self._minutes else at - 1
        if not last - 1 <= at <= last + HISTORY:  # the clock was set, or nothing happened for long
            self._minutes.clear()
            last = at - 1
        for missing in range(last + 1, at + 1):
            self._minutes.append(Minute(missing, [0] * (len(SECONDS) + 1)))
        return self._minutes[-1]

    def minutes(self) -> list[Minute]:
        self._minute()
        return list(self._minutes)

    async def history(self) -> list[Minute]:
        return self.minutes()

    def count(self, name: str, count: float, *labels: str) -> None:
        self._values[name][labels] += count

    async def text(self) -> bytes:
        """The text format of Prometheus, version 0.0.4."""
        lines = [f"# HELP {REQUESTS} Time to answer a request", f"# TYPE {REQUESTS} histogram"]
        for (method, route, status), times in self._requests.items():
            labels = labelled(("method", "route", "status"), (method, route, status))
            totals = [*accumulate(times.counts)]
            for bound, total in zip((*SECONDS, "+Inf"), totals, strict=True):
                lines.append(f'{REQUESTS}_bucket{{le="{bound}",{labels}}} {float(total)}')
            lines.append(f"{REQUESTS}_count{{{labels}}} {float(totals[-1])}")
            lines.append(f"{REQUESTS}_sum{{{labels}}} {times.seconds}")
        for name, metric in METRICS.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP townsquare_{name} {metric.help}", f"# TYPE townsquare_{name} {kind}"]
            for values, number in self._values[name].items():
                lines.append(f"townsquare_{name}{{{labelled(metric.labels, values)}}} {float(number)}")
        return "\n".join([*lines, ""]).encode()


def labelled(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    return ",".join(f'{name}="{value.translate(ESCAPED)}"' for name, value in zip(names, values, strict=True))
