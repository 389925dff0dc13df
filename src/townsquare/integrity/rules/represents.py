"""Represents: a record of one service stands for a record of another, and says the same."""

from collections.abc import Sequence

from townsquare.integrity.findings import Fault, FindingKind, Start
from townsquare.integrity.reads import Column, Unreadable
from townsquare.integrity.rules.derived_keys import derived_keys, key_finder
from townsquare.integrity.rules.records import as_text, readable, record_verb, same
from townsquare.integrity.rules.rule import Row, Rule, shown_value
from townsquare.keyspace import AnyKey, Record, Represents

STARTED = "started the job that brings it in line"


class RepresentedRule(Rule):
    """Of the source: its record is there and says the same."""

    def __init__(self, relation: Represents) -> None:
        self._relation = relation

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        records = [record_for(self._relation, row.key, row.record) for row in rows]
        return [Column(record_verb(self._relation.record), records, decode=readable)]

    def judge(self, row: Row, record: Record | None) -> Fault | None:
        relation, key = self._relation, record_for(self._relation, row.key, row.record)
        if key is None or row.record is None:
            return None
        repair = Start(relation.repair.script, row.key, "")
        if record is None:
            return fault(row.key, f"has no {key.declared.service} {key.text}", repair)
        (id,) = row.key.values
        if record.get(relation.link) not in (None, as_text(id)):
            says = f"has no {key.declared.service} {key.text} of its own: that is of {record[relation.link]}"
            return Fault(FindingKind.REPRESENTS, row.key, says, why_not="only one can have it")
        for field in relation.fields:
            value, truth = record.get(field), row.record.get(field)
            if not same(value, truth):
                seen = f"is {shown_value(value)}, not {shown_value(truth)}"
                return fault(row.key, f"{field} of {key.declared.service} {key.text} {seen}", repair)
        return None


class RepresentsRule(Rule):
    """Of the record: it stands under the name that its source has now."""

    def __init__(self, relation: Represents) -> None:
        self._relation = relation

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        sources = [self._source(row) for row in rows]
        return [Column(record_verb(self._relation.source), sources, decode=readable)]

    def _source(self, row: Row) -> AnyKey | None:
        link = row.record and row.record.get(self._relation.link)
        (name,) = self._relation.source.names
        return key_finder(self._relation.source, name)(str(link).encode(), {}) if link else None

    def judge(self, row: Row, source: Record | None) -> Fault | None:
        key = self._source(row)
        if key is None or source is None:
            return None
        record = record_for(self._relation, key, source)
        if record is None or record == row.key:
            return None
        found = as_text(row.key.values[0])
        says = f"is of {key.text}, which is {record.text} now"
        return fault(row.key, says, Start(self._relation.repair.script, key, found))


def record_for(relation: Represents, key: AnyKey, source: Record | None) -> AnyKey | None:
    """The record that a source must have, if any."""
    if source is None:
        return None
    try:
        return next(iter(derived_keys(relation.record, relation.params, key, source)), None)
    except Unreadable:
        return None


def fault(key: AnyKey, says: str, repair: Start) -> Fault:
    return Fault(FindingKind.REPRESENTS, key, says, repair, STARTED)
