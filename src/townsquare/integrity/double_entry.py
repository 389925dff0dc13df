"""Double entry: whether the two sides of a relation agree, without one lookup per entry.

A pair has two sides, and so do a member of a collection and an index. A walk through all keys visits both.
One side adds the hash of each of its entries to one of many sums, the other side subtracts it. If both sides
agree the sum is zero. Entries of a non-zero sum are judged one by one: faults, entries that share a sum with
a fault, and entries written during the walk.

A fault leaves its sum at zero with the probability of guessing a 64-bit hash.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property

from townsquare.integrity.row_reader import Rows
from townsquare.integrity.rules import DeclaredRules
from townsquare.integrity.rules.rule import Entry, TwoSidedRule
from townsquare.keyspace import AnyDeclared

SUMS = 1 << 14  # per rule: small in memory, and one fault makes only few entries doubtful
MASK = SUMS - 1


class HashSums:
    def __init__(self) -> None:
        self._sums = [0] * SUMS

    def add(self, entries: Iterable[Hashable]) -> None:
        sums = self._sums
        for number in map(hash, entries):
            sums[number & MASK] += number

    def subtract(self, entries: Iterable[Hashable]) -> None:
        sums = self._sums
        for number in map(hash, entries):
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
        """Enter the entries of keys, or of pages of collections."""
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
        """After the walk: declarations whose keys must be judged entry by entry."""
        return frozenset(
            side.declared
            for its in self._rules.values()
            for side in its.sides
            if not self._sums_of[side.rule].balanced
        )

    def doubts(self, rows: Rows, *, by_members: bool) -> dict[TwoSidedRule, set[Entry]]:
        """The entries of these keys or pages that must be judged one by one."""
        found: dict[TwoSidedRule, set[Entry]] = defaultdict(set)
        for declared, its in rows.items():
            for side in self._rules[declared].sides:
                if side.by_members is by_members:
                    found[side.rule].update(filter(self._sums_of[side.rule].doubts, side.entries(its)))
        return found
