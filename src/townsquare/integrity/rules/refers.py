"""Refers: every member of a collection names an existing record."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.rules.derived_keys import key_finder, key_or_none
from townsquare.integrity.rules.members import SORTED_SET, is_in, member_commands, shown
from townsquare.integrity.rules.rule import Entry, Row, Side, TwoSidedRule
from townsquare.integrity.store_reader import Column
from townsquare.keyspace import AnyKey, Refers


class RefersRule(TwoSidedRule):
    """An entry is the parameters of a collection and a member. There is no other side to balance with."""

    reads_value = False

    def __init__(self, relation: Refers) -> None:
        self._relation = relation
        self._commands = member_commands(relation.collection)
        (name,) = relation.record.names
        self._find = key_finder(relation.record, name)

    def sides(self) -> Iterable[Side]:
        yield Side(self, self._relation.collection, None, True, self._members)

    def _members(self, rows: Sequence[Row]) -> Iterator[Entry]:
        step = 2 if self._commands is SORTED_SET else 1
        for row in rows:
            if self._relation.only.items() <= row.key.params.items():
                for member in row.value[1][::step]:
                    yield row.key.values, member

    def key_for(self, entry: Any) -> AnyKey | None:
        return key_or_none(self._relation.collection, entry[0])

    def _record(self, row: Row) -> AnyKey | None:
        member, field = row.entry[1], self._relation.field
        if field is None:
            return self._find(member, {})
        try:
            document = msgspec.json.decode(member, type=dict[str, Any])
        except msgspec.MsgspecError:
            return None
        return self._find(str(document.get(field)).encode(), {})

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        tests = Column(self._commands.test, [row.key for row in rows], [(row.entry[1],) for row in rows])
        return [tests, Column("EXISTS", [self._record(row) for row in rows])]

    def judge(self, row: Row, found: Any, exists: int | None) -> Fault | None:
        if exists or not is_in(found):
            return None
        record, member = self._record(row), row.entry[1]
        named = "no record" if record is None else f"{record.text}, which does not exist"
        removal = self._commands.remove(row.key, member)
        problem = f"holds {shown(member)}, which names {named}"
        return Fault(FindingKind.REFERS, row.key, problem, removal, f"removed {shown(member)}")
