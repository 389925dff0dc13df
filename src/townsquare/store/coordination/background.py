"""Background work of a server: effects and jobs that a crash left behind, and periodic work of services."""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from townsquare.keyspace import Role
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.keys import BACKGROUND_LEASE_SECONDS, lease
from townsquare.tasks import cancel_tasks

if TYPE_CHECKING:
    from townsquare.store.coordination.jobs import Jobs
    from townsquare.store.store import Store

log = get_logger()

Work = Callable[[], Awaitable[object]]

JOBS_LEASE = "jobs"  # held by one process of the running servers
SWEEP_SECONDS = 2.0
JOB_SECONDS = 2.0


class Lease:
    """A lease that one process holds at a time and renews; it expires after a crash."""

    def __init__(self, store: "Store", name: str) -> None:
        self._store = store
        self._key = lease(name)
        self._token = secrets.token_hex(8)

    async def take(self) -> bool:
        """Take the lease if it is free, renew it if it is ours."""
        if await self._store.call("SET", self._key, self._token, "NX", "EX", BACKGROUND_LEASE_SECONDS):
            return True
        holder, left = await self._store.pipeline([("GET", self._key), ("TTL", self._key)])
        ours: bool = holder == self._token.encode()
        if ours or left > BACKGROUND_LEASE_SECONDS:  # it lasts too long if the clock of Redis was set back
            await self._store.call("EXPIRE", self._key, BACKGROUND_LEASE_SECONDS)
        return ours

    async def keep(self) -> None:
        """Renew the lease until cancelled: for work that may take longer than it lasts."""
        while True:
            await asyncio.sleep(BACKGROUND_LEASE_SECONDS / 3)
            with contextlib.suppress(Unavailable, OutcomeUnknown):
                await self.take()

    async def give_back(self) -> None:
        if await self._store.call("GET", self._key) == self._token.encode():
            await self._store.call("DEL", self._key)


class Background:
    """The sweeper and the job runner; over all processes, one of each at a time."""

    def __init__(self, store: "Store", jobs: "Jobs") -> None:
        self._store = store
        self._jobs = jobs
        self._tasks: list[asyncio.Task[None]] = []
        self._own: list[tuple[float, Work]] = []
        self._alone: list[tuple[float, str, Work]] = []

    def in_every_process(self, seconds: float, work: Work) -> None:
        """Run `work` periodically in every process, such as writing its counters."""
        self._own.append((seconds, work))

    def in_one_process(self, seconds: float, name: str, work: Work) -> None:
        """Run `work` periodically in one process at a time, such as sending mails that are due."""
        self._alone.append((seconds, name, work))

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` once; `stop` cancels it."""
        task = asyncio.create_task(work)
        self._tasks.append(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task in self._tasks:
            self._tasks.remove(task)

    def start(self) -> None:
        self._every(JOB_SECONDS, JOBS_LEASE, self._jobs.run_open)
        if self._store.role_stores[Role.DATA].layout.clustered:
            self._every(SWEEP_SECONDS, "sweeper", self._store.effects.sweep)
        for seconds, name, work in self._alone:
            self._every(seconds, name, work, keeps=True)
        for seconds, work in self._own:
            self._tasks.append(asyncio.create_task(self._repeat(seconds, work)))

    def _every(self, seconds: float, name: str, work: Work, *, keeps: bool = False) -> None:
        lease = Lease(self._store, name)
        if keeps:
            work = keeping(lease, work)
        self._tasks.append(asyncio.create_task(self._repeat_alone(seconds, lease, work)))

    async def _repeat_alone(self, seconds: float, lease: Lease, work: Work) -> None:
        async def work_if_ours() -> None:
            if await lease.take():
                await work()

        try:
            await self._repeat(seconds, work_if_ours)
        finally:
            with contextlib.suppress(Unavailable, OutcomeUnknown):
                await lease.give_back()

    async def _repeat(self, seconds: float, work: Work) -> None:
        while True:
            try:
                await work()
            except (Unavailable, OutcomeUnknown):
                pass  # the store is unreachable, which is logged elsewhere
            except Exception:
                log.exception("background work failed")
            await asyncio.sleep(seconds)

    async def stop(self) -> None:
        await cancel_tasks([*self._tasks])
        self._tasks.clear()


def keeping(lease: Lease, work: Work) -> Work:
    """The same work, with the lease renewed meanwhile."""

    async def keeps() -> None:
        renewing = asyncio.create_task(lease.keep())
        try:
            await work()
        finally:
            renewing.cancel()

    return keeps
