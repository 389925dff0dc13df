"""What other services must do because an account has changed: a job, started in the script of the change.

There is one job for an account at a time. It brings each service from what that knows of the account to
what the account is now, and does not end before all are there: changes that come meanwhile are taken in by
the same job. A step that has begun is repeated with the same two snapshots until it is done, also by
another process after a crash.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.keyspace import carried_bucket, mint_id
from townsquare.services.accounts import keys
from townsquare.services.accounts.models import User
from townsquare.services.accounts.scripts import FinishUpdate, NoteUpdate, ReopenUpdate
from townsquare.services.events import NameWanted, UpdateRefused, UserSnapshot
from townsquare.store.coordination.jobs import Jobs, Outcome
from townsquare.store.store import Store

PATIENCE = 2.0  # seconds that whoever changes an account waits for the other services

Seen = UserSnapshot | None  # None: the service has nothing of the user, or shall have nothing
Apply = Callable[[Seen, Seen], Awaitable[int]]
CheckName = Callable[[NameWanted], Awaitable[None]]


at_work_on: ContextVar[str] = ContextVar("at_work_on")  # the job whose step runs here


class Progress(msgspec.Struct, frozen=True):
    """What a service knows of an account, and what it is at work on."""

    known: Seen
    next: Seen | UnsetType = UNSET


class UpdateStart(NamedTuple):
    """What a script that changes an account needs to start the job; no job if nobody need hear of it."""

    job: str | None
    known: str
    upcoming: str


class ServiceUpdates:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        self._services: dict[str, Apply] = {}
        self._name_checks: list[CheckName] = []
        jobs.register(keys.UPDATE_SERVICES_JOB, self._step)

    def register(self, service: str, apply: Apply, check_name: CheckName | None) -> None:
        """Let a service follow the accounts."""
        self._services[service] = apply
        if check_name:
            self._name_checks.append(check_name)

    async def check_name(self, wanted: NameWanted) -> None:
        """Before the write: what a service raises is the caller's answer, and nothing is written."""
        for check in self._name_checks:
            await check(wanted)

    async def wait(self, job: str) -> Outcome:
        """Give the services a moment to take in a change; not if one of them makes the change."""
        if at_work_on.get("") == job:
            return "open"
        return await self._jobs.run_within(job, PATIENCE)

    async def open_job(self, id: str) -> str | None:
        """The job by which services take in the last changes of an account, if they have not yet."""
        job = await self._store.call("HGET", keys.user_update(id), "job")
        return None if job is None else str(job.decode())

    async def reopen(self, id: str) -> str:
        """Let the services look at an account once more, whatever they know of it; answers the job."""
        return await self._store.run(ReopenUpdate(id=id, found="", job=new_job(id)))

    async def _step(self, args: dict[str, Any]) -> int:
        token = at_work_on.set(args["job"])
        try:
            return await self._advance_all(args["id"], args["job"])
        finally:
            at_work_on.reset(token)

    async def _advance_all(self, id: str, job: str) -> int:
        """Bring each service one step on. One that fails does not keep the others from it."""
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
        """One step of one service; 0 when it knows the account as it is."""
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


def update_start(before: User | None, after: User) -> UpdateStart:
    known, upcoming = before and snapshot(before), snapshot(after)
    job = None if known == upcoming else new_job(after.id)
    return UpdateStart(job, msgspec.json.encode(known).decode(), msgspec.json.encode(upcoming).decode())


def new_job(id: str) -> str:
    return mint_id(carried_bucket(id))


def snapshot(user: User) -> Seen:
    """What other services see; nothing of a device that has not signed up."""
    if not user.registered:
        return None
    return UserSnapshot(
        id=user.id,
        username=user.username,
        role=user.role.value,
        avatar=user.avatar,
        links=user.links,
        created_at=user.created_at,
        left=user.left,
    )


def seen_by(service: str, user: Seen) -> Seen:
    return None if user is None or service in user.left else user


def field_of(service: str) -> str:
    return f"service:{service}"


def first_progress(service: str, kept: dict[bytes, bytes]) -> Progress:
    """Of a service that has done nothing yet in this job."""
    known = seen_by(service, msgspec.json.decode(kept[b"known"], type=Seen))
    if b"next" not in kept:
        return Progress(known)
    upcoming = seen_by(service, msgspec.json.decode(kept[b"next"], type=Seen))
    return Progress(known) if upcoming == known else Progress(known, upcoming)
