"""A million events into analytics, every report against a recount, and what a report costs then."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path

import uvloop
from tests.services.analytics.recount import Batch, Crowd, Recount, send
from tests.support.clock import PinnedClock

from bench.report import Result
from townsquare.clock import day_of
from townsquare.keyspace import Registry, Role
from townsquare.services.analytics.keys import analytics as keyspace
from townsquare.services.analytics.models import View
from townsquare.services.analytics.service import Analytics
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.engine import Engines
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

FEW, MANY = 10_000, 1_000_000
TASKS = 8
CALLS = 1_000  # of each report on each side
ALLOWED = 1.5
CLOCK = PinnedClock()
CROWD = Crowd(4, CLOCK.now_ms(), people=20_000, products=5_000, terms=10_000, shortest_batch=100)

Report = Callable[[], Awaitable[object]]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Store, Analytics]]:
    engines = Engines(folder, roles=[Role.DATA])
    await engines.start()
    nodes = await connect(engines.url(Role.DATA))
    store = Store(Registry([system, keyspace]), "bench", nodes, nodes, clock=CLOCK)
    try:
        yield store, Analytics(store, Jobs(store))
    finally:
        await nodes.close()
        await engines.stop()


async def ingest(analytics: Analytics, events: int) -> tuple[Recount, float]:
    """Batches of a hundred, several in flight; the recount, and seconds without making the events up."""
    recount, seconds, recorded = Recount(), 0.0, 0
    for batches in in_groups(CROWD.batches(events), TASKS * 10):
        for batch in batches:
            recount.add(batch)
        began = time.perf_counter()
        recorded += await send(analytics, batches, TASKS)
        seconds += time.perf_counter() - began
    if recorded != recount.total:
        raise AssertionError(f"{recount.total - recorded} events were lost")
    return recount, seconds


def in_groups(batches: Iterator[Batch], size: int) -> Iterator[list[Batch]]:
    while group := list(islice(batches, size)):
        yield group


async def singly(analytics: Analytics, tasks: int = 50, each: int = 200) -> float:
    """Requests a second with one event each."""

    async def work(person: int) -> None:
        for number in range(each):
            await analytics.record([View(product=f"Product {number}")], user_id=f"single_{person}")

    began = time.perf_counter()
    await asyncio.gather(*(work(person) for person in range(tasks)))
    return tasks * each / (time.perf_counter() - began)


def reports_of(analytics: Analytics) -> dict[str, Report]:
    today = day_of(CLOCK.now_ms())
    somebody = next(CROWD.batches(100)).user_id  # who has been there from the first batch on
    return {
        "top viewed": lambda: analytics.top("viewed"),
        "top rated": lambda: analytics.top("rated"),
        "top wishlisted": lambda: analytics.top("wishlisted"),
        "top viewed this week": lambda: analytics.top_viewed_in("week", today),
        "top terms of the day": lambda: analytics.top_terms("day", today),
        "activity of a day": lambda: analytics.activity(today, today),
        "journey of a user": lambda: analytics.journey(somebody),
    }


async def seconds_of(report: Report) -> float:
    began = time.perf_counter()
    await report()
    return time.perf_counter() - began


async def compare(few: Analytics, many: Analytics) -> list[list[str]]:
    """Call by call in turns, so that whatever else the machine does weighs on both sides."""
    rows = []
    for name, before in reports_of(few).items():
        after = reports_of(many)[name]
        pairs = [(await seconds_of(before), await seconds_of(after)) for _ in range(CALLS)]
        small, large = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratio = large / small
        if ratio > ALLOWED:
            raise AssertionError(f"{name} is {ratio:.2f} times as slow with {MANY:,} events")
        rows.append([name, f"{small * 1e6:,.0f} µs", f"{large * 1e6:,.0f} µs", f"{ratio:.2f}"])
    return rows


async def come_to_rest(store: Store) -> None:
    """Wait until the engine has rewritten its append-only file."""
    execute = store.role_stores[Role.DATA].nodes.execute
    while b"in_progress:1" in await execute(None, "INFO", "persistence"):  # noqa: ASYNC110 - Redis tells nobody
        await asyncio.sleep(0.1)


async def memory(store: Store) -> int:
    info = await store.role_stores[Role.DATA].nodes.execute(None, "INFO", "memory")
    return int(info.decode().split("used_memory:")[1].split()[0])


async def measure(folder: Path) -> list[Result]:
    async with opened(folder / "few") as (_, few), opened(folder / "many") as (store, many):
        few_recount, _ = await ingest(few, FEW)
        empty = await memory(store)
        many_recount, seconds = await ingest(many, MANY)
        used = await memory(store) - empty
        await few_recount.assert_same(few)
        await many_recount.assert_same(many)
        await come_to_rest(store)
        latencies = await compare(few, many)
        single = await singly(few)
    return [
        Result(
            "Events into analytics",
            f"{MANY:,} events, one process; none lost, every report equal to a recount in plain Python.",
            ["", "measured"],
            [
                [f"batches of 100, {TASKS} at once", f"{MANY / seconds:,.0f} events a second"],
                ["one event a request, 50 at once", f"{single:,.0f} events a second"],
                ["memory of an event, all counts included", f"{used / MANY:,.0f} bytes"],
            ],
        ),
        Result(
            "Reports of analytics",
            f"Median latency with {FEW:,} and with {MANY:,} events, measured in turns. Allowed: {ALLOWED}.",
            ["report", f"{FEW:,}", f"{MANY:,}", "ratio"],
            latencies,
        ),
    ]


def run() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(measure(Path(folder)))
