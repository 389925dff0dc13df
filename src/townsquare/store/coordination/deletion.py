"""Deletes a record with all keys that belong to it and all references to it, as declared.

One script deletes a bounded share. A small record is deleted by the first share. For a larger one, the first
share marks the record, and a job deletes the rest in further shares, also after a crash. A service writes a
script of its own only for special cases (`Deletes: …` in its header), and can register work that precedes the
deletion (`before`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from townsquare.keyspace import AnyDeclared, AnyKey, DeclarationError, mint_id
from townsquare.keyspace.deletion import NamedElsewhere, OtherSide, Plan, plans_of
from townsquare.problems import NotFound
from townsquare.store.scripts.deletion import MARK, DeletionShare, is_mark, job_kind
from townsquare.store.scripts.folder import folder_of

if TYPE_CHECKING:
    from townsquare.store.commands import Command
    from townsquare.store.coordination.jobs import Jobs
    from townsquare.store.store import Store

CHILDREN_AT_ONCE = 5  # records that are deleted at the same time with the one that they belong to
SHARE_OF_SCRIPTS = 20  # members whose removal runs a script of another home: about a millisecond
SHARE_OF_EFFECTS = 50  # members that are taken out of a collection of another home
SHARE_OF_KEYS = 1_000  # keys of the record's own home: a few milliseconds

Begin = Callable[[AnyKey], Awaitable[str]]  # marks the record and answers the job that deletes it
GoesAlong = Callable[[AnyKey], Awaitable[list[AnyKey]]]
Before = Callable[[AnyKey], Awaitable[int]]  # does a bounded share of something; 0 when nothing is left to do


class Deletion:
    def __init__(self, store: "Store", jobs: "Jobs") -> None:
        self._store = store
        self._jobs = jobs
        self._before: dict[AnyDeclared, list[Before]] = {}
        self._begins: dict[AnyDeclared, Begin] = {}
        self._goes_along: dict[AnyDeclared, list[GoesAlong]] = {}
        self._plans = plans_of(store.registry)
        for record in self._plans:  # loaded now: their effects may be in an outbox since a crash
            folder_of(record, store.registry).load_deleter(record)
            jobs.register(job_kind(record), partial(self._step, record), rests=True)

    def before(self, record: AnyDeclared, share: Before, goes_along: GoesAlong | None = None) -> None:
        """Register work that precedes the deletion of such a record; `goes_along` lists what it deletes."""
        self._before.setdefault(record, []).append(share)
        if goes_along:
            self._goes_along.setdefault(record, []).append(goes_along)

    def begin_by(self, record: AnyDeclared, begin: Begin) -> None:
        """Register the function that marks such a record, if the mark alone does not close it."""
        self._begins[record] = begin

    async def goes_along(self, key: AnyKey) -> list[AnyKey]:
        """Records of other services that are deleted with this one."""
        found = [await list_records(key) for list_records in self._goes_along.get(key.declared, ())]
        return [record for some in found for record in some]

    def can_delete(self, record: AnyDeclared) -> bool:
        """Whether a deletion can be derived from its relations, or its service has a script for it."""
        if record not in self._plans:
            return False
        try:
            folder_of(record, self._store.registry).deleter_of(record)
        except DeclarationError:
            return False
        return True

    async def delete(self, key: AnyKey) -> None:
        """Delete the record and return when nothing of it is left."""
        job = await self.begin(key)
        if job:
            await self._jobs.run(job)

    async def begin(self, key: AnyKey) -> str:
        """The first share, or only the mark where more than a script is needed.

        Answers the job that does the rest, "" if nothing is left.
        """
        by_job = key.declared in self._before or self._plans[key.declared].children
        return await self._mark(key, 0 if by_job else self._chunk(key))

    async def _mark(self, key: AnyKey, chunk: int) -> str:
        begin = self._begins.get(key.declared)
        if begin:
            return await begin(key)
        return (await self._share(key, mint_id(key.bucket), chunk, begin=True)).job

    async def share(self, key: AnyKey) -> int:
        """One share of a deletion, which begins with it; 0 when there is no such record any more."""
        if is_mark(key.declared) and not await self._has_anything(key):
            return 0
        try:
            job = await self._mark(key, 0)
        except NotFound:
            return 0
        return await self._advance(key, job)

    async def _has_anything(self, key: AnyKey) -> bool:
        owned = [declared.of(key.params) for declared in self._plans[key.declared].owned]
        return any(await self._store.pipeline([("EXISTS", one) for one in (key, *owned)]))

    async def _step(self, record: AnyDeclared, args: dict[str, Any]) -> int:
        return await self._advance(record(*args["values"]), args["job"])

    async def _advance(self, key: AnyKey, job: str) -> int:
        for before in self._before.get(key.declared, ()):
            done = await before(key)
            if done:
                return done
        children = await self._some_children(key, job)
        if children:
            await asyncio.gather(*(self._delete_child(*child) for child in children))
            return len(children)
        return (await self._share(key, job, self._chunk(key), begin=False)).taken or 1

    async def _share(self, key: AnyKey, job: str, chunk: int, *, begin: bool) -> DeletionShare:
        record = key.declared
        script = folder_of(record, self._store.registry).deleter_of(record)
        (params,) = (use.params for use, _ in script.header.deletes if script.file.declared(use) is record)
        given = {
            **dict(zip(params, key.values, strict=True)),
            "kind": record.name,
            "job": job,
            "begin": begin,
            "chunk": chunk,
            "now": self._store.clock.now_ms(),
        }
        share: DeletionShare = await self._store.run_script(
            script, tuple(given.get(name) for name, _ in script.inputs)
        )
        return share

    def _chunk(self, key: AnyKey) -> int:
        return share_of(self._plans[key.declared])

    async def _some_children(self, key: AnyKey, job: str) -> list[tuple[AnyKey, AnyKey]]:
        """Records that belong to this one, with the collection that lists each, if this job deletes it."""
        children = self._plans[key.declared].children
        if not children:
            return []
        lists = [child.collection.of(key.params) for child in children]
        mark, *found = await self._store.pipeline(
            [read_mark(key), *(some_of(one, CHILDREN_AT_ONCE) for one in lists)]
        )
        if mark_in(mark) != job:
            return []
        return [
            (listed, child.record(member.decode()))
            for child, listed, members in zip(children, lists, found, strict=True)
            for member in members
        ]

    async def _delete_child(self, listed: AnyKey, key: AnyKey) -> None:
        """Delete a child completely, also a deletion in progress. Unlist a child that does not exist."""
        chunk = self._chunk(key)
        try:
            job = await self._mark(key, chunk)
        except NotFound:
            job = mark_in(await self._store.call(*read_mark(key)))
            if not job:
                await self._store.call("ZREM" if is_sorted(listed) else "SREM", listed, key.values[0])
        while job:
            job = (await self._share(key, job, chunk, begin=False)).job


def share_of(plan: Plan) -> int:
    """How many members one script may deal with."""
    steps = [step for emptied in plan.emptied for step in emptied.consequences]
    if any(isinstance(step, OtherSide | NamedElsewhere) and step.by_script for step in steps):
        return SHARE_OF_SCRIPTS
    return SHARE_OF_EFFECTS if any(isinstance(step, OtherSide) for step in steps) else SHARE_OF_KEYS


def read_mark(key: AnyKey) -> "Command":
    return ("HGET", key, MARK) if key.declared.kind.redis_type == "hash" else ("GET", key)


def mark_in(reply: bytes | None) -> str:
    """The job in a field of a hash, in a JSON record, or in a key that is only a mark."""
    if reply and reply.startswith(b"{"):
        return msgspec.json.decode(reply, type=dict[str, Any]).get(MARK) or ""
    return reply.decode() if reply else ""


def is_sorted(collection: AnyKey) -> bool:
    return collection.declared.kind.redis_type == "zset"


def some_of(collection: AnyKey, count: int) -> "Command":
    if is_sorted(collection):
        return ("ZRANGE", collection, 0, count - 1)
    return ("SRANDMEMBER", collection, count)
