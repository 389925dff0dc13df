"""Double entry: whether two sides of a relation say the same, without asking one about the other.

A pair stands on two sides, and so do the place of a record in a collection and the index of a record. A
walk through all keys comes by both, and each side enters what it says: its hash is added to one of many
sums, and subtracted from it on the other side. What both say leaves nothing. Only entries of sums that are
not zero have to be looked at one by one: faults, what shares a sum with them, and what was written while we
walked.

That a fault leaves its sum at zero is as likely as to guess a 64-bit hash.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property

from townsquare.integrity.row_reader import Rows
from townsquare.integrity.rules import DeclaredRules
from townsquare.integrity.rules.rule import Entry, TwoSidedRule
from townsquare.keyspace import AnyDeclared

SUMS = 1 << 14  # of one rule: few enough to keep, many enough that a fault leaves most entries settled
MASK = SUMS - 1


class HashSums:
    def __init__(self) -> None:
        self._sums = [0] * SUMS

    def add(self, entries: Iterable[Hashable]) -> None:
        sums = self._sums
        for entry in entries:
            number = hash(entry)
            sums[number & MASK] += number

    def subtract(self, entries: Iterable[Hashable]) -> None:
        sums = self._sums
        for entry in entries:
            number = hash(entry)
            sums[number & MASK] -= number

    @property
    def balanced(self) -> bool:
        return not any(self._sums)

    def doubts(self, entry: Hashable) -> bool:
        return self._sums[hash(entry) & MASK] != 0


class DoubleEntry:
    """The sums of all two-sided rules, for one walk through all keys."""

    def __init__(self, rules: Mapping[AnyDeclared, DeclaredRules]) -> None:
        self._rules = rules
        self._sums_of = {side.rule: HashSums() for its in rules.values() for side in its.sides}

    def enter(self, rows: Rows, *, by_members: bool) -> None:
        """What keys say, or what pages of collections say."""
        for declared, its in rows.items():
            for side in self._rules[declared].sides:
                if side.by_members is by_members and side.adds is not None:
                    sums = self._sums_of[side.rule]
                    (sums.add if side.adds else sums.subtract)(side.entries(its))

    def unbalanced(self, pages: Rows) -> dict[TwoSidedRule, set[Entry]]:
        """The entries of these pages that have no other side."""
        return {
            side.rule: set(side.entries(its))
            for declared, its in pages.items()
            for side in self._rules[declared].sides
            if side.adds is None
        }

    @cached_property
    def doubtful(self) -> frozenset[AnyDeclared]:
        """After all was entered: the declarations of which keys must be looked at again."""
        return frozenset(
            side.declared
            for its in self._rules.values()
            for side in its.sides
            if not self._sums_of[side.rule].balanced
        )

    def doubts(self, rows: Rows, *, by_members: bool) -> dict[TwoSidedRule, set[Entry]]:
        """The entries of these keys or pages that must be looked at one by one."""
        found: dict[TwoSidedRule, set[Entry]] = defaultdict(set)
        for declared, its in rows.items():
            for side in self._rules[declared].sides:
                if side.by_members is by_members:
                    found[side.rule].update(filter(self._sums_of[side.rule].doubts, side.entries(its)))
        return found
