"""What points to a record, and what is nothing without one: indexes and owned keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from townsquare.integrity.derived import derived_keys, lead, readily_derived, sibling
from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Ground, Read, is_error
from townsquare.integrity.records import as_text, readable, record_of, record_read, record_verb
from townsquare.integrity.survey import Sighting, Survey
from townsquare.keyspace import AnyKey, Indexes, Owns, Record


@dataclass(frozen=True)
class PointsToItsOwner:
    """One index: it points to the one owner whose record has its value."""

    relations: tuple[Indexes, ...]  # all that fill this index
    index: AnyKey
    candidate: AnyKey | None  # a record that seems to have the value
    claim_ms: int  # an index this close to its end is a claim on its way

    def ask(self) -> Inquiry:
        held, left = yield [Read("GET", self.index), Read("PTTL", self.index)]
        if 0 <= left <= self.claim_ms:
            return None
        records = self._records(held)
        held, *replies = yield [Read("GET", self.index), *(record_read(key) for key in records)]
        owners = {
            owner
            for key, reply in zip(records, replies, strict=True)
            if (owner := self._owner(key, reply)) is not None
        }
        if len(owners) > 1:
            both = " and ".join(sorted(owners))
            return Fault(
                FindingKind.INDEXES, self.index, f"{both} both have its value", why_not="only one can keep it"
            )
        return self._verdict(held, next(iter(owners), None))

    def _records(self, held: bytes | None) -> list[AnyKey]:
        """Every record that may have the value: who the index points to, and the candidate."""
        found = [self.candidate]
        if held is not None:
            params = self.index.params
            found += [lead(one.record, one.owner)(held, params) for one in self.relations]
        return [key for key in dict.fromkeys(found) if key is not None]

    def _owner(self, key: AnyKey, reply: Any) -> str | None:
        """Whom the index should point to, if this record has its value."""
        record = record_of(key, reply)
        if record is None:
            return None
        for relation in self.relations:
            if relation.record is key.declared and self.index in indexes_of(relation, key, record):
                return as_text(key.params[relation.owner])
        return None

    def _verdict(self, held: bytes | None, owner: str | None) -> Fault | None:
        if held == (None if owner is None else owner.encode()):
            return None
        now = "does not exist" if held is None else f"points to {held.decode(errors='backslashreplace')!r}"
        if owner is None:
            says = f"{now}, which does not have its value"
            return Fault(FindingKind.INDEXES, self.index, says, Write("DEL", self.index), "deleted")
        ends = self.index.declared.lifetime.seconds
        args = (owner,) if ends is None else (owner, "EX", ends)
        return Fault(
            FindingKind.INDEXES,
            self.index,
            f"{now}, should point to {owner!r}",
            Write("SET", self.index, args),
            f"pointed to {owner!r}",
        )


def look_at_indexes(
    ground: Ground, relations: Sequence[Indexes], sightings: Sequence[Sighting], claim_ms: int
) -> Survey:
    """From indexes to the records that they point to."""
    held = [
        (seen.key, seen.value)
        for seen in sightings
        if isinstance(seen.value, bytes) and not 0 <= seen.left <= claim_ms
    ]
    pointed: list[tuple[int, Indexes, AnyKey]] = [
        (place, relation, key)
        for relation in relations
        for place, (index, owner) in enumerate(held)
        if (key := lead(relation.record, relation.owner)(owner, index.params))
    ]
    columns = yield [
        ground.column(record_verb(relation.record), [key for _, its, key in pointed if its is relation])
        for relation in relations
    ]
    owners: list[set[bytes]] = [set() for _ in held]
    for (place, relation, key), reply in zip(pointed, chain(*columns), strict=True):
        record = readable(key, reply)
        if record is None:
            continue
        if held[place][0] in readily_derived(relation.index, relation.params, key, record):
            owners[place].add(as_text(key.params[relation.owner]).encode())
    return [
        PointsToItsOwner(tuple(relations), index, None, claim_ms)
        for (index, owner), found in zip(held, owners, strict=True)
        if found != {owner}
    ]


def look_for_indexes(
    ground: Ground,
    relation: Indexes,
    filled_by: tuple[Indexes, ...],
    sightings: Sequence[Sighting],
    claim_ms: int,
) -> Survey:
    """From records to the indexes that should point to them."""
    due = [
        (seen.key, index)
        for seen in sightings
        if seen.record is not None
        for index in readily_derived(relation.index, relation.params, seen.key, seen.record)
    ]
    (replies,) = yield [ground.column("GET", [index for _, index in due])]
    return [
        PointsToItsOwner(filled_by, index, key, claim_ms)
        for (key, index), reply in zip(due, replies, strict=True)
        if not is_error(reply) and reply != as_text(key.params[relation.owner]).encode()
    ]


def indexes_of(relation: Indexes, owner: AnyKey, record: Record) -> list[AnyKey]:
    return derived_keys(relation.index, relation.params, owner, record)


@dataclass(frozen=True)
class HasItsOwner:
    relation: Owns
    key: AnyKey

    def ask(self) -> Inquiry:
        owner = self.relation.owner.of(self.key.params)
        exists, left = yield [Read("EXISTS", owner), Read("PTTL", self.key)]
        if exists or may_outlive(left, owner):
            return None
        return Fault(
            FindingKind.OWNS,
            self.key,
            f"belongs to {owner.text}, which does not exist",
            Write("UNLINK", self.key),
            "deleted",
        )


def may_outlive(left: int, owner: AnyKey) -> bool:
    """Whether a key with this lifetime is gone, or ends by itself as its owner did."""
    return left == -2 or (left >= 0 and owner.declared.lifetime.ends)


def look_at_owners(ground: Ground, relation: Owns, sightings: Sequence[Sighting]) -> Survey:
    owners = [sibling(relation.owner, seen.key) for seen in sightings]
    (replies,) = yield [ground.column("EXISTS", owners)]
    return [
        HasItsOwner(relation, seen.key)
        for seen, owner, exists in zip(sightings, owners, replies, strict=True)
        if not exists and not may_outlive(seen.left, owner)
    ]
