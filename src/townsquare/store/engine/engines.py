"""The embedded default: one Valkey process per role, in a data folder."""

import asyncio
import contextlib
import fcntl
import logging
import os
import subprocess
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Literal, Self

import msgspec

from townsquare.roles import Role
from townsquare.settings import Settings
from townsquare.store.engine import watchdog
from townsquare.store.engine.folder import DataFolder, DataFolderInUse, EngineError
from townsquare.store.engine.process import Engine, EngineFailed, EngineHealth
from townsquare.tasks import cancel_tasks

log = logging.getLogger(__name__)

Durability = Literal["everysec", "always"]

FIRST_RESTART = 0.05
LAST_RESTART = 1.0  # the longest pause between two restarts
SETTLED = 10.0  # after a life of this length the next pause is FIRST_RESTART again
POLL = 0.05
GUEST_PATIENCE = 20.0  # the owner may still be starting the engines, or stopping them
BOTH = (Role.DATA, Role.CACHE)
COMPACT = {  # larger records and collections stay in one allocation (docs/decisions/100)
    "hash-max-listpack-value": "4096",  # bytes: texts, user agents
    "zset-max-listpack-value": "512",  # bytes: notifications
    "zset-max-listpack-entries": "256",
    "set-max-listpack-entries": "512",
    "stream-node-max-bytes": "1024",  # allocated for the first live event of a page
}
CHECK_SECONDS = 0.25
RESERVE = 64 * 1024 * 1024  # bytes: more than is written between two checks
RESERVED_SHARE = 20  # of a small disk: at most one twentieth


class Engines:
    """The engines of one data folder. One process owns them; others use them as guests."""

    def __init__(
        self,
        folder: Path | str,
        *,
        durability: Durability = "everysec",
        cache_memory: str = "450mb",
        roles: Iterable[Role] = BOTH,
        snapshot: str = "",
    ) -> None:
        """With `snapshot`, the data engine loads this RDB file of its folder and stores nothing."""
        self._folder = DataFolder(folder)
        options = {
            Role.DATA: {
                "appendonly": "yes",
                "appendfsync": durability,
                "aof-load-truncated": "yes",  # a crash can leave half a command at the end of the file
                "maxmemory": "0",
                "maxmemory-policy": "noeviction",
                **COMPACT,
            },
            Role.CACHE: {
                "appendonly": "no",
                "appendfsync": "no",
                "maxmemory": cache_memory,
                "maxmemory-policy": "volatile-lru",
            },
        }
        if snapshot:
            options[Role.DATA] |= {"appendonly": "no", "dbfilename": snapshot}
        self._engines = {role: Engine(self._folder, role, options[role]) for role in roles}
        self._supervisors: list[asyncio.Task[None]] = []
        self._watchdog: subprocess.Popen[bytes] | None = None

    def url(self, role: Role | str) -> str:
        return f"unix://{self._engines[Role(role)].address.path}"

    def health(self) -> dict[Role, EngineHealth]:
        return {role: engine.health() for role, engine in self._engines.items()}

    async def start(self, *, patience: float = 0.0) -> None:
        """Own the folder and run its engines, or raise `DataFolderInUse`.

        Waits up to `patience` seconds for another owner to finish, such as a command. If this process is
        killed, the engines continue, and the next owner adopts them.
        """
        await self._own(patience)
        await self._run()

    async def _run(self) -> None:
        data = self._engines.get(Role.DATA)
        if data:
            data.takes_writes = has_room(self._folder.path)
        try:
            outcomes = await asyncio.gather(
                *(engine.start() for engine in self._engines.values()), return_exceptions=True
            )
            for outcome in outcomes:
                if isinstance(outcome, BaseException):
                    raise outcome
        except BaseException:
            await self.stop()
            raise
        self._supervisors = [
            asyncio.create_task(self._supervise(engine), name=f"townsquare-{role}-engine")
            for role, engine in self._engines.items()
        ]
        if data:
            watching = watch_disk(self._folder.path, data)
            self._supervisors.append(asyncio.create_task(watching, name="townsquare-disk"))

    async def stop(self) -> None:
        """Stop the engines cleanly and release the folder. Does nothing for a guest."""
        if not self._folder.ownership.held:
            return
        await cancel_tasks(self._supervisors)
        self._supervisors = []
        try:
            await asyncio.gather(*(engine.stop() for engine in self._engines.values()))
        finally:
            if self._watchdog is not None:
                self._watchdog.kill()
                self._watchdog.communicate()
                self._watchdog = None
            self._folder.disown()

    @contextlib.asynccontextmanager
    async def visit(self) -> AsyncIterator[Self]:
        """Use the engines that run here, or run them as long as this context is open.

        If this process is killed, a watchdog stops the engines, unless another process has become the owner.
        """
        owner = await self._enter()
        try:
            yield self
        finally:
            if owner:
                await self._see_guests_off()
                await self.stop()
            self._folder.guests.release()

    async def _enter(self) -> bool:
        """True if we have become the owner, False if we are a guest."""
        deadline = asyncio.get_running_loop().time() + GUEST_PATIENCE
        while True:
            try:
                await self._own(0.0)
                self._start_watchdog()
                await self._run()
                return True
            except DataFolderInUse as occupied:
                owner = occupied
            if self._folder.guests.take(fcntl.LOCK_SH):
                answers = await asyncio.gather(*(engine.answers() for engine in self._engines.values()))
                if all(answers):
                    return False
                self._folder.guests.release()
            if asyncio.get_running_loop().time() > deadline:
                raise EngineFailed(f"{owner}. Its engines do not respond") from None
            await asyncio.sleep(POLL)

    async def _see_guests_off(self) -> None:
        """Wait until no guest is left, and admit no other."""
        logged = False
        while not self._folder.guests.take():
            if not logged:
                logged = True
                log.info("Another command uses the engines that this one started: waiting for it")
            await asyncio.sleep(POLL)

    def _start_watchdog(self) -> None:
        from multiprocessing.spawn import get_executable  # a server does not need it

        python = os.fsdecode(get_executable() or "python3")  # not sys.executable: that may be a web server
        command = [python, "-I", "-S", watchdog.__file__, str(self._folder.path), str(os.getpid())]
        try:
            self._watchdog = subprocess.Popen(
                [*command, *self._engines],
                stdin=subprocess.PIPE,  # the watchdog reads its end, which is our end
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a signal to our process group must not reach it
            )
        except OSError as error:
            log.warning("If this process is killed, its engines continue: %s: %s", python, error)

    async def _own(self, patience: float) -> None:
        self._folder.prepare()
        deadline = asyncio.get_running_loop().time() + patience
        while True:
            try:
                return self._folder.own()
            except DataFolderInUse:
                if asyncio.get_running_loop().time() >= deadline:
                    raise
            await asyncio.sleep(POLL)

    async def _supervise(self, engine: Engine) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_RESTART
        while True:
            since = loop.time()
            try:
                await engine.gone()
            except OSError as error:  # such as no free file handle: check again later
                log.error("The %s engine cannot be watched right now: %s", engine.role, error)
                await asyncio.sleep(LAST_RESTART)
                continue
            log.error("The %s engine died: restarting it", engine.role)
            if loop.time() - since >= SETTLED:
                pause = FIRST_RESTART
            while True:
                await asyncio.sleep(pause)
                pause = min(pause * 2, LAST_RESTART)
                try:
                    await engine.start()
                    break
                except (EngineError, OSError) as error:
                    log.error("The %s engine cannot be restarted yet: %s", engine.role, error)
            engine.restarts += 1


