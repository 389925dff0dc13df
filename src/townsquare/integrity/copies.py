"""Fields that follow from another key: a cardinality, or a copy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from townsquare.integrity.derived import derived_keys, readily_derived, sibling
from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Ground, Read, is_error
from townsquare.integrity.records import (
    WHOLE,
    readable,
    record_of,
    record_read,
    record_verb,
    same,
    set_field,
)
from townsquare.integrity.survey import Sighting, Survey
from townsquare.keyspace import AnyDeclared, AnyKey, Counts, Mirrors, Record
from townsquare.keyspace.relations import Source


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
        if is_count(value, count):
            return None
        return wrong_field(FindingKind.COUNTS, self.key, reply, self.relation.field, value, count)


def is_count(value: Any, count: int) -> bool:
    return same(value, count) or (value is None and count == 0)


def look_at_counts(ground: Ground, relation: Counts, sightings: Sequence[Sighting]) -> Survey:
    records = [(seen.key, seen.record) for seen in sightings if seen.record is not None]
    counted = [sibling(relation.of, key) for key, _ in records]
    (counts,) = yield [ground.column(str(relation.of.kind.cardinality), counted)]
    return [
        CountsRight(relation, key)
        for (key, record), count in zip(records, counts, strict=True)
        if not is_error(count) and not is_count(record.get(relation.field), count)
    ]


@dataclass(frozen=True)
class MirrorsRight:
    relation: Mirrors
    key: AnyKey

    def ask(self) -> Inquiry:
        (reply,) = yield [record_read(self.key)]
        record = record_of(self.key, reply)
        if record is None:
            return None
        sources = derived_keys(self.relation.source, self.relation.params, self.key, record)
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


def look_at_copies(ground: Ground, relations: Sequence[Mirrors], sightings: Sequence[Sighting]) -> Survey:
    """Of relations that copy from the same key, so that it is read once for all of them."""
    source, params = relations[0].source, relations[0].params
    copies: list[tuple[AnyKey, Record, AnyKey]] = []
    for seen in sightings:
        if seen.record is not None:
            keys = readily_derived(source, params, seen.key, seen.record)
            copies += [(seen.key, seen.record, key) for key in keys if len(keys) == 1]
    sources = list({key: None for _, _, key in copies})
    (replies,) = yield [ground.column(record_verb(source), sources)]
    truths = {key: readable(key, reply) for key, reply in zip(sources, replies, strict=True)}
    return [
        MirrorsRight(relation, key)
        for key, record, source_key in copies
        if (truth := truths[source_key]) is not None
        for relation in relations
        if not same(record.get(relation.field), truth.get(relation.source_field or WHOLE))
    ]


def copied_alike(relations: Sequence[Mirrors]) -> list[list[Mirrors]]:
    """Relations that copy from the same key, together."""
    alike: dict[tuple[AnyDeclared, frozenset[tuple[str, Source]]], list[Mirrors]] = {}
    for relation in relations:
        alike.setdefault((relation.source, frozenset(relation.params.items())), []).append(relation)
    return list(alike.values())


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
