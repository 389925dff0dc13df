"""Confirms a suspicion before it is reported, because other clients write during the check.

The same rule judges the row again, by itself. On one node one script reads everything atomically. On a
cluster the sides of a relation can be in different buckets, with effects between them not applied yet. There
a fault is confirmed if the outboxes of all these buckets were empty, two reads returned the same, and no
outbox got an entry in between. A home with an open job is between two states and is skipped.
"""

import asyncio
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from townsquare.integrity.findings import Fault
from townsquare.integrity.row_reader import own_reads
from townsquare.integrity.rules.rule import Row, Suspicion, faults
from townsquare.integrity.store_reader import READ, Column, Group, Read, StoreReader, plain, raw
from townsquare.keyspace import Key, Role
from townsquare.keyspace.buckets import carried_bucket
from townsquare.store.keys import jobs_open, outbox
from townsquare.store.wire.connection import Arg, ReplyError

OBSERVE = READ + (Path(__file__).parent / "lua" / "observe.lua").read_text()
ATTEMPTS = 12
PAUSE = 0.01  # seconds before the second attempt, doubled for each further one
LONGEST_PAUSE = 0.2
OPEN_JOBS = 10_000  # with more open jobs than this, every home counts as busy

MINTED = re.compile(rb"[0-9a-f-]{36}")


class Verdict(Enum):
    FINE = "fine"
    BUSY = "busy"


class Observed(NamedTuple):
    """Atomic reads of one group of keys."""

    digest: bytes
    reads: list[Read]
    replies: dict[Read, Any]


class Confirmed(NamedTuple):
    fault: Fault
    seen: dict[Group, Observed]


class Confirmer:
    def __init__(self, reader: StoreReader) -> None:
        self._reader = reader

    async def confirm(self, suspicion: Suspicion) -> Confirmed | Verdict:
        rule, row = suspicion
        reads = [*own_reads(rule, row.key), *reads_of(rule.reads([row]))]
        for attempt in range(ATTEMPTS):
            quiet = await self._outboxes(reads)
            seen, jobs = await self.observe(reads)
            fault, more = judge_again(suspicion, replies_in(seen))
            if more:
                reads += more
                continue
            if fault is None:
                return Verdict.FINE
            if not self._has_open_job(reads, jobs) and await self._is_unchanged(reads, quiet, seen):
                return Confirmed(fault, seen)
            await asyncio.sleep(min(PAUSE * 2**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1))
        return Verdict.BUSY

    async def observe(self, reads: Sequence[Read]) -> tuple[dict[Group, Observed], Any]:
        """Read each group atomically, and the open jobs; on one node in the same script."""
        groups: dict[Group, list[Read]] = defaultdict(list)
        for read in reads:
            groups[self._reader.group(read.target)].append(read)
        jobs_read = Read("ZRANGE", jobs_open(), (0, OPEN_JOBS))
        home = self._reader.group(jobs_open())
        if any(role is Role.DATA for role, _ in groups):
            groups.setdefault(home, [])
        seen: dict[Group, Observed] = {}
        jobs: Any = []
        for group in sorted(groups, key=lambda group: group == home):
            beside = [jobs_read] if group == home else []
            observed = await self._observe_group(groups[group], beside)
            jobs = observed.replies.pop(jobs_read, jobs)
            if groups[group]:
                seen[group] = observed
        return seen, jobs

    async def _observe_group(self, reads: list[Read], beside: list[Read]) -> Observed:
        everything = [*reads, *beside]
        target = everything[0].target
        names = unique_names(self._reader, everything)
        digest, replies = await self._reader.role_store(target).nodes.execute(
            self._reader.slot(target),
            "EVAL",
            OBSERVE,
            len(names),
            *names,
            len(reads),
            *spelled(self._reader, everything),
        )
        answers = (plain(read.verb, reply) for read, reply in zip(everything, replies, strict=True))
        return Observed(digest, reads, dict(zip(everything, answers, strict=True)))

    def _has_open_job(self, reads: Sequence[Read], jobs: Any) -> bool:
        if isinstance(jobs, ReplyError):
            return False
        busy = {carried_bucket(id.decode()) for id in jobs if MINTED.fullmatch(id)}
        return len(jobs) > OPEN_JOBS or any(
            isinstance(read.target, Key) and read.target.bucket in busy for read in reads
        )

    async def _outboxes(self, reads: Sequence[Read]) -> dict[str, bytes | None] | None:
        """The last entry id of each outbox; None if one still has entries."""
        buckets = sorted(
            {
                read.target.bucket
                for read in reads
                if isinstance(read.target, Key) and self._reader.clustered(read.target)
            }
        )
        data = self._reader.store.role_stores[Role.DATA]
        streams = [outbox(bucket) for bucket in buckets]
        replies = await data.nodes.execute_many(
            [(data.layout.slot(key), ("XINFO", "STREAM", data.layout.name(key))) for key in streams]
        )
        last: dict[str, bytes | None] = {}
        for bucket, reply in zip(buckets, replies, strict=True):
            if isinstance(reply, ReplyError):
                last[bucket] = None
            elif reply[b"length"]:
                return None
            else:
                last[bucket] = reply[b"last-generated-id"]
        return last

    async def _is_unchanged(
        self, reads: Sequence[Read], quiet: dict[str, bytes | None] | None, seen: dict[Group, Observed]
    ) -> bool:
        if quiet is None:
            return False
        if not quiet and len(seen) == 1:
            return True
        again, jobs = await self.observe(reads)
        unchanged = {g: o.digest for g, o in again.items()} == {g: o.digest for g, o in seen.items()}
        return unchanged and not self._has_open_job(reads, jobs) and await self._outboxes(reads) == quiet


def replies_in(seen: dict[Group, Observed]) -> dict[Read, Any]:
    return {read: reply for observed in seen.values() for read, reply in observed.replies.items()}


def judge_again(suspicion: Suspicion, known: Mapping[Read, Any]) -> tuple[Fault | None, list[Read]]:
    """The fault, given these replies; or the further reads that the judgement needs."""
    rule, before = suspicion
    own = own_reads(rule, before.key)
    row = Row(before.key, *(known[read] for read in own), entry=before.entry)
    columns = rule.reads([row])
    if unknown := [read for read in reads_of(columns) if read not in known]:
        return None, unknown
    found = faults(rule, [row], [[reply_to(column, known)] for column in columns])
    fault = next((fault for _, fault in found), None)
    while fault and fault.requires:
        required = [Read("EXISTS", key) for key in fault.requires]
        if unknown := [read for read in required if read not in known]:
            return None, unknown
        if all(known[read] for read in required):
            break
        fault = fault.otherwise
    return fault, []


def reads_of(columns: Sequence[Column]) -> list[Read]:
    return [read for column in columns if (read := column.read(0))]


def reply_to(column: Column, known: Mapping[Read, Any]) -> Any:
    read = column.read(0)
    return None if read is None else column.decoded(read.target, known[read])


def unique_names(reader: StoreReader, commands: Sequence[Any]) -> list[bytes]:
    return list(dict.fromkeys(raw(reader.name(command.target)) for command in commands))


def spelled(reader: StoreReader, commands: Sequence[Any]) -> list[Arg]:
    """Commands as arguments of a script: the length of each, then its words."""
    words: list[Arg] = []
    for command in commands:
        spelling = reader.command(command)
        words += [len(spelling), *spelling]
    return words
