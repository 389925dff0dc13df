"""Groups and orders: a set or sorted set holds exactly the members that records ask for."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from townsquare.integrity.derived import buildable, choices, derive, lead
from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.members import Stride, holder, is_in, shown
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Column, Ground, Read, is_error
from townsquare.integrity.records import Unreadable, as_text, record_of, record_read, record_verb
from townsquare.integrity.survey import Sighting, Survey
from townsquare.keyspace import AnyDeclared, AnyKey, Groups, Orders, Record
from townsquare.keyspace.relations import always
from townsquare.store.wire.cluster import Routed

Membership = Groups | Orders

ENDING_MS = 5_000  # a record this close to its end may outlive the set by a moment


def collection(relation: Membership) -> AnyDeclared:
    return relation.order if isinstance(relation, Orders) else relation.group


class Placement(NamedTuple):
    """Where a record belongs: what each parameter of the collection can be, and its score there."""

    choices: list[list[Any]]
    score: float | None

    def includes(self, key: AnyKey) -> bool:
        return all(value in some for value, some in zip(key.values, self.choices, strict=True))


def placement(relation: Membership, owner: AnyKey, record: Record) -> Placement | None:
    if not derive(relation.where, record):
        return None
    places = choices(collection(relation), relation.params, owner, record)
    if isinstance(relation, Groups):
        return Placement(places, None)
    score = derive(relation.score, record)
    try:
        return None if score is None else Placement(places, float(score))
    except (TypeError, ValueError) as error:
        raise Unreadable(str(error)) from None


def wanted(relation: Membership, owner: AnyKey, record: Record) -> dict[AnyKey, float | None]:
    """The collections that a record belongs to, with its score."""
    placed = placement(relation, owner, record)
    if placed is None:
        return {}
    declared = collection(relation)
    return {buildable(declared(*values)): placed.score for values in product(*placed.choices)}


def ends_by_itself(relations: Sequence[Membership], left: int) -> bool:
    """Whether a collection ends as its records do: then it may hold some that have ended."""
    return left >= 0 and all(relation.record.lifetime.ends for relation in relations)


@dataclass(frozen=True)
class BelongsThere:
    """Whether one member is, or is not, in one collection, as the records say."""

    relations: tuple[Membership, ...]  # all that fill this collection
    key: AnyKey
    member: bytes

    def ask(self) -> Inquiry:
        hold = holder(self.key.declared)
        records = [
            (relation, behind)
            for relation in self.relations
            if (behind := lead(relation.record, relation.member)(self.member, self.key.params))
        ]
        found, left, *replies = yield [
            hold.contains(self.key, self.member),
            Read("PTTL", self.key),
            *(record_read(record) for _, record in records),
        ]
        there = is_in(found)
        for (relation, record_key), reply in zip(records, replies, strict=True):
            record = record_of(record_key, reply)
            scores = wanted(relation, record_key, record) if record is not None else {}
            if self.key not in scores:
                continue
            score = scores[self.key]
            if there and (score is None or score == found):
                return None
            (ends_in,) = yield [Read("PTTL", record_key)]
            if 0 <= ends_in <= ENDING_MS:
                return None
            return self._unlike(relation, found if there else None, score)
        if there and not ends_by_itself(self.relations, left):
            return self._stray()
        return None

    def _kind(self, relation: Membership) -> FindingKind:
        return FindingKind.ORDERS if isinstance(relation, Orders) else FindingKind.GROUPS

    def _unlike(self, relation: Membership, found: float | None, score: float | None) -> Fault:
        kind, member = self._kind(relation), shown(self.member)
        if score is None:
            mend = Write("SADD", self.key, (self.member,))
            return Fault(kind, self.key, f"lacks {member}", mend, f"added {member}")
        mend = Write("ZADD", self.key, (repr(score), self.member))
        if found is None:
            return Fault(kind, self.key, f"lacks {member}", mend, f"added {member} at {score:.17g}")
        says = f"has {member} at {found:.17g}, should be at {score:.17g}"
        return Fault(kind, self.key, says, mend, f"moved {member} to {score:.17g}")

    def _stray(self) -> Fault:
        member = shown(self.member)
        return Fault(
            self._kind(self.relations[0]),
            self.key,
            f"holds {member}, which no record asks for",
            holder(self.key.declared).remove(self.key, self.member),
            f"removed {member}",
        )


Entry = tuple[tuple[Any, ...], bytes, float | None]  # parameters of a collection, a member, its score


def asked_for(relation: Membership, sightings: Sequence[Sighting]) -> Iterator[Entry]:
    """What records say that collections should hold."""
    place = relation.record.names.index(relation.member)
    for seen in sightings:
        if seen.record is None:
            continue
        try:
            placed = placement(relation, seen.key, seen.record)
            if placed is None:
                continue
            places = list(product(*placed.choices))
            hash(tuple(places))
        except (Unreadable, TypeError):  # a damaged value may not even have a hash
            continue
        member = as_text(seen.key.values[place]).encode()
        for values in places:
            yield values, member, placed.score


def held(stride: Stride) -> Iterator[Entry]:
    """What a collection does hold."""
    values = stride.key.values
    for member, score in zip(stride.members, stride.scores, strict=True):
        yield values, member, None if score is None else float(score)


Due = list[tuple[bytes, float | None]]  # members of one collection, with their scores


def look_into_collections(
    ground: Ground, relation: Membership, filled_by: tuple[Membership, ...], entries: Iterable[Entry]
) -> Survey:
    """From records to the collections that should hold them: of each one all members in one read."""
    due: dict[tuple[Any, ...], Due] = defaultdict(list)
    for values, member, score in entries:
        due[values].append((member, score))
    asked: list[tuple[AnyKey, Due]] = []
    for values, members in due.items():
        with suppress(Unreadable):
            asked.append((buildable(collection(relation)(*values)), members))
    declared = collection(relation)
    test = holder(declared).test_many
    commands: list[Routed] = [
        (slot, (test, name, *[member for member, _ in members]))
        for (slot, name), (_, members) in zip(ground.places([key for key, _ in asked]), asked, strict=True)
    ]
    (replies,) = yield [Column(declared.role, commands)]
    return [
        BelongsThere(filled_by, key, member)
        for (key, members), reply in zip(asked, replies, strict=True)
        if not is_error(reply)
        for (member, score), found in zip(members, reply, strict=True)
        if not (is_in(found) and (score is None or score == found))
    ]


class Held(NamedTuple):
    member: bytes
    score: bytes | None
    stride: Stride
    params: Mapping[str, Any]  # of the collection


def look_behind_members(
    ground: Ground, relations: tuple[Membership, ...], strides: Sequence[Stride]
) -> Survey:
    """From members to their records. The first relation whose record asks for a member decides."""
    suspects: list[Held] = []
    unclaimed = [
        Held(member, score, stride, params)
        for stride in strides
        for params in (stride.key.params,)
        for member, score in zip(stride.members, stride.scores, strict=True)
    ]
    for relation in relations:
        follow = lead(relation.record, relation.member)
        records = [follow(held.member, held.params) for held in unclaimed]
        (replies,) = yield [ground.column(behind_verb(relation), [key for key in records if key])]
        answers = iter(replies)
        asked, unclaimed = unclaimed, []
        for held, key in zip(asked, records, strict=True):
            try:
                claimed = is_claimed(relation, held, key, next(answers) if key else None)
            except Unreadable:
                continue
            if claimed is None:
                unclaimed.append(held)
            elif not claimed:
                suspects.append(held)
    suspects += [held for held in unclaimed if not ends_by_itself(relations, held.stride.left)]
    return [BelongsThere(relations, held.stride.key, held.member) for held in suspects]


def behind_verb(relation: Membership) -> str:
    """The read that tells what a record says of its place; some only have to exist."""
    exists = isinstance(relation, Groups) and not relation.params and relation.where is always
    return "EXISTS" if exists else record_verb(relation.record)


def is_claimed(relation: Membership, held: Held, record: AnyKey | None, reply: Any) -> bool | None:
    """Whether a record asks for a member with this score; None if it does not ask for it at all."""
    if record is None or not reply:
        return None
    if is_error(reply) or behind_verb(relation) == "EXISTS":
        return True
    fields = record_of(record, reply)
    placed = placement(relation, record, fields) if fields is not None else None
    if placed is None or not placed.includes(held.stride.key):
        return None
    return held.score is None or placed.score == float(held.score)
