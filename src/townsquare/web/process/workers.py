"""The worker processes of a server: started, watched, restarted after any exit, replaced, stopped."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec

from townsquare.logger import get_logger
from townsquare.settings import Settings, SettingsError
from townsquare.web.metric_totals import Increments, Totals
from townsquare.web.process import worker_pipe

MODULE = "townsquare.web.process.worker"
FIRST_PAUSE, LAST_PAUSE = 0.1, 5.0  # seconds before a dead worker is restarted
SETTLED = 10.0  # after a life of this length the next pause is FIRST_PAUSE again
START_SECONDS = 60.0  # until a worker must accept requests
NOBODY_SECONDS = 60.0  # without a serving worker, after which the server exits with an error
STOP_SECONDS = 13.0  # the grace period of a worker's requests, and some time to close its store

log = get_logger("townsquare.workers")


class CannotServe(Exception):
    """The server cannot start or continue; the message is one line."""


class WorkerSlot:
    """One of the N workers: a process, and its replacement after it dies."""

    def __init__(self, name: str, settings: asyncio.Future[bytes]) -> None:
        self.name = name
        self.settings = settings  # the line that lets it serve
        self.served = asyncio.Event()  # set when its first process accepts requests
        self.serves = False  # its current process accepts requests
        self.first = False  # of a server that starts: its process makes the link for the first admin
        self.retired = False  # replaced: its process ends and is not restarted
        self.process: asyncio.subprocess.Process | None = None


def retire(slots: Sequence[WorkerSlot]) -> None:
    """Let their processes finish their requests and end."""
    for slot in slots:
        slot.retired = True
        slot.serves = False
        if slot.process is not None:
            with contextlib.suppress(ProcessLookupError):
                slot.process.send_signal(signal.SIGHUP)


class Workers:
    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._totals = Totals()
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._slots: list[WorkerSlot] = []
        self._keepers: set[asyncio.Task[None]] = set()
        self._failed = asyncio.Event()
        self._failure: BaseException | None = None  # of a keeper: the server must end
        self._stopping = asyncio.Event()
        self._given: Settings  # to check
        self._checked = asyncio.Event()
        self._refusal: Exception | None = None
        self._settings: asyncio.Future[bytes]
        self._nobody_since = 0.0
        self.admin_link = ""  # the path and the token for the first admin, if there is none

    def start(self, settings: Settings) -> None:
        """Start the processes. The first checks the settings; all wait until they may serve."""
        loop = asyncio.get_running_loop()
        self._given = settings
        self._settings = loop.create_future()
        self._nobody_since = loop.time()
        self._slots = [WorkerSlot(str(number), self._settings) for number in range(1, settings.workers + 1)]
        self._slots[0].first = True
        for slot in self._slots:
            self._start_keeper(slot)

    def _start_keeper(self, slot: WorkerSlot) -> asyncio.Task[None]:
        keeper = asyncio.create_task(self._keep(slot))
        self._keepers.add(keeper)

        def done(_: object) -> None:
            self._keepers.discard(keeper)
            failure = None if keeper.cancelled() else keeper.exception()
            if failure is not None and slot in self._slots:
                self._failure = failure
                self._failed.set()

        keeper.add_done_callback(done)
        return keeper

    async def checked(self, stop: asyncio.Event) -> bool:
        """Wait until the first worker has accepted the settings; False if `stop` is set before."""
        await self._until(stop.wait(), self._checked.wait())
        return not stop.is_set()

    def configure(self, settings: Settings) -> None:
        """Send the settings, which lets the workers serve: the store is ready."""
        self._nobody_since = asyncio.get_running_loop().time()
        self._settings.set_result(worker_pipe.line_of(worker_pipe.Serve(settings)))

    async def ready(self, stop: asyncio.Event) -> bool:
        """Wait until all workers accept requests; False if `stop` is set before."""
        await self._until(stop.wait(), self._all_served())
        return not stop.is_set()

    async def _all_served(self) -> None:
        for slot in self._slots:
            await slot.served.wait()

    async def serve(self, stop: asyncio.Event) -> None:
        """Return when `stop` is set; raise CannotServe when no worker serves any more."""
        await self._until(stop.wait())

    async def _until(self, *conditions: Coroutine[Any, Any, object]) -> None:
        """Wait for the first of these conditions; raise if a worker cannot be kept running."""
        tasks = [asyncio.ensure_future(condition) for condition in (*conditions, self._failed.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
        if self._failure is not None:
            raise self._failure

    async def replace(self, settings: Settings) -> None:
        """Replace the workers: the old processes stop when all new ones accept requests.

        Raises CannotServe if a new process does not start. The old workers then continue, and the new ones
        that have started stop.
        """
        given: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        given.set_result(worker_pipe.line_of(worker_pipe.Serve(settings)))
        started: list[WorkerSlot] = []
        try:
            for old in self._slots:
                started.append(await self._started(WorkerSlot(old.name, given)))
        except BaseException:
            retire(started)
            raise
        before, self._slots = self._slots, started
        retire(before)

    async def _started(self, slot: WorkerSlot) -> WorkerSlot:
        """Start a process in a new slot and wait until it accepts requests."""
        keeper = self._start_keeper(slot)
        served = asyncio.create_task(slot.served.wait())
        try:
            await asyncio.wait((keeper, served), timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if slot.served.is_set():
                return slot
            if keeper.done():
                keeper.result()
            raise CannotServe(f"a new worker did not start within {START_SECONDS:.0f} s")
        except BaseException:
            keeper.cancel()
            raise
        finally:
            served.cancel()

    async def stop(self) -> None:
        """Let requests finish, then end all processes."""
        self._stopping.set()
        if not self._settings.done():
            self._settings.set_result(b"")
        self._signal(signal.SIGTERM)
        keepers = list(self._keepers)
        if not keepers:
            return
        _, late = await asyncio.wait(keepers, timeout=STOP_SECONDS)
        if late:
            log.warning("workers did not stop in time", count=len(self._processes))
            self.kill()
        await asyncio.gather(*keepers, return_exceptions=True)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def _keep(self, slot: WorkerSlot) -> None:
        """Keep a worker running in this slot; raise CannotServe if a restart would not help."""
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while not (self._stopping.is_set() or slot.retired):
            since = loop.time()
            try:
                code: int | None = await self._run(slot)
                reason = f"it ended with {code}"
            except Exception as trouble:  # no process, memory or file handle left: try again
                code, reason = None, repr(trouble)
            if slot.serves:
                slot.serves = False
                if not any(other.serves for other in self._slots):
                    self._nobody_since = loop.time()
            if self._stopping.is_set() or slot.retired:
                return
            if not slot.served.is_set() and code == worker_pipe.CANNOT_START:
                raise self._refusal or CannotServe("The server could not start; the log says why")
            if loop.time() - since >= SETTLED:
                pause = FIRST_PAUSE
            self._end_if_nobody_serves()
            log.error("worker died: restarting it", worker=slot.name, reason=reason, seconds=pause)
            self._totals.count("worker_restarts_total", 1, slot.name)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(pause * 2, LAST_PAUSE)

    def _end_if_nobody_serves(self) -> None:
        if any(slot.serves for slot in self._slots):
            return
        seconds = asyncio.get_running_loop().time() - self._nobody_since
        if seconds >= NOBODY_SECONDS:
            raise CannotServe(f"No worker has come up for {seconds:.0f} s; the log says why")

    async def _run(self, slot: WorkerSlot) -> int:
        """Run one worker process; returns its exit code."""
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
                    *(["first"] if slot.first and not slot.served.is_set() else []),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=(listener.fileno(), theirs.fileno()),
                    start_new_session=True,  # Ctrl-C reaches only the parent, which stops the workers
                )
            self._processes[process.pid] = slot.process = process
            try:
                if self._stopping.is_set() or slot.retired:
                    process.terminate()
                reader, writer = await asyncio.open_connection(sock=ours, limit=worker_pipe.LONGEST_LINE)
                unless_connected.pop_all()
                return await self._communicate(slot, process, reader, writer)
            finally:
                await self._reap(process)

    async def _communicate(
        self,
        slot: WorkerSlot,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> int:
        starting = asyncio.create_task(self._send_settings(slot, process, writer))
        try:
            with contextlib.suppress(OSError):  # it died before it had read everything: see its exit code
                while line := await reader.readline():
                    match worker_pipe.read_message(line):
                        case worker_pipe.Checked(warnings):
                            self._accept(warnings)
                        case worker_pipe.StartRefused(reason, wrong_settings):
                            self._refusal = SettingsError(reason) if wrong_settings else CannotServe(reason)
                            return worker_pipe.CANNOT_START
                        case worker_pipe.Upgrading():
                            starting.cancel()
                        case worker_pipe.Ready(admin_link):
                            self.admin_link = admin_link or self.admin_link
                            starting.cancel()
                            slot.serves = True
                            slot.served.set()
                        case Increments() as increments:
                            self._totals.add(increments, slot.name)
                        case worker_pipe.AskMetrics(history):
                            writer.write(worker_pipe.line_of(await self._metrics(history=history)))
            return await process.wait()
        finally:
            starting.cancel()
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _metrics(self, *, history: bool) -> str:
        if history:
            return msgspec.json.encode(self._totals.minutes()).decode()
        return (await self._totals.text()).decode()

    def _accept(self, warnings: list[dict[str, str]]) -> None:
        if not self._checked.is_set():
            self._checked.set()
            for warning in warnings:
                log.warning("unsafe store", **warning)

    async def _send_settings(
        self, slot: WorkerSlot, process: asyncio.subprocess.Process, writer: asyncio.StreamWriter
    ) -> None:
        """Let the first worker check the settings, and all serve when the store is ready; kill a late one."""
        if slot is self._slots[0] and not slot.settings.done():
            writer.write(worker_pipe.line_of(worker_pipe.Check(self._given)))
        writer.write(await asyncio.shield(slot.settings))
        await asyncio.sleep(START_SECONDS)
        log.error("worker does not start in time: killing it", worker=slot.name, seconds=START_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    async def _reap(self, process: asyncio.subprocess.Process) -> None:
        """Never leave a process behind that is not watched."""
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        del self._processes[process.pid]
