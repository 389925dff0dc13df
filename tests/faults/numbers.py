"""How many requests a server says it has answered: in all, and each worker of it."""

from collections.abc import Iterable

from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.parser import text_string_to_metric_families

from tests.support.servers import Server

COUNT = "townsquare_http_request_seconds_count"


async def answered(server: Server, route: str) -> int:
    return _count(text_string_to_metric_families((await server.ask("/metrics")).text), route)


def answered_by(server: Server, worker: int, route: str) -> int:
    files = (server.folder / "metrics" / str(server.port)).glob(f"*_{worker}.db")
    return _count(MultiProcessCollector.merge(map(str, files)), route)  # type: ignore[no-untyped-call]


def _count(families: Iterable[Metric], route: str) -> int:
    samples = (sample for family in families for sample in family.samples)
    return int(sum(s.value for s in samples if s.name == COUNT and s.labels["route"] == route))
