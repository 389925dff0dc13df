"""Indexes: a string key points to the one record that has its value."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.rules.derived_keys import choices, derived_keys, key_finder, key_or_none
from townsquare.integrity.rules.records import as_text, readable, record_of, record_verb
from townsquare.integrity.rules.rule import Entry, Row, Rule, Side, TwoSidedRule, shown_value
from townsquare.integrity.store_reader import Column, Unreadable, is_error
from townsquare.keyspace import AnyDeclared, AnyKey, Indexes, Record
from townsquare.keyspace.relations import value_at


class IndexesRule(TwoSidedRule):
    """An entry is the parameters of an index and the owner that it points to, or should point to."""

    def __init__(self, index: AnyDeclared, relations: Sequence[Indexes], claim_ms: int) -> None:
        """`relations` are all that fill this index; one that expires within `claim_ms` is a pending claim."""
        self._index = index
        self._relations = relations
        self._claim_ms = claim_ms

    def sides(self) -> Iterable[Side]:
        yield Side(self, self._index, False, False, self._held)
        for relation in self._relations:
            yield Side(self, relation.record, True, False, partial(self._wanted, relation))

    def _held(self, rows: Sequence[Row]) -> Iterator[Entry]:
        for row in rows:
            if isinstance(row.value, bytes):
                yield row.key.values, row.value

    def _wanted(self, relation: Indexes, rows: Sequence[Row]) -> Iterator[Entry]:
        place = relation.record.names.index(relation.owner)
        for row in rows:
            if row.record is None:
                continue
            try:
                found = [*product(*choices(self._index, relation.params, row.key, row.record))]
                hash((*found,))
            except (Unreadable, TypeError):  # a damaged value may not even have a hash
                continue
            owner = as_text(row.key.values[place]).encode()
            for values in found:
                yield values, owner

    def key_for(self, entry: Any) -> AnyKey | None:
        return key_or_none(self._index, entry[0])

    def _records(self, row: Row, owner: bytes | None) -> list[AnyKey | None]:
        """The record of an owner, for each relation."""
        if owner is None or is_error(owner):
            return [None] * len(self._relations)
        params = row.key.params
        return [key_finder(one.record, one.owner)(owner, params) for one in self._relations]

    def _pointed_to(self, row: Row) -> list[AnyKey | None]:
        return self._records(row, row.value)

    def _wanted_by(self, row: Row) -> list[AnyKey | None]:
        return self._records(row, None if row.entry[1] == row.value else row.entry[1])

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        """A record that should own the index counts if it is readable; the current owner must be readable."""
        verbs = [record_verb(relation.record) for relation in self._relations]
        pointed_to = zip(*map(self._pointed_to, rows), strict=True)
        wanted_by = zip(*map(self._wanted_by, rows), strict=True)
        return [
            *(Column(verb, keys) for verb, keys in zip(verbs, pointed_to, strict=True)),
            *(Column(verb, keys, decode=readable) for verb, keys in zip(verbs, wanted_by, strict=True)),
        ]

    def judge(self, row: Row, *replies: Any) -> Fault | None:
        if is_error(row.value) or 0 <= row.left <= self._claim_ms:
            return None
        keys = [*self._pointed_to(row), *self._wanted_by(row)]
        half = len(self._relations)
        pointed_to = zip(keys[:half], replies[:half], strict=True)
        records = [None if key is None else record_of(key, reply) for key, reply in pointed_to]
        records += replies[half:]
        owners = {
            owner
            for key, record in zip(keys, records, strict=True)
            if key is not None and record is not None and (owner := self._owner(row.key, key, record))
        }
        if len(owners) > 1:
            problem = f"{' and '.join(sorted(owners))} both have its value"
            return Fault(FindingKind.INDEXES, row.key, problem, refusal="only one can keep it")
        return verdict(row, next(iter(owners), None))

    def _owner(self, index: AnyKey, key: AnyKey, record: Record) -> str | None:
        """The owner that the index should point to, if this record has its value."""
        for relation in self._relations:
            if relation.record is not key.declared:
                continue
            if index in derived_keys(relation.index, relation.params, key, record):
                return as_text(key.params[relation.owner])
        return None


def verdict(row: Row, owner: str | None) -> Fault | None:
    index, held = row.key, row.value
    if held == (None if owner is None else owner.encode()):
        return None
    now = "does not exist" if held is None else f"points to {held.decode(errors='backslashreplace')!r}"
    if owner is None:
        problem = f"{now}, which does not have its value"
        return Fault(FindingKind.INDEXES, index, problem, Write("DEL", index), "deleted")
    ends = index.declared.lifetime.seconds
    write = Write("SET", index, (owner,) if ends is None else (owner, "EX", ends))
    problem = f"{now}, should point to {owner!r}"
    return Fault(FindingKind.INDEXES, index, problem, write, f"pointed to {owner!r}")


class SpellingRule(Rule):
    def __init__(self, relation: Indexes) -> None:
        self._relation = relation

    def judge(self, row: Row, *replies: Any) -> Fault | None:
        spelling = self._relation.spelling
        if row.record is None or spelling is None:
            return None
        for field in self._relation.params.values():
            value = value_at(row.record, field) if isinstance(field, str) else None
            if not isinstance(value, str) or (right := spelling(value)) == value:
                continue
            should = f"is written {shown_value(right)}" if right else "has no spelling"
            problem = f"{field} is {shown_value(value)}, which {should}"
            return Fault(FindingKind.VALUE, row.key, problem, refusal="another record may have that value")
        return None
