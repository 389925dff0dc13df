"""Which questions a key raises, from its declaration and the relations that name it."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from townsquare.integrity.copies import CountsRight, MirrorsRight
from townsquare.integrity.membership import BelongsThere, Membership, collection, wanted
from townsquare.integrity.ownership import HasItsOwner, PointsToItsOwner, indexes_of
from townsquare.integrity.pairs import HasItsInverse, HasNoInverse, inverse
from townsquare.integrity.questions import Question
from townsquare.integrity.reads import Read
from townsquare.integrity.records import Unreadable, as_text, is_hash, record_of, record_read
from townsquare.integrity.single import Decodes, HasItsType, HasNoStrangeFields, HasRequiredFields, Lives
from townsquare.keyspace import (
    AnyDeclared,
    AnyKey,
    Counts,
    Expires,
    Groups,
    Indexes,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Registry,
    kinds,
)
from townsquare.store.claims import CLAIM_MS
from townsquare.store.wire import ReplyError


@dataclass(frozen=True)
class Concerns:
    """The relations of one declared key, by the part that it plays."""

    counts: tuple[Counts, ...] = ()
    mirrors: tuple[Mirrors, ...] = ()
    owned: tuple[Owns, ...] = ()
    indexed: tuple[Indexes, ...] = ()  # it is the record
    index: tuple[Indexes, ...] = ()
    placed: tuple[Membership, ...] = ()  # it is the record
    holds: tuple[Membership, ...] = ()  # it is the set
    left: tuple[Pairs, ...] = ()
    right: tuple[Pairs, ...] = ()
    expires: bool = False

    @property
    def derived(self) -> bool:
        """Whether all of it can be built again from other keys."""
        return bool(self.index or self.holds or any(pair.left is not pair.right for pair in self.right))

    @property
    def filled(self) -> frozenset[str]:
        """Fields that follow from other keys."""
        return frozenset([*(one.field for one in self.counts), *(one.field for one in self.mirrors)])

    @property
    def walked(self) -> bool:
        return bool(self.holds or self.left or self.right)

    @property
    def tells(self) -> bool:
        """Whether other keys follow from what it says."""
        return bool(self.indexed or self.placed)


class Plan:
    def __init__(self, registry: Registry, *, clustered: bool) -> None:
        self.claim_ms = CLAIM_MS if clustered else -1  # on one node a claim is part of the script
        self._concerns = concerns(registry)

    def concerns(self, key: AnyKey) -> Concerns:
        return self._concerns[key.declared]

    def about(self, key: AnyKey) -> Iterator[Question]:
        """Questions that need nothing but the key."""
        concern, kind = self.concerns(key), key.declared.kind
        if concern.expires:
            yield Lives(key, self.claim_ms if concern.index else -1)
        if kind is kinds.ANY:
            return
        yield HasItsType(key, concern.derived)
        if is_hash(key.declared):
            if kind.custom_fields is None:
                yield HasNoStrangeFields(key)
            if any(field.required for field in kind.fields):
                yield HasRequiredFields(key, concern.filled)
        elif kind.read or kind is kinds.HYPERLOGLOG:
            yield Decodes(key)
        for counts in concern.counts:
            yield CountsRight(counts, key)
        for mirrors in concern.mirrors:
            yield MirrorsRight(mirrors, key)
        for owns in concern.owned:
            yield HasItsOwner(owns, key)
        if concern.index:
            yield PointsToItsOwner(concern.index, key, None, self.claim_ms)

    def told_by(self, key: AnyKey, reply: Any) -> Iterator[Question]:
        """Questions about the keys that follow from a record."""
        if isinstance(reply, ReplyError):
            return
        concern = self.concerns(key)
        try:
            record = record_of(key, reply)
        except Unreadable:
            return
        if record is None:
            return
        for relation in concern.indexed:
            for index in followed(indexes_of, relation, key, record):
                yield PointsToItsOwner(self.concerns(index).index, index, key, self.claim_ms)
        for placed in concern.placed:
            member = as_text(key.params[placed.member]).encode()
            for holder in followed(wanted, placed, key, record):
                yield BelongsThere(self.concerns(holder).holds, holder, member)

    def told_by_read(self, key: AnyKey) -> Read | None:
        return record_read(key) if self.concerns(key).tells else None

    def held_by(self, key: AnyKey, member: bytes) -> Iterator[Question]:
        """Questions about one member of a set."""
        concern = self.concerns(key)
        if concern.holds:
            yield BelongsThere(concern.holds, key, member)
        for pair in concern.left:
            right = inverse(pair.right, member)
            yield HasItsInverse(pair, key, right) if right else HasNoInverse(key, member, derived=False)
        for pair in concern.right:
            if pair.left is pair.right:
                continue
            left = inverse(pair.left, member)
            yield HasItsInverse(pair, left, key) if left else HasNoInverse(key, member, derived=True)


def followed(rule: Any, relation: Any, key: AnyKey, record: Any) -> list[AnyKey]:
    try:
        return list(rule(relation, key, record))
    except Unreadable:
        return []


def concerns(registry: Registry) -> dict[AnyDeclared, Concerns]:
    parts: dict[AnyDeclared, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    expiring: set[AnyDeclared] = set()
    for relation in registry.relations:
        match relation:
            case Counts():
                parts[relation.record]["counts"].append(relation)
            case Mirrors():
                parts[relation.record]["mirrors"].append(relation)
            case Owns():
                for owned in relation.owned:
                    parts[owned]["owned"].append(relation)
            case Indexes():
                parts[relation.record]["indexed"].append(relation)
                parts[relation.index]["index"].append(relation)
            case Groups() | Orders():
                parts[relation.record]["placed"].append(relation)
                parts[collection(relation)]["holds"].append(relation)
            case Pairs():
                parts[relation.left]["left"].append(relation)
                parts[relation.right]["right"].append(relation)
            case Expires():
                expiring.add(relation.key)
    return {
        declared: Concerns(
            **{part: tuple(relations) for part, relations in parts[declared].items()},
            expires=declared in expiring,
        )
        for declared in registry
    }
