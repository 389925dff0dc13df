"""How many requests a server says it has answered: at one route, and by each worker."""

import asyncio

from prometheus_client.parser import text_string_to_metric_families

from tests.support.servers import Server


async def answered(server: Server, route: str) -> int:
    return int(sum((await samples(server, "townsquare_http_request_seconds_count", "route", route)).values()))


async def answered_by_workers(server: Server) -> dict[str, int]:
    return await samples(server, "townsquare_worker_requests_total", "worker")


async def samples(server: Server, name: str, label: str, value: str = "") -> dict[str, int]:
    """Numbers by the value of a label."""
    text = (await server.ask("/metrics")).text
    found: dict[str, int] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and value in ("", sample.labels[label]):
                found[sample.labels[label]] = found.get(sample.labels[label], 0) + int(sample.value)
    return found


async def each_has_answered_more(server: Server, more: int = 20) -> dict[str, int]:
    """Wait until every worker has answered so many more than now; how many each has then."""
    before = await answered_by_workers(server)
    async with asyncio.timeout(20):
        while True:
            now = await answered_by_workers(server)
            if all_answered_more(server, before, now, more):
                return now
            await asyncio.sleep(0.05)


def all_answered_more(server: Server, before: dict[str, int], now: dict[str, int], more: int = 20) -> bool:
    """Whether every worker has answered so many more than before."""
    return len(now) == server.workers and all(now[one] >= before.get(one, 0) + more for one in now)
