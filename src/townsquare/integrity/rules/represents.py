"""Represents: a record of one service stands for a record of another, with copies of its fields."""

from collections.abc import Sequence
from typing import Any

import msgspec

from townsquare.integrity.findings import Fault, FindingKind, RunScript
from townsquare.integrity.rules.derived_keys import derived_keys, key_finder
from townsquare.integrity.rules.records import as_text, decodes, readable, record_of, record_verb, same
from townsquare.integrity.rules.rule import Phase, Row, Rule, shown_value
from townsquare.integrity.store_reader import Column, Unreadable
from townsquare.keyspace import AnyKey, Record, Represents

STARTED = "started the job that updates it"


class RepresentedRule(Rule):
    """For the source: its record exists and has the same values."""

    phase = Phase.REPRESENTED

    def __init__(self, relation: Represents) -> None:
        self._relation = relation

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        records = [record_for(self._relation, row.key, row.record) for row in rows]
        return [Column(record_verb(self._relation.record), records)]

    def judge(self, row: Row, reply: Any) -> Fault | None:
        """A source or record that cannot be decoded is reported by other rules, and no job can update it."""
        relation, key = self._relation, record_for(self._relation, row.key, row.record)
        if key is None or not is_complete(row.key, row.value) or (reply and not is_complete(key, reply)):
            return None
        source, record = row.key.declared.kind.decode(row.value), record_of(key, reply)
        repair = RunScript(relation.repair.script, row.key, "")
        if record is None:
            return fault(row.key, f"has no {key.declared.service} {key.text}", repair)
        (id,) = row.key.values
        if record.get(relation.link) not in (None, as_text(id)):
            problem = (
                f"has no {key.declared.service} {key.text} of its own: that is of {record[relation.link]}"
            )
            return Fault(FindingKind.REPRESENTS, row.key, problem, refusal="only one can have it")
        for field in relation.fields:
            value, truth = record.get(field), msgspec.to_builtins(getattr(source, field, None))
            if not same(value, truth):
                seen = f"is {shown_value(value)}, not {shown_value(truth)}"
                return fault(row.key, f"{field} of {key.declared.service} {key.text} {seen}", repair)
        return None


class RepresentsRule(Rule):
    """For the record: its key has the name that the source has now."""

    phase = Phase.REPRESENTED

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
        problem = f"is of {key.text}, which is {record.text} now"
        return fault(row.key, problem, RunScript(self._relation.repair.script, key, found))


def is_complete(key: AnyKey, reply: Any) -> bool:
    decode = key.declared.kind.decode
    return decode is not None and decodes(key, reply) and decode(reply) is not None


def record_for(relation: Represents, key: AnyKey, source: Record | None) -> AnyKey | None:
    """The record that a source must have, if any."""
    if source is None:
        return None
    try:
        return next(iter(derived_keys(relation.record, relation.params, key, source)), None)
    except Unreadable:
        return None


def fault(key: AnyKey, problem: str, repair: RunScript) -> Fault:
    return Fault(FindingKind.REPRESENTS, key, problem, repair, STARTED)
