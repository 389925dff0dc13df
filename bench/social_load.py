"""A whole community by the sync API: 100,000 people, a million follows, 200,000 posts; then check."""

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench.report import Result
from townsquare.integrity.check import check
from townsquare.keyspace import Registry, Role
from townsquare.services.social import keys
from townsquare.services.social.load_file import LoadTally, load
from townsquare.services.social.service import Social
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.engine import Engines
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

SHARE = float(os.environ.get("BENCH_SHARE", "1"))  # of the whole, to try it out
USERS, POSTS, FOLLOWS = (int(count * SHARE) for count in (100_000, 200_000, 1_000_000))
DAY_MS = 86_400_000
PATIENCE = 30.0  # seconds for one command while the check reads in bulk
TAGS = 2_000

Records = Iterator[dict[str, object]]


def users(now: int) -> Records:
    for number in range(USERS):
        role = "model" if number % 50 == 0 else "user"
        yield {
            "kind": "user",
            "username": f"user{number}",
            "display_name": f"User {number}",
            "role": role,
            "created_at": now - number * 1000,
        }


def posts(now: int, chance: random.Random) -> Records:
    """Some write much, many write little; the last thirty days."""
    for number in range(POSTS):
        author = int(USERS * chance.random() ** 3)
        tag = int(TAGS * chance.random() ** 2)
        yield {
            "kind": "post",
            "id": number,
            "username": f"user{author}",
            "content": f"Post {number} about #tag{tag} and everything that goes with it",
            "created_at": now - chance.randrange(30 * DAY_MS),
        }


def follows(chance: random.Random) -> Records:
    """In the order of followers, as a table has them; some are followed by very many."""
    each = FOLLOWS // USERS
    for number in range(USERS):
        followed: set[int] = set()
        while len(followed) < each:
            other = int(USERS * chance.random() ** 2)
            if other != number and other not in followed:
                followed.add(other)
                yield {"kind": "follow", "follower": f"user{number}", "followed": f"user{other}"}


def encoded(records: Records) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    return (encode(record) for record in records)


async def timed(
    social: Social, name: str, records: Records, total: int, tell: Callable[[LoadTally], None]
) -> list[str]:
    began = time.perf_counter()
    tally = await load(social, encoded(records), tell)
    seconds = time.perf_counter() - began
    if tally.refused or tally.records != total:
        raise AssertionError(f"{name}: {tally.records} of {total}, refused {tally.refused[:3]}")
    return [name, f"{total:,}", f"{seconds:,.1f} s", f"{total / seconds:,.0f}"]


async def memory(store: Store) -> int:
    info = await store.role_stores[Role.DATA].nodes.execute(None, "INFO", "memory")
    return int(info.decode().split("used_memory:")[1].split()[0])


async def measure(folder: Path, console: Console) -> list[Result]:
    engines = Engines(folder, roles=[Role.DATA])
    await engines.start()
    nodes = await connect(engines.url(Role.DATA), timeout=PATIENCE)
    store = Store(Registry([system, keys.social]), "bench", nodes, nodes)
    social, chance, now = Social(store, Jobs(store)), random.Random(5), store.clock.now_ms()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    work = [
        ("users", users(now), USERS),
        ("posts", posts(now, chance), POSTS),
        ("follows", follows(chance), USERS * (FOLLOWS // USERS)),
    ]
    rows = []
    try:
        with Progress(*columns, console=console) as progress:
            for name, records, total in work:
                bar = progress.add_task(name, total=total)
                tell = bar_teller(progress, bar)
                rows.append(await timed(social, name, records, total, tell))
            used = await memory(store)
            bar = progress.add_task("check", total=None)
            began = time.perf_counter()
            report = await check(
                store, progress=lambda seen, all_of_it: progress.update(bar, completed=seen, total=all_of_it)
            )
            seconds = time.perf_counter() - began
    finally:
        await nodes.close()
        await engines.stop()
    if report.findings:
        raise AssertionError(f"the check found {report.findings[:5]}")
    rows.append(["check: nothing found", f"{report.keys:,} keys", f"{seconds:,.1f} s", ""])
    return [
        Result(
            "A community loaded by the sync API",
            f"Two cores, one process, batches of 1,000; {used / 1e6:,.0f} MB in the store afterwards.",
            ["", "records", "time", "a second"],
            rows,
        )
    ]


def bar_teller(progress: Progress, bar: object) -> Callable[[LoadTally], None]:
    return lambda tally: progress.update(bar, completed=tally.records)  # type: ignore[arg-type]


def run() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(measure(Path(folder), Console(stderr=True)))
