"""The worker processes of a server: started, watched, restarted when they die, stopped together."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Mapping

import msgspec
import structlog

from townsquare.settings import Settings

MODULE = "townsquare.web.process.worker"
READY = b"ready\n"
FIRST_PAUSE, LAST_PAUSE = 0.1, 5.0  # seconds before a dead worker is started again
SETTLED = 10.0  # a worker that lived so long did not die of its start
STOP_SECONDS = 13.0  # what a worker grants its requests, and a little to close its store

log = structlog.get_logger("townsquare.workers")


class CannotServe(Exception):
    """Why the server does not start, in one line."""


class Workers:
    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._ready: list[asyncio.Future[bool]] = []
        self._stopping = asyncio.Event()

    def start(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._told = msgspec.json.encode(settings) + b"\n"
        self._environ = environ
        loop = asyncio.get_running_loop()
        self._ready = [loop.create_future() for _ in range(settings.workers)]
        self._keepers = [asyncio.create_task(self._keep(ready)) for ready in self._ready]

    async def ready(self, stop: asyncio.Event) -> bool:
        """Wait until all accept requests: True, or False if we are told to stop before."""
        stopped: asyncio.Future[bool] = asyncio.ensure_future(stop.wait())
        started: asyncio.Future[list[bool]] = asyncio.gather(*self._ready)
        try:
            await asyncio.wait((stopped, started), return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                return False
            if not all(started.result()):
                raise CannotServe("The server could not start; the log says why")
            return True
        finally:
            stopped.cancel()
            started.cancel()

    async def stop(self) -> None:
        """Let requests finish, then end every process; none is left when this returns."""
        self._stopping.set()
        self._signal(signal.SIGTERM)
        _, late = await asyncio.wait(self._keepers, timeout=STOP_SECONDS)
        if late:
            log.warning("workers did not stop in time", count=len(self._processes))
            self.kill()
            await asyncio.wait(late)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def _keep(self, ready: asyncio.Future[bool]) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            since = loop.time()
            code = await self._run(ready)
            if not ready.done():
                ready.set_result(False)
                return
            if self._stopping.is_set():
                return
            if loop.time() - since >= SETTLED:
                pause = FIRST_PAUSE
            log.error("worker died: restarting it", exit_code=code, seconds=pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(pause * 2, LAST_PAUSE)

    async def _run(self, ready: asyncio.Future[bool]) -> int:
        """One worker from start to end; its exit code."""
        listener = self._listener
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                MODULE,
                str(listener.fileno()),
                str(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                env=self._environ,
                pass_fds=(listener.fileno(), theirs.fileno()),
                start_new_session=True,  # Ctrl-C is for the parent, which stops us in order
            )
        self._processes[process.pid] = process
        if self._stopping.is_set():
            process.terminate()
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(self._told)
            if await reader.readline() == READY and not ready.done():
                ready.set_result(True)
            return await process.wait()
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            del self._processes[process.pid]
