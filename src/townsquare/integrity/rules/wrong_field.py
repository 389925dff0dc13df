"""A field that follows from another key has the right value: what the rules for counts and copies share."""

from typing import Any

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.rules.records import set_field
from townsquare.integrity.rules.rule import Row


def wrong_field(kind: FindingKind, row: Row, field: str, value: Any, truth: Any) -> Fault:
    called = field or "its value"
    says = f"{called} is {shown(value)}, should be {shown(truth)}"
    repair = set_field(row.key, row.value, field, truth)
    if repair is None:
        return Fault(kind, row.key, says, why_not=f"{called} cannot hold {shown(truth)}")
    return Fault(kind, row.key, says, repair, f"{called} set to {shown(truth)}")


def shown(value: Any) -> str:
    text = "absent" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
