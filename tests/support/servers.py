"""A real `townsquare serve` in processes of its own, and a client that asks it over sockets."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.support.waiting import until
from townsquare.keyspace import Role
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.settings import PREFIX, Settings
from townsquare.store.engine.folder import DataFolder
from townsquare.store.wire.address import parse
from townsquare.store.wire.connection import execute_once

SERVE = ("-m", "townsquare.cli", "serve")
PROJECT = Path(__file__).parents[2]
NO_FILMS = Path(__file__).with_name("no_films.jsonl")  # most tests of servers need no catalogue
START_PATIENCE = 30.0
STOP_PATIENCE = 30.0
HANG = 15.0  # seconds; a request that takes longer will never be answered


class NoAnswer(Exception):
    """The connection ended before a whole answer came."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """One server on a data folder; it may be started again after it was stopped or killed."""

    def __init__(
        self,
        folder: Path,
        *,
        workers: int = 1,
        env: str = "test",
        program: Sequence[str] = SERVE,
        **settings: str,
    ) -> None:
        self.folder = folder
        self.workers = workers
        self.env = env
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self._program = program
        self._variables = {f"{PREFIX}{name.upper()}": value for name, value in settings.items()}
        self._log = folder.parent / f"{folder.name}.log"
        self._orphans: dict[int, bytes] = {}  # what a killed server left behind

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def command(self, *, port: int | None = None, folder: Path | None = None) -> list[str]:
        options = ("--port", str(self.port if port is None else port), "--data", str(folder or self.folder))
        running = ("--workers", str(self.workers), "--env", self.env, "--log-format", "json")
        return [sys.executable, *self._program, *options, *running]

    def environ(self) -> dict[str, str]:
        """Ours, without settings that belong to whoever runs the tests."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        path = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))
        usual = {f"{PREFIX}RATE_LIMITS": "off", f"{PREFIX}SEARCH_CATALOGUE": str(NO_FILMS)}
        return {**inherited, "PYTHONPATH": path, **usual, **self._variables}

    def settings(self) -> Settings:
        """For a library that visits the same store."""
        return Settings.load(environ=self._variables, env=self.env, data_dir=str(self.folder))

    async def start(self) -> None:
        """Start it, on the port that it had before if it had one, and wait for its greeting."""
        self.process = self._spawn()
        await until(self._greeted, START_PATIENCE)

    def _spawn(self) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environ(),
                cwd=self.folder.parent,
            )

    def _greeted(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log}")
        for line in self.log.splitlines():
            if '"event":"serving"' in line:
                self.port = int(json.loads(line)["url"].rpartition(":")[2])
                return True
        return False

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def worker_pids(self) -> list[int]:
        return [pid for pid in children(self.pid) if b"townsquare.web.process.worker" in command_line(pid)]

    def engine_pid(self, role: Role = Role.DATA) -> int:
        return int((self.folder / f"{role.value}.pid").read_text())

    def pids(self) -> list[int]:
        """The server and every process that it has started."""
        return [self.pid, *children(self.pid)]

    async def ended(self) -> int:
        """Wait for the server process to end; its exit code."""
        process = self.process
        assert process is not None
        await until(lambda: process.poll() is not None, STOP_PATIENCE)
        self.process = None
        return int(process.returncode)

    async def stop(self) -> int:
        os.kill(self.pid, signal.SIGTERM)
        return await self.ended()

    async def kill(self, *, everything: bool = False) -> None:
        """SIGKILL the server alone, or its workers and engines in the same moment."""
        self._orphans |= {pid: command_line(pid) for pid in children(self.pid)}
        for pid in self.pids() if everything else [self.pid]:
            os.kill(pid, signal.SIGKILL)
        await self.ended()

    async def bury(self) -> None:
        """Stop it if it runs, and end what outlived it."""
        if self.process is not None:
            self._orphans |= {pid: command_line(pid) for pid in children(self.pid)}
            if self.running:
                os.kill(self.pid, signal.SIGTERM)
            await self.ended()
        for pid, command in self._orphans.items():
            if command and command_line(pid) == command:  # the id may belong to another program by now
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    async def ask(self, path: str, *, user_agent: str = "tests", **query: object) -> Answer:
        """GET over a connection of its own; raises `NoAnswer` if that breaks, and never hangs."""
        began = time.perf_counter()
        target = f"{path}?{urlencode(query)}" if query else path
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUser-Agent: {user_agent}\r\n"
        async with asyncio.timeout(HANG):
            try:
                received = await self._exchange(f"{head}Connection: close\r\n\r\n".encode())
            except OSError as error:
                raise NoAnswer(str(error)) from None
        status, headers, body = parse_answer(received)
        return Answer(status, headers, body, time.perf_counter() - began)

    async def _exchange(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            return await reader.read()
        finally:
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def becomes_ready(self) -> None:
        """Wait until every worker has found both stores: they reconnect one by one."""
        async with asyncio.timeout(START_PATIENCE):
            for url in self.store_urls():
                while await _sessions(url) < self.workers:  # noqa: ASYNC110 - another process sends no event
                    await asyncio.sleep(0.02)
            while (await self.ask("/readyz")).status != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    def store_urls(self) -> list[str]:
        embedded = DataFolder(self.folder)
        return [
            self._variables.get(f"{PREFIX}{role.value.upper()}_URL") or f"unix://{embedded.socket(role)}"
            for role in Role
        ]


def parse_answer(received: bytes) -> tuple[int, dict[str, str], bytes]:
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        raise NoAnswer("the connection ended before the answer")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if len(body) != int(headers.get("content-length", 0)):
        raise NoAnswer("the connection ended within the answer")
    return int(first.split()[1]), headers, body


async def _sessions(url: str) -> int:
    """How many Townsquare processes are connected to the node."""
    try:
        clients: bytes = await execute_once(parse(url).addresses[0], "CLIENT", "LIST")
    except (Unavailable, OutcomeUnknown):
        return 0
    return clients.count(b" name=townsquare ") - 1  # one is ours


def alive(pid: int) -> bool:
    """Whether the process runs; one that waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [child for child in map(int, found) if alive(child)]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@contextlib.asynccontextmanager
async def running_server(folder: Path, **options: Any) -> AsyncIterator[Server]:
    """A server that runs; whatever the test did to it, none of its processes is left afterwards."""
    server = Server(folder, **options)
    try:
        await server.start()
        yield server
    finally:
        await server.bury()
