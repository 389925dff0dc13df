"""Describes: a hash has one field for every member of a sorted set."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from townsquare.integrity.findings import Fault, FindingKind, Quarantine
from townsquare.integrity.rules.derived_keys import counterpart, key_or_none
from townsquare.integrity.rules.members import is_in, shown
from townsquare.integrity.rules.rule import Entry, Row, Side, TwoSidedRule
from townsquare.integrity.store_reader import Column
from townsquare.keyspace import AnyKey, Describes


class DescribesRule(TwoSidedRule):
    """An entry is the parameters of both keys, a field of the hash, and a member of the sorted set."""

    reads_value = False

    def __init__(self, relation: Describes) -> None:
        self._details, self._of = relation.details, relation.of

    def sides(self) -> Iterable[Side]:
        yield Side(self, self._of, True, True, self._of_members)
        yield Side(self, self._details, False, False, self._of_fields)

    def _of_members(self, rows: Sequence[Row]) -> Iterator[Entry]:
        for row in rows:
            for member in row.value[1][::2]:
                yield row.key.values, field_of(member), member

    def _of_fields(self, rows: Sequence[Row]) -> Iterator[Entry]:
        for row in rows:
            if isinstance(row.value, dict):
                for field, value in row.value.items():
                    yield row.key.values, field, member_in(value)

    def key_for(self, entry: Any) -> AnyKey | None:
        return key_or_none(self._details, entry[0])

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        keys = [row.key for row in rows]
        return [
            Column("HGET", keys, [(row.entry[1],) for row in rows]),
            Column("ZSCORE", [counterpart(self._of, key) for key in keys], [(row.entry[2],) for row in rows]),
        ]

    def judge(self, row: Row, value: bytes | None, score: Any) -> Fault | None:
        _, field, member = row.entry
        described = value is not None and member_in(value) == member
        listed = is_in(score) and field_of(member) == field
        if described == listed:
            return None
        of = counterpart(self._of, row.key).text
        if described:
            problem = f"has field {shown(field)}, which {of} does not list"
            repair = Quarantine(row.key, (field,))
            return Fault(
                FindingKind.DESCRIBES, row.key, problem, repair, f"moved to quarantine: {shown(field)}"
            )
        problem = f"has no field for {shown(member)}, which {of} lists"
        return Fault(FindingKind.DESCRIBES, row.key, problem, refusal="no other key has these values")


def field_of(member: bytes) -> bytes:
    return member.rpartition(b":")[0]


def member_in(value: bytes) -> bytes:
    """The member that a field describes; empty if it cannot be read."""
    try:
        member = msgspec.json.decode(value, type=dict[str, Any]).get("member")
    except msgspec.MsgspecError:
        return b""
    return member.encode() if isinstance(member, str) else b""
