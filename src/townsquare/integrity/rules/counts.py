"""Counts: a field equals a cardinality, or the number of members with one score, plus another field."""

from collections.abc import Sequence

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.rules.derived_keys import counterpart
from townsquare.integrity.rules.records import same
from townsquare.integrity.rules.rule import Row, Rule, wrong_field
from townsquare.integrity.store_reader import Column
from townsquare.keyspace import Counts


class CountsRule(Rule):
    def __init__(self, relation: Counts) -> None:
        self._field = relation.field
        self._plus = relation.plus
        self._counted = relation.of
        self._verb = str(relation.of.kind.cardinality)
        self._args: tuple[int, ...] = ()
        if relation.score is not None:
            self._verb, self._args = "ZCOUNT", (relation.score, relation.score)

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        counted = [None if row.record is None else counterpart(self._counted, row.key) for row in rows]
        return [Column(self._verb, counted, [self._args] * len(rows) if self._args else ())]

    def judge(self, row: Row, cardinality: int | None) -> Fault | None:
        if row.record is None or cardinality is None:
            return None
        value = row.record.get(self._field)
        expected = cardinality + int(row.record.get(self._plus) or 0) if self._plus else cardinality
        if same(value, expected) or (value is None and expected == 0):
            return None
        return wrong_field(FindingKind.COUNTS, row, self._field, value, expected)
