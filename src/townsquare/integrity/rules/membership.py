"""Groups and orders: a set or sorted set has exactly the members that records derive."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, product, repeat
from typing import Any, NamedTuple

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.rules.derived_keys import (
    buildable,
    choices,
    counterpart,
    derive,
    key_finder,
    key_or_none,
)
from townsquare.integrity.rules.members import SORTED_SET, is_in, member_commands, shown
from townsquare.integrity.rules.records import as_text, record_of, record_verb
from townsquare.integrity.rules.rule import Entry, Row, Side, TwoSidedRule
from townsquare.integrity.store_reader import Column, Unreadable
from townsquare.keyspace import AnyDeclared, AnyKey, Groups, Orders, Record
from townsquare.keyspace.key_relations import Membership, collection_of

ENDING_MS = 5_000  # a record that expires so soon can outlive its set for a moment


class MembershipRule(TwoSidedRule):
    """An entry is the parameters of a collection, a member, and its score in a sorted set."""

    reads_value = False

    def __init__(
        self, collection: AnyDeclared, relations: Sequence[Membership], owners: Sequence[AnyDeclared] = ()
    ) -> None:
        """`relations` are all that fill this collection; without one of its `owners` it must not exist."""
        self._collection = collection
        self._owners = owners
        self._relations = relations
        self._commands = member_commands(collection)
        self._finders = [key_finder(relation.record, relation.member) for relation in relations]
        self._records_end = all(relation.record.lifetime.ends for relation in relations)

    def sides(self) -> Iterable[Side]:
        yield Side(self, self._collection, False, True, self._held)
        for relation in self._relations:
            yield Side(self, relation.record, True, False, partial(wanted_entries, relation))

    def _held(self, rows: Sequence[Row]) -> Iterator[Entry]:
        if self._commands is SORTED_SET:
            return chain.from_iterable(
                zip(repeat(row.key.values), row.value[1][::2], map(float, row.value[1][1::2])) for row in rows
            )
        return chain.from_iterable(zip(repeat(row.key.values), row.value[1], repeat(None)) for row in rows)

    def key_for(self, entry: Any) -> AnyKey | None:
        return key_or_none(self._collection, entry[0])

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        columns = [Column(self._commands.test, [row.key for row in rows], [(row.entry[1],) for row in rows])]
        for relation, find in zip(self._relations, self._finders, strict=True):
            records = [find(row.entry[1], row.key.params) for row in rows]
            columns += [Column(record_verb(relation.record), records), Column("PTTL", records)]
        return columns

    def judge(self, row: Row, found: Any, *of_records: Any) -> Fault | None:
        """The first relation whose record derives the member decides.

        A record whose owner does not exist decides nothing: its listings stay until the owner is repaired.
        """
        there, member = is_in(found), row.entry[1]
        owners: list[AnyKey] = []
        for relation, find, reply, left in zip(
            self._relations, self._finders, of_records[::2], of_records[1::2], strict=True
        ):
            key = find(member, row.key.params)
            record = record_of(key, reply) if key is not None else None
            scores = wanted(relation, key, record) if key is not None and record is not None else {}
            if row.key not in scores:
                owners += [owner for collection in scores for owner in self._owners_of(collection)]
                continue
            score = scores[row.key]
            if (there and (score is None or score == found)) or 0 <= left <= ENDING_MS:
                return None
            fault = self._unlike(relation, row.key, member, found if there else None, score)
            return fault._replace(requires=self._owners_of(row.key))
        if not there or (row.left >= 0 and self._records_end):  # expired records
            return None
        problem = f"holds {shown(member)}, which no record derives"
        removal = self._commands.remove(row.key, member)
        action = f"removed {shown(member)}"
        return Fault(kind_of(self._relations[0]), row.key, problem, removal, action, requires=tuple(owners))

    def _owners_of(self, collection: AnyKey) -> tuple[AnyKey, ...]:
        return tuple(counterpart(owner, collection) for owner in self._owners)

    def _unlike(
        self, relation: Membership, key: AnyKey, member: bytes, found: float | None, score: float | None
    ) -> Fault:
        kind, name = kind_of(relation), shown(member)
        if score is None:
            return Fault(kind, key, f"lacks {name}", Write("SADD", key, (member,)), f"added {name}")
        write = Write("ZADD", key, (repr(score), member))
        if found is None:
            return Fault(kind, key, f"lacks {name}", write, f"added {name} at {score:.17g}")
        problem = f"has {name} at {found:.17g}, should be at {score:.17g}"
        return Fault(kind, key, problem, write, f"moved {name} to {score:.17g}")


def kind_of(relation: Membership) -> FindingKind:
    return FindingKind.ORDERS if isinstance(relation, Orders) else FindingKind.GROUPS


class Placement(NamedTuple):
    """The collections of a record, as values of their parameters, and its score there."""

    choices: list[list[Any]]
    score: float | None


def placement(relation: Membership, owner: AnyKey, record: Record) -> Placement | None:
    if not derive(relation.where, record):
        return None
    places = choices(collection_of(relation), relation.params, owner, record)
    if isinstance(relation, Groups):
        return Placement(places, None)
    score = derive(relation.score, record)
    try:
        return None if score is None else Placement(places, float(score))
    except (TypeError, ValueError) as error:
        raise Unreadable(str(error)) from None


def wanted(relation: Membership, owner: AnyKey, record: Record) -> dict[AnyKey, float | None]:
    """The collections that list a record, with its score."""
    placed = placement(relation, owner, record)
    if placed is None:
        return {}
    declared = collection_of(relation)
    return {buildable(declared(*values)): placed.score for values in product(*placed.choices)}


def wanted_entries(relation: Membership, rows: Sequence[Row]) -> Iterator[Entry]:
    place = relation.record.names.index(relation.member)
    for row in rows:
        if row.record is None:
            continue
        try:
            placed = placement(relation, row.key, row.record)
            if placed is None:
                continue
            found = [*product(*placed.choices)]
            hash((*found,))
        except (Unreadable, TypeError):  # a damaged value may not even have a hash
            continue
        member = as_text(row.key.values[place]).encode()
        for values in found:
            yield values, member, placed.score
