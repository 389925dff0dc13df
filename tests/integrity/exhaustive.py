"""The check without a first look: every question that any key raises, asked one by one. Slow and sure.

What it finds is what `check` must find, on a store that nobody writes to.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from townsquare.integrity.concerns import Concerns, concerns
from townsquare.integrity.confirm import Confirmed, Witness
from townsquare.integrity.copies import CountsRight, MirrorsRight
from townsquare.integrity.derived import lead
from townsquare.integrity.findings import FindingKind, Report
from townsquare.integrity.membership import BelongsThere, wanted
from townsquare.integrity.ownership import HasItsOwner, PointsToItsOwner, indexes_of
from townsquare.integrity.pairs import HasItsInverse, HasNoInverse
from townsquare.integrity.questions import Question
from townsquare.integrity.reads import Ground, Unknown, raw
from townsquare.integrity.records import Unreadable, as_text, is_hash, record_of, record_read
from townsquare.integrity.single import (
    Decodes,
    HasItsType,
    HasNoStrangeFields,
    HasRequiredFields,
    IsDeclared,
    Lives,
)
from townsquare.keyspace import AnyKey, Role, kinds
from townsquare.store.coordination.claims import SHARED_CLAIM_MS
from townsquare.store.store import Store
from townsquare.store.wire.connection import ReplyError

Found = set[tuple[FindingKind, str, str]]
COUNTDOWN = re.compile(r"ends in \d+ s")


def findings(report: Report) -> Found:
    return {(one.kind, one.key, COUNTDOWN.sub("ends", one.says)) for one in report.findings}


async def exhaustive(store: Store) -> Found:
    ground = Ground(store)
    witness = Witness(ground)
    found: Found = set()
    async for question in questions(ground):
        verdict = await witness.confirm(question)
        if isinstance(verdict, Confirmed):
            fault = verdict.fault
            name = raw(ground.name(fault.target)).decode(errors="backslashreplace")
            found.add((fault.kind, name, COUNTDOWN.sub("ends", fault.says)))
    return found


async def questions(ground: Ground) -> AsyncIterator[Question]:
    store = ground.store
    parts = concerns(store.registry)
    claim_ms = SHARED_CLAIM_MS if store.sides[Role.DATA].layout.clustered else -1
    for role, side in store.sides.items():
        names = {name async for batch in store.scan(role) for name in batch}
        for name in sorted(names):
            key = store.registry.parse(name, side.layout)
            if key is None or key.declared.role is not role:
                yield IsDeclared(Unknown(role, name))
                continue
            concern = parts[key.declared]
            for question in about(key, concern, claim_ms):
                yield question
            (reply,) = await ground.read([record_read(key)])
            for question in told_by(key, reply, parts, claim_ms):
                yield question
            if concern.walked:
                for member in await members(store, key):
                    for question in held_by(key, member, concern):
                        yield question


def about(key: AnyKey, concern: Concerns, claim_ms: int) -> Iterator[Question]:
    kind = key.declared.kind
    yield Lives(key, claim_ms if concern.index else -1)
    if kind is kinds.ANY:
        return
    yield HasItsType(key, concern.derived)
    if is_hash(key.declared):
        if kind.custom_fields is None:
            yield HasNoStrangeFields(key)
        yield HasRequiredFields(key, concern.filled)
    elif kind.read or kind is kinds.HYPERLOGLOG:
        yield Decodes(key)
    yield from (CountsRight(counts, key) for counts in concern.counts)
    yield from (MirrorsRight(mirrors, key) for mirrors in concern.mirrors)
    yield from (HasItsOwner(owns, key) for owns in concern.owned)
    if concern.index:
        yield PointsToItsOwner(concern.index, key, None, claim_ms)


def told_by(key: AnyKey, reply: Any, parts: dict[Any, Concerns], claim_ms: int) -> Iterator[Question]:
    if isinstance(reply, ReplyError):
        return
    try:
        record = record_of(key, reply)
    except Unreadable:
        return
    if record is None:
        return
    for indexed in parts[key.declared].indexed:
        for index in readable(indexes_of, indexed, key, record):
            yield PointsToItsOwner(parts[index.declared].index, index, key, claim_ms)
    for placed in parts[key.declared].placed:
        member = as_text(key.params[placed.member]).encode()
        for collection in readable(wanted, placed, key, record):
            yield BelongsThere(parts[collection.declared].holds, collection, member)


def readable(rule: Callable[..., Iterable[AnyKey]], *given: Any) -> list[AnyKey]:
    try:
        return list(rule(*given))
    except Unreadable:
        return []


async def members(store: Store, key: AnyKey) -> list[bytes]:
    try:
        if key.declared.kind is kinds.SORTED_SET:
            return list(await store.call("ZRANGE", key, 0, -1))
        return list(await store.call("SMEMBERS", key))
    except ReplyError:
        return []


def held_by(key: AnyKey, member: bytes, concern: Concerns) -> Iterator[Question]:
    if concern.holds:
        yield BelongsThere(concern.holds, key, member)
    for pair in concern.left:
        right = lead(pair.right, pair.right.names[0])(member, {})
        yield HasItsInverse(pair, key, right) if right else HasNoInverse(key, member, derived=False)
    for pair in concern.right:
        if pair.left is not pair.right:
            left = lead(pair.left, pair.left.names[0])(member, {})
            yield HasItsInverse(pair, left, key) if left else HasNoInverse(key, member, derived=True)