def embedded(settings: Settings) -> Engines | None:
    """The engines of the roles that have no URL in the settings."""
    missing = [role for role, url in urls_of(settings).items() if not url]
    if not missing:
        return None
    return Engines(
        settings.data_dir, durability=settings.durability, cache_memory=settings.cache_memory, roles=missing
    )


def located(settings: Settings, engines: Engines | None) -> Settings:
    """The settings with a URL for every role."""
    if engines is None:
        return settings
    urls = {role: url or engines.url(role) for role, url in urls_of(settings).items()}
    return msgspec.structs.replace(settings, data_url=urls[Role.DATA], cache_url=urls[Role.CACHE])


def urls_of(settings: Settings) -> dict[Role, str]:
    return {Role.DATA: settings.data_url, Role.CACHE: settings.cache_url}


def has_room(folder: Path) -> bool:
    disk = os.statvfs(folder)
    reserve = min(RESERVE, disk.f_blocks * disk.f_frsize // RESERVED_SHARE)
    return disk.f_bavail * disk.f_frsize > reserve


async def watch_disk(folder: Path, engine: Engine) -> None:
    """Let the engine accept writes while there is space; log when that changes.

    With `durability = "always"` an engine exits when it cannot write its file, and then reads fail too.
    """
    configured = True
    while True:
        try:
            room = has_room(folder)
        except OSError as error:
            log.error("The free space on the disk of %s is unknown: %s", folder, error)
            room = True
        if room and not engine.takes_writes:
            log.warning("The disk of %s has space again: writes are accepted", folder)
        elif engine.takes_writes and not room:
            log.error("The disk of %s is full: writes are refused until there is space", folder)
        if not (room and engine.takes_writes and configured):
            configured = await engine.take_writes(room)
        await asyncio.sleep(CHECK_SECONDS)
