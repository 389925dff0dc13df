"""Propagation of account changes to the other services: a job, started by the script that writes the change.

An account has at most one such job. It updates each service from its last snapshot of the account to the
current one, and ends when all services are up to date, including later changes. A step that has begun is
repeated with the same two snapshots until it succeeds, also by another process after a crash.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.keyspace import carried_bucket, mint_id
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import User
from townsquare.services.accounts.scripts import FinishUpdate, NoteUpdate, ReopenUpdate
from townsquare.services.events import RequestedName, UpdateRefused, UserSnapshot
from townsquare.store.coordination.jobs import Jobs, Outcome
from townsquare.store.store import Store

PATIENCE = 2.0  # seconds that a change waits for the other services

Seen = UserSnapshot | None  # None: the service has, or will have, no data of the user
Apply = Callable[[Seen, Seen], Awaitable[int]]
CheckName = Callable[[RequestedName], Awaitable[None]]


at_work_on: ContextVar[str] = ContextVar("at_work_on")  # the job whose step is running


class Progress(msgspec.Struct, frozen=True):
    """The snapshot that a service has of an account, and the one that it is applying."""

    known: Seen
    next: Seen | UnsetType = UNSET


class ServiceUpdates:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        self._services: dict[str, Apply] = {}
        self._name_checks: list[CheckName] = []
        jobs.register(keys.UPDATE_SERVICES_JOB, self._step)

    def register(self, service: str, apply: Apply, check_name: CheckName | None) -> None:
        self._services[service] = apply
        if check_name:
            self._name_checks.append(check_name)

    async def check_name(self, wanted: RequestedName) -> None:
        """Check a username before the write; an error of a service is raised and nothing is written."""
        for check in self._name_checks:
            await check(wanted)

    async def wait(self, job: str) -> Outcome:
        """Wait a moment until the services have applied a change, unless a service makes the change."""
        if at_work_on.get("") == job:
            return "open"
        return await self._jobs.run_within(job, PATIENCE)

    async def open_job(self, id: str) -> str | None:
        """The open update job of an account, if there is one."""
        job = await self._store.call("HGET", keys.user_update(id), "job")
        return None if job is None else str(job.decode())

    async def reopen(self, id: str) -> str:
        """Make all services apply an account again; returns the job."""
        return await self._store.run(ReopenUpdate(id=id, found="", job=new_job(id)))

    async def _step(self, args: dict[str, Any]) -> int:
        token = at_work_on.set(args["job"])
        try:
            return await self._advance_all(args["id"], args["job"])
        finally:
            at_work_on.reset(token)

    async def _advance_all(self, id: str, job: str) -> int:
        """Advance each service by one step. A failure of one does not stop the others."""
        text, kept = await self._store.pipeline(
            [("GET", keys.user(id)), ("HGETALL", keys.user_update(id))]  # bounded: a field for each service
        )
        if text is None or kept.get(b"job") != job.encode():
            return await self._finish(id, job, 0)
        user = msgspec.json.decode(text, type=User)
        left, failure = 0, None
        for service, apply in self._services.items():
            try:
                left += await self._advance(service, apply, user, job, kept)
            except Exception as error:
                failure = failure or error
        if failure and not left:
            raise failure
        return left or await self._finish(id, job, user.version)

    async def _advance(
        self, service: str, apply: Apply, user: User, job: str, kept: dict[bytes, bytes]
    ) -> int:
        """One step of one service; 0 if it is up to date."""
        text, current = kept.get(field_of(service).encode(), b""), seen_by(service, snapshot(user))
        progress = msgspec.json.decode(text, type=Progress) if text else first_progress(service, kept)
        known = progress.known
        if progress.next is not UNSET:
            upcoming = progress.next
        elif known == current:
            return 0
        else:
            upcoming, begun = current, Progress(known, current)
            if not await self._note(service, user.id, job, text, begun):
                return 1
            text = msgspec.json.encode(begun)
        try:
            done = await apply(known, upcoming)
        except UpdateRefused:
            await self._note(service, user.id, job, text, Progress(known))
            raise
        if done or not await self._note(service, user.id, job, text, Progress(upcoming)):
            return done or 1
        return 0 if upcoming == current else 1

    async def _note(self, service: str, id: str, job: str, before: bytes, after: Progress) -> bool:
        return await self._store.run(
            NoteUpdate(
                id=id,
                job=job,
                field=field_of(service),
                before=before.decode(),
                after=msgspec.json.encode(after).decode(),
            )
        )

    async def _finish(self, id: str, job: str, version: int) -> int:
        finished = await self._store.run(FinishUpdate(id=id, job=job, version=version))
        return 0 if finished else 1


def update_start(before: User | None, after: User) -> dict[str, str | None]:
    """The script inputs that start the job; empty if the change does not concern the services."""
    known, upcoming = before and snapshot(before), snapshot(after)
    return {
        "job": None if known == upcoming else new_job(after.id),
        "known": msgspec.json.encode(known).decode(),
        "upcoming": msgspec.json.encode(upcoming).decode(),
    }


def new_job(id: str) -> str:
    return mint_id(carried_bucket(id))


def snapshot(user: User) -> Seen:
    """The data that other services see; None for a device that has not signed up."""
    if not user.registered:
        return None
    return UserSnapshot(
        id=user.id,
        username=user.username,
        role=user.role.value,
        display_name=user.display_name,
        avatar=user.avatar,
        links=user.links,
        created_at=user.created_at,
        left=user.left,
        notices_off=user.notices_off,
    )


def seen_by(service: str, user: Seen) -> Seen:
    return None if user is None or service in user.left else user


def field_of(service: str) -> str:
    return f"service:{service}"


def first_progress(service: str, kept: dict[bytes, bytes]) -> Progress:
    """The progress of a service before its first step in this job."""
    known = seen_by(service, msgspec.json.decode(kept[b"known"], type=Seen))
    if b"next" not in kept:
        return Progress(known)
    upcoming = seen_by(service, msgspec.json.decode(kept[b"next"], type=Seen))
    return Progress(known) if upcoming == known else Progress(known, upcoming)
