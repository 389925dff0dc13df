"""Owns: what belongs to an owner is nothing without it."""

from collections.abc import Sequence

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.reads import Column
from townsquare.integrity.rules.derived_keys import counterpart
from townsquare.integrity.rules.rule import Row, Rule
from townsquare.keyspace import Owns


class OwnsRule(Rule):
    reads_value = False

    def __init__(self, relation: Owns) -> None:
        self._owner = relation.owner

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        return [Column("EXISTS", [counterpart(self._owner, row.key) for row in rows])]

    def judge(self, row: Row, exists: int) -> Fault | None:
        if exists or row.left == -2:
            return None
        if row.left >= 0 and self._owner.lifetime.ends:  # it ends by itself, as its owner did
            return None
        return Fault(
            FindingKind.OWNS,
            row.key,
            f"belongs to {counterpart(self._owner, row.key).text}, which does not exist",
            Write("UNLINK", row.key),
            "deleted",
        )
