"""Mirrors: a field is a copy from another record, or of the value of another key."""

from collections.abc import Hashable, Sequence

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.rules.derived_keys import derived_keys
from townsquare.integrity.rules.records import WHOLE, readable, record_verb, same
from townsquare.integrity.rules.rule import Row, Rule, wrong_field
from townsquare.integrity.store_reader import Column, Unreadable
from townsquare.keyspace import AnyKey, Mirrors, Record


class MirrorsRule(Rule):
    def __init__(self, relation: Mirrors) -> None:
        self._relation = relation
        self._field = relation.field
        self._source_field = relation.source_field or WHOLE

    @property
    def same_reads(self) -> Hashable:
        """Several fields can be copies from one record."""
        return MirrorsRule, self._relation.source, frozenset(self._relation.params.items())

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        sources = [self._source(row) for row in rows]
        return [Column(record_verb(self._relation.source), sources, decode=readable)]

    def _source(self, row: Row) -> AnyKey | None:
        if row.record is None:
            return None
        try:
            keys = derived_keys(self._relation.source, self._relation.params, row.key, row.record)
        except Unreadable:
            return None
        return keys[0] if len(keys) == 1 else None

    def judge(self, row: Row, source: Record | None) -> Fault | None:
        if row.record is None or source is None:
            return None
        value, truth = row.record.get(self._field), source.get(self._source_field)
        return (
            None if same(value, truth) else wrong_field(FindingKind.MIRRORS, row, self._field, value, truth)
        )
