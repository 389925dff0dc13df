"""Expires: a key has at most its declared lifetime, or none."""

from collections.abc import Sequence
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.rules.rule import Row, Rule
from townsquare.keyspace import Expires

SLACK_MS = 1000  # a lifetime can be set by a clock that is a little ahead


class ExpiresRule(Rule):
    reads_value = False

    def __init__(self, relation: Expires, claim_ms: int) -> None:
        """An index that expires within `claim_ms` is a pending claim; -1: there are no such claims."""
        self._lifetime = relation.key.lifetime
        self._claim_ms = claim_ms

    def passes(self, rows: Sequence[Row], *columns: Sequence[Any]) -> bool:
        return self._lifetime.seconds is None and all(row.left == -1 for row in rows)

    def judge(self, row: Row) -> Fault | None:
        left, declared = row.left, self._lifetime
        if left == -2:
            return None
        if declared.seconds is None:
            if left <= self._claim_ms:
                return None
            return fault(
                row,
                f"expires in {left / 1000:.0f} s, declared without a lifetime",
                "PERSIST",
                (),
                "lifetime removed",
            )
        limit = declared.seconds * 1000
        if 0 <= left <= limit + SLACK_MS:
            return None
        if left < 0:
            problem = f"has no lifetime, declared: {declared.description}"
            return fault(row, problem, "PEXPIRE", (limit,), "given its lifetime")
        return fault(
            row, f"lives longer than declared: {declared.description}", "SHORTEN", (limit,), "shortened"
        )


def fault(row: Row, problem: str, verb: str, args: tuple[int, ...], action: str) -> Fault:
    return Fault(FindingKind.EXPIRES, row.key, problem, Write(verb, row.key, args), action)
