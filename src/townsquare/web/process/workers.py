"""The worker processes of a server: started, watched, restarted whatever they die of, stopped together."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Coroutine
from typing import Any

import structlog

from townsquare.settings import Settings
from townsquare.web.metrics import Increments, Totals
from townsquare.web.process.worker_pipe import (
    CANNOT_START,
    LONGEST_LINE,
    AskMetrics,
    Ready,
    line_of,
    read_message,
)

MODULE = "townsquare.web.process.worker"
FIRST_PAUSE, LAST_PAUSE = 0.1, 5.0  # seconds before a dead worker is started again
SETTLED = 10.0  # a worker that lived so long did not die of its start
START_SECONDS = 60.0  # that a worker may take until it accepts requests
NOBODY_SECONDS = 60.0  # without a worker that serves, after which the server ends with an error
STOP_SECONDS = 13.0  # what a worker grants its requests, and a little to close its store

log = structlog.get_logger("townsquare.workers")


class CannotServe(Exception):
    """Why the server does not start, or cannot go on, in one line."""


class WorkerPlace:
    """Where one worker after the other serves."""

    def __init__(self, number: int) -> None:
        self.name = str(number)
        self.served = asyncio.Event()  # one has accepted requests
        self.serves = False  # one does now


class Workers:
    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._totals = Totals()
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._places: list[WorkerPlace] = []
        self._keepers: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._told: asyncio.Future[bytes]
        self._nobody_since = 0.0

    def start(self, count: int) -> None:
        """Start processes, which import what they need and then wait to be told the settings."""
        loop = asyncio.get_running_loop()
        self._told = loop.create_future()
        self._nobody_since = loop.time()
        self._places = [WorkerPlace(number) for number in range(1, count + 1)]
        self._keepers = [loop.create_task(self._keep(place)) for place in self._places]

    def tell(self, settings: Settings) -> None:
        """Let them serve: the store is there."""
        self._nobody_since = asyncio.get_running_loop().time()
        self._told.set_result(line_of(settings))

    async def ready(self, stop: asyncio.Event) -> bool:
        """Wait until all accept requests: True, or False if we are told to stop before."""
        await self._until(stop.wait(), self._all_served())
        return not stop.is_set()

    async def _all_served(self) -> None:
        for place in self._places:
            await place.served.wait()

    async def serve(self, stop: asyncio.Event) -> None:
        """Return when we are told to stop; raise CannotServe when there is nobody left to serve."""
        await self._until(stop.wait())

    async def _until(self, *conditions: Coroutine[Any, Any, object]) -> None:
        """Until one of these is met, or a keeper has given up."""
        tasks = [asyncio.ensure_future(condition) for condition in conditions]
        try:
            await asyncio.wait((*tasks, *self._keepers), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        for keeper in self._keepers:
            if keeper.done():
                keeper.result()

    async def stop(self) -> None:
        """Let requests finish, then end every process; none is left when this returns."""
        self._stopping.set()
        if not self._told.done():
            self._told.set_result(b"")
        self._signal(signal.SIGTERM)
        _, late = await asyncio.wait(self._keepers, timeout=STOP_SECONDS)
        if late:
            log.warning("workers did not stop in time", count=len(self._processes))
            self.kill()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def _keep(self, place: WorkerPlace) -> None:
        """Have a worker at this place until we stop; raise CannotServe when there is no use in trying."""
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            since = loop.time()
            try:
                code: int | None = await self._run(place)
                reason = f"it ended with {code}"
            except Exception as trouble:  # no process, no memory, no file handle: the next try may have them
                code, reason = None, repr(trouble)
            if place.serves:
                place.serves = False
                if not any(other.serves for other in self._places):
                    self._nobody_since = loop.time()
            if self._stopping.is_set():
                return
            if not place.served.is_set() and code == CANNOT_START:
                raise CannotServe("The server could not start; the log says why")
            if loop.time() - since >= SETTLED:
                pause = FIRST_PAUSE
            self._end_if_nobody_serves()
            log.error("worker died: restarting it", worker=place.name, reason=reason, seconds=pause)
            self._totals.worker_restarts.labels(place.name).inc()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(pause * 2, LAST_PAUSE)

    def _end_if_nobody_serves(self) -> None:
        if any(place.serves for place in self._places):
            return
        seconds = asyncio.get_running_loop().time() - self._nobody_since
        if seconds >= NOBODY_SECONDS:
            raise CannotServe(f"No worker has come up for {seconds:.0f} s; the log says why")

    async def _run(self, place: WorkerPlace) -> int:
        """One worker from start to end; its exit code."""
        listener = self._listener
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as unless_connected:
            unless_connected.callback(ours.close)
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    MODULE,
                    str(listener.fileno()),
                    str(theirs.fileno()),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=(listener.fileno(), theirs.fileno()),
                    start_new_session=True,  # Ctrl-C is for the parent, which stops us in order
                )
            self._processes[process.pid] = process
            try:
                if self._stopping.is_set():
                    process.terminate()
                reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST_LINE)
                unless_connected.pop_all()
                return await self._attend(place, process, reader, writer)
            finally:
                await self._see_dead(process)

    async def _attend(
        self,
        place: WorkerPlace,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> int:
        told = await self._told
        late = asyncio.get_running_loop().call_later(START_SECONDS, self._kill_late, place, process)
        try:
            writer.write(told)
            with contextlib.suppress(OSError):  # it died before it had read all: its exit code says more
                while line := await reader.readline():
                    match read_message(line):
                        case Ready():
                            late.cancel()
                            place.serves = True
                            place.served.set()
                        case Increments() as increments:
                            self._totals.add(increments, place.name)
                        case AskMetrics():
                            writer.write(line_of((await self._totals.text()).decode()))
            return await process.wait()
        finally:
            late.cancel()
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _kill_late(self, place: WorkerPlace, process: asyncio.subprocess.Process) -> None:
        log.error("worker does not start: killing it", worker=place.name, seconds=START_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    async def _see_dead(self, process: asyncio.subprocess.Process) -> None:
        """Leave no process that nobody watches, whatever went wrong here."""
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        del self._processes[process.pid]
