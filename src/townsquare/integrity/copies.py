"""Fields that follow from another key: a cardinality, or a copy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Read
from townsquare.integrity.records import WHOLE, derived_keys, record_of, record_read, same, set_field
from townsquare.keyspace import AnyKey, Counts, Mirrors


@dataclass(frozen=True)
class CountsRight:
    relation: Counts
    key: AnyKey

    def ask(self) -> Inquiry:
        counted = self.relation.of.of(self.key.params)
        reply, count = yield [record_read(self.key), Read(str(counted.declared.kind.cardinality), counted)]
        record = record_of(self.key, reply)
        if record is None:
            return None
        value = record.get(self.relation.field)
        if same(value, count) or (value is None and count == 0):
            return None
        return wrong_field(FindingKind.COUNTS, self.key, reply, self.relation.field, value, count)


@dataclass(frozen=True)
class MirrorsRight:
    relation: Mirrors
    key: AnyKey

    def ask(self) -> Inquiry:
        (reply,) = yield [record_read(self.key)]
        record = record_of(self.key, reply)
        if record is None:
            return None
        sources: Sequence[AnyKey] = derived_keys(self.relation.source, self.relation.params, self.key, record)
        if len(sources) != 1:
            return None
        reply, source_reply = yield [record_read(self.key), record_read(sources[0])]
        record, source = record_of(self.key, reply), record_of(sources[0], source_reply)
        if record is None or source is None:
            return None
        value, truth = record.get(self.relation.field), source.get(self.relation.source_field or WHOLE)
        if same(value, truth):
            return None
        return wrong_field(FindingKind.MIRRORS, self.key, reply, self.relation.field, value, truth)


def wrong_field(kind: FindingKind, key: AnyKey, reply: Any, field: str, value: Any, truth: Any) -> Fault:
    called = field or "its value"
    says = f"{called} is {shown(value)}, should be {shown(truth)}"
    mend = set_field(key, reply, field, truth)
    if mend is None:
        return Fault(kind, key, says, why_not=f"{called} cannot hold {shown(truth)}")
    return Fault(kind, key, says, mend, f"{called} set to {shown(truth)}")


def shown(value: Any) -> str:
    text = "absent" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
