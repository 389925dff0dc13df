"""Spelling: an indexed value of a record has the spelling of its index."""

from typing import Any

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.rules.rule import Row, Rule, shown_value
from townsquare.keyspace import Indexes
from townsquare.keyspace.relations import value_at


class SpellingRule(Rule):
    def __init__(self, relation: Indexes) -> None:
        self._relation = relation

    def judge(self, row: Row, *replies: Any) -> Fault | None:
        spelling = self._relation.spelling
        if row.record is None or spelling is None:
            return None
        for field in self._relation.params.values():
            value = value_at(row.record, field) if isinstance(field, str) else None
            if not isinstance(value, str) or (right := spelling(value)) == value:
                continue
            should = f"is written {shown_value(right)}" if right else "has no spelling"
            problem = f"{field} is {shown_value(value)}, which {should}"
            return Fault(FindingKind.VALUE, row.key, problem, refusal="another record may have that value")
        return None
