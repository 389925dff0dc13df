"""Sums: a field or a counter equals the sum of scores, or the number of members, of a sorted set."""

from collections.abc import Sequence

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.rules.derived_keys import counterpart
from townsquare.integrity.rules.records import same
from townsquare.integrity.rules.rule import Row, Rule, wrong_field
from townsquare.integrity.store_reader import TOTAL, Column
from townsquare.keyspace import AnyDeclared, Sums, kinds


class SumsRule(Rule):
    """For the record: its field is right."""

    def __init__(self, relation: Sums) -> None:
        self._field = relation.field
        self._of = relation.of
        self._args = (relation.unless,) if relation.unless else ()

    def total(self, rows: Sequence[Row]) -> Column:
        return Column(TOTAL, [counterpart(self._of, row.key) for row in rows], [self._args] * len(rows))

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        return [self.total(rows)]

    def judge(self, row: Row, total: bytes) -> Fault | None:
        if row.record is None:
            return None
        value, expected = row.record.get(self._field), whole(total)
        if same(value, expected) or (value is None and expected == 0):
            return None
        return wrong_field(FindingKind.SUMS, row, self._field, value, expected)


class MissingCounterRule(SumsRule):
    """For the sorted set: its counter exists, unless it is zero."""

    reads_value = False

    def __init__(self, relation: Sums) -> None:
        super().__init__(relation)
        self._counter: AnyDeclared = relation.record

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        return [self.total(rows), Column("EXISTS", [counterpart(self._counter, row.key) for row in rows])]

    def judge(self, row: Row, total: bytes, exists: int = 1) -> Fault | None:
        expected = whole(total)
        if exists or expected == 0:
            return None
        counter = counterpart(self._counter, row.key)
        write = Write("SET", counter, (expected,))
        return Fault(
            FindingKind.SUMS, counter, f"does not exist, should be {expected}", write, f"set to {expected}"
        )


def sums_rules(sums: Sequence[Sums], summed_by: Sequence[Sums]) -> list[Rule]:
    counters = [one for one in summed_by if one.record.kind is kinds.COUNTER]
    return [*map(SumsRule, sums), *map(MissingCounterRule, counters)]


def whole(total: bytes) -> int | float:
    number = float(total)
    return int(number) if number.is_integer() else number
