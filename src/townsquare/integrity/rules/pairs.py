"""Pairs: two sets are inverse to each other. The left one is primary."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.rules.derived_keys import counterpart, key_finder
from townsquare.integrity.rules.members import SORTED_SET, is_in, member_commands, shown
from townsquare.integrity.rules.records import as_text
from townsquare.integrity.rules.rule import Entry, Row, Side, TwoSidedRule
from townsquare.integrity.store_reader import Column
from townsquare.keyspace import AnyDeclared, AnyKey, Pairs


class Pair(NamedTuple):
    left: AnyKey | None
    right: AnyKey | None
    one: bytes
    other: bytes


def owner(key: AnyKey) -> bytes:
    return as_text(key.values[0]).encode()


class PairsRule(TwoSidedRule):
    """An entry is (one, other): the left set of one has other exactly if the right set of other has one."""

    reads_value = False

    def __init__(self, relation: Pairs, owners: Sequence[AnyDeclared] = ()) -> None:
        """Without one of its `owners` a right set must not exist."""
        self._owners = owners
        self._symmetric = relation.left is relation.right
        self._declared = relation.left, relation.right
        self._lefts, self._rights = member_commands(relation.left), member_commands(relation.right)
        self._left_of = key_finder(relation.left, relation.left.names[0])
        self._right_of = key_finder(relation.right, relation.right.names[0])

    def sides(self) -> Iterable[Side]:
        left, right = self._declared
        yield Side(self, left, True, True, self._entries_of_left)
        yield Side(self, right, False, True, self._entries_of_right)

    def _entries_of_left(self, rows: Sequence[Row]) -> Iterator[Entry]:
        step = 2 if self._lefts is SORTED_SET else 1
        return chain.from_iterable(zip(repeat(owner(row.key)), row.value[1][::step]) for row in rows)

    def _entries_of_right(self, rows: Sequence[Row]) -> Iterator[Entry]:
        step = 2 if self._rights is SORTED_SET else 1
        return chain.from_iterable(zip(row.value[1][::step], repeat(owner(row.key))) for row in rows)

    def key_for(self, entry: Any) -> AnyKey | None:
        one, other = entry
        return self._left_of(one, {}) or self._right_of(other, {})

    def _pair(self, row: Row) -> Pair:
        """Both sets, if there can be such keys, and the member that each should have in the other."""
        one, other = row.entry
        left, right = self._left_of(one, {}), self._right_of(other, {})
        return Pair(left, right, owner(left) if left else one, owner(right) if right else other)

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        pairs = [self._pair(row) for row in rows]
        return [
            Column(self._lefts.test, [pair.left for pair in pairs], [(pair.other,) for pair in pairs]),
            Column(self._rights.test, [pair.right for pair in pairs], [(pair.one,) for pair in pairs]),
        ]

    def judge(self, row: Row, in_left: Any, in_right: Any) -> Fault | None:
        if is_in(in_left) == is_in(in_right):
            return None
        left, right, one, other = self._pair(row)
        if left is None or right is None:
            return self._without_other_side(left, right, one, other)
        if self._symmetric:
            lacking, member = (right, one) if is_in(in_left) else (left, other)
            problem = f"lacks {shown(member)}, whose own set has it"
            return Fault(FindingKind.PAIRS, lacking, problem, refusal="either of the two can be right")
        if not is_in(in_left):
            problem = f"holds {shown(one)}, whose {left.text} does not hold {shown(other)}"
            return removed(self._rights.remove(right, one), one, problem)
        problem = f"lacks {shown(one)}, whose {left.text} holds {shown(other)}"
        if self._rights is not SORTED_SET:
            fault = Fault(FindingKind.PAIRS, right, problem, Write("SADD", right, (one,)))
        elif self._lefts is SORTED_SET:
            fault = Fault(FindingKind.PAIRS, right, problem, Write("ZADD", right, (repr(in_left), one)))
        else:
            fault = Fault(FindingKind.PAIRS, right, problem, refusal="its score is not known")
        owners = tuple(counterpart(owner, right) for owner in self._owners)
        problem = f"holds {shown(other)}, but {' and '.join(key.text for key in owners)} does not exist"
        gone = removed(self._lefts.remove(left, other), other, problem)
        return fault._replace(action=f"added {shown(one)}", requires=owners, otherwise=gone)

    def _without_other_side(
        self, left: AnyKey | None, right: AnyKey | None, one: bytes, other: bytes
    ) -> Fault | None:
        """A member that cannot be a parameter of the other side's key."""
        key, member = (left, other) if left is not None else (right, one)
        problem = f"holds {shown(member)}, which cannot have an other side"
        if key is None:
            return None
        if left is None and not self._symmetric:
            return removed(self._rights.remove(key, member), member, problem)
        return Fault(FindingKind.PAIRS, key, problem, refusal="this side is primary")


def removed(removal: Write, member: bytes, problem: str) -> Fault:
    return Fault(FindingKind.PAIRS, removal.target, problem, removal, f"removed {shown(member)}")
