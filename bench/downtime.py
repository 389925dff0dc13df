"""Downtime under load: a killed engine, and a server that is stopped or killed and started again at once.

Visitors count on a widget and viewers hold live connections meanwhile. The downtime ends with the last
request that failed or took longer than half a second.
"""

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.faults.visits import VISIT, create_counter
from tests.support.servers import Server

from bench.live import DOMAIN, Listening
from bench.report import Result
from townsquare import square as library
from townsquare.keyspace import Role
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.square import Square

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
VISITORS = 16  # connections, each with one request at a time
VIEWERS = 200  # live connections
USERS, BATCH = 20_000, 200  # accounts in the append-only file, which an engine loads when it starts
SLOW = 0.5  # seconds: a request that takes longer counts as downtime
CALM = 3.0  # seconds without downtime that end a measurement
ENGINE_TARGET, SERVER_TARGET = 2, 5  # seconds
SETTINGS = {
    "connections_per_address": "1000",
    "trusted_proxies": "127.0.0.1/32",
}


class Visitors:
    """Requests over connections that stay open."""

    def __init__(self, port: int, counter: str) -> None:
        self._port, self._counter = port, counter
        self.requests = 0
        self.last_failure = 0.0

    async def come(self, number: int) -> None:
        while True:
            with contextlib.suppress(OSError, EOFError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                with contextlib.closing(writer):
                    while await self._visit(number, reader, writer):
                        pass
            self.last_failure = time.perf_counter()
            await asyncio.sleep(0.02)

    async def _visit(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        began = time.perf_counter()
        self.requests += 1
        writer.write(
            f"GET {VISIT}?action=increment&id={self._counter} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"User-Agent: browser {number}x{self.requests}\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        if time.perf_counter() - began > SLOW:
            self.last_failure = time.perf_counter()
        return head.startswith(b"HTTP/1.1 200 ")


async def kill_engine(server: Server, role: Role) -> None:
    os.kill(server.engine_pid(role), signal.SIGKILL)


async def stop_and_start(server: Server) -> None:
    await server.stop()
    await start(server)


async def kill_and_start(server: Server) -> None:
    await server.kill()
    await start(server)


async def start(server: Server) -> None:
    """As a process manager does: again, until it runs."""
    while True:
        try:
            return await server.start()
        except AssertionError:
            await asyncio.sleep(0.1)


Fault = Callable[[Server], Awaitable[None]]

FAULTS: list[tuple[str, int, Fault]] = [
    ("data engine killed", ENGINE_TARGET, lambda server: kill_engine(server, Role.DATA)),
    ("cache engine killed", ENGINE_TARGET, lambda server: kill_engine(server, Role.CACHE)),
    ("server stopped and started", SERVER_TARGET, stop_and_start),
    ("server killed and started", SERVER_TARGET, kill_and_start),
]


async def downtime(server: Server, visitors: Visitors, fault: Fault) -> float:
    """Seconds from the fault until every request succeeds again."""
    await asyncio.sleep(1)
    begun = time.perf_counter()
    await fault(server)
    done = time.perf_counter()
    while time.perf_counter() - max(done, visitors.last_failure) < CALM:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    return max(0.0, visitors.last_failure - begun)


async def populate(square: Square) -> None:
    for first in range(0, USERS, BATCH):
        names = (f"user{number}" for number in range(first, first + BATCH))
        await asyncio.gather(*(square.accounts.sign_up(name) for name in names))


async def measure(folder: Path) -> dict[str, list[float]]:
    server = Server(folder / "data", workers=2, **SETTINGS)
    seconds: dict[str, list[float]] = {name: [] for name, _, _ in FAULTS}
    try:
        await server.start()
        async with library.open(settings=server.settings(), background=False) as square:
            await populate(square)
            site = await square.services["threads"].sites.create("A blog", DOMAIN, settings=SiteSettings())
        visitors = Visitors(server.port, await create_counter(server))
        viewers = [Listening(server.url, site.api_key_public, number) for number in range(VIEWERS)]
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(visitors.come(number)) for number in range(VISITORS)]
            for viewer in viewers:
                running.append(tasks.create_task(viewer.listen(await viewer.subscribed())))
            for _ in range(ROUNDS):
                for name, _, fault in FAULTS:
                    seconds[name].append(await downtime(server, visitors, fault))
            for task in running:
                task.cancel()
    finally:
        await server.bury()
    return seconds


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed server does not compile its modules
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        measured = asyncio.run(measure(Path(folder)))
    rows = [
        [name, *(f"{one:.2f}" for one in sorted(measured[name])), str(target)] for name, target, _ in FAULTS
    ]
    return [
        Result(
            "Downtime",
            f"Seconds from the fault to the last request that failed or took longer than {SLOW:g} s,"
            f" in {ROUNDS} rounds, sorted: {VISITORS} visitors who count without a pause, {VIEWERS} live"
            f" connections, {USERS:,} accounts in the append-only file, two workers, all services. The server"
            " is started again as soon as it has ended. Load and server share two cores.",
            ["", *(f"round {number}" for number in range(1, ROUNDS + 1)), "target"],
            rows,
        )
    ]
