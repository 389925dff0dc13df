"""Our wire client against redis-py (asyncio, hiredis): commands a second in one process."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import redis.asyncio as redis
import uvloop

from bench.report import Result
from townsquare.keyspace import Role
from townsquare.store.engine import Engines
from townsquare.store.wire.nodes import connect

SECONDS = 1.0
ROUNDS = 3
SCRIPT = "return redis.call('GET', KEYS[1])"
Call = Callable[[], Awaitable[object]]


async def rate(call: Call, tasks: int) -> float:
    """Calls a second, with so many tasks calling one after the other."""
    end = time.perf_counter() + SECONDS
    done = 0

    async def work() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await call()
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(tasks)))
    return done / (time.perf_counter() - began)


async def measure(folder: Path) -> list[list[str]]:
    engines = Engines(folder, roles=[Role.DATA])
    await engines.start()
    url = engines.url(Role.DATA)
    nodes = await connect(url)
    client = redis.Redis.from_url(url, max_connections=100, protocol=3)
    try:
        await client.set("text", "x" * 100)
        await client.hset("record", mapping={f"field{n}": "value" * 4 for n in range(15)})
        sha = await client.script_load(SCRIPT)
        commands: dict[str, tuple[Call, Call]] = {
            "GET": (lambda: nodes.execute(None, "GET", "text"), lambda: client.get("text")),
            "HGETALL": (lambda: nodes.execute(None, "HGETALL", "record"), lambda: client.hgetall("record")),
            "EVALSHA": (
                lambda: nodes.execute(None, "EVALSHA", sha, 1, "text"),
                lambda: client.evalsha(sha, 1, "text"),
            ),
        }
        rows = []
        for name, (ours, theirs) in commands.items():
            for tasks in (1, 50):
                pairs = [(await rate(ours, tasks), await rate(theirs, tasks)) for _ in range(ROUNDS)]
                mine, its = (statistics.median(side) for side in zip(*pairs, strict=True))
                rows.append([name, str(tasks), f"{mine:,.0f}", f"{its:,.0f}", f"{mine / its:.1f}×"])
        return rows
    finally:
        await client.aclose()
        await nodes.close()
        await engines.stop()


def run() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        rows = runner.run(measure(Path(folder)))
    return [
        Result(
            "The wire client",
            "Commands a second over a unix socket, one process, embedded Valkey; median of three rounds.",
            ["command", "tasks", "townsquare", "redis-py", "ratio"],
            rows,
        )
    ]
