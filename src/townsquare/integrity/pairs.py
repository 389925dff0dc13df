"""Two sets that are each other's inverse. The left one is the truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from townsquare.integrity.derived import Lead, lead
from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.members import SORTED_SET, Stride, holder, is_in, shown
from townsquare.integrity.questions import Inquiry, Question
from townsquare.integrity.reads import Column, Ground
from townsquare.integrity.records import as_text
from townsquare.integrity.survey import Survey
from townsquare.keyspace import AnyDeclared, AnyKey, Pairs
from townsquare.store.wire.cluster import Routed


@dataclass(frozen=True)
class HasItsInverse:
    """`other` is on the left of `one` exactly if `one` is on the right of `other`."""

    relation: Pairs
    left: AnyKey
    right: AnyKey

    def ask(self) -> Inquiry:
        one, other = (as_text(key.values[0]).encode() for key in (self.left, self.right))
        lefts, rights = holder(self.left.declared), holder(self.right.declared)
        left, right = yield [lefts.contains(self.left, other), rights.contains(self.right, one)]
        if is_in(left) == is_in(right):
            return None
        if self.relation.left is self.relation.right:
            return Fault(
                FindingKind.PAIRS,
                self.right if is_in(left) else self.left,
                f"lacks {shown(one if is_in(left) else other)}, whose own set has it",
                why_not="nothing tells which of the two is right",
            )
        if not is_in(left):
            says = f"holds {shown(one)}, whose {self.left.text} does not hold {shown(other)}"
            return Fault(
                FindingKind.PAIRS, self.right, says, rights.remove(self.right, one), f"removed {shown(one)}"
            )
        says = f"lacks {shown(one)}, whose {self.left.text} holds {shown(other)}"
        if rights is not SORTED_SET:
            mend = Write("SADD", self.right, (one,))
        elif lefts is SORTED_SET:
            mend = Write("ZADD", self.right, (repr(left), one))
        else:
            return Fault(FindingKind.PAIRS, self.right, says, why_not="nothing tells its score")
        return Fault(FindingKind.PAIRS, self.right, says, mend, f"added {shown(one)}")


def paired(stride: Stride, *, from_left: bool) -> Iterator[tuple[bytes, bytes]]:
    """What one side says: left and right of each pair."""
    one = as_text(stride.key.values[0]).encode()
    return ((one, member) for member in stride.members) if from_left else zip(stride.members, repeat(one))


def look_across(ground: Ground, pair: Pairs, strides: Sequence[Stride], *, from_left: bool) -> Survey:
    """From the members of one side to the sets on the other."""
    other = pair.right if from_left else pair.left
    follow, place, test = inverse(other), ground.placer(other), holder(other).test
    suspicions: list[Question] = []
    commands: list[Routed] = []
    keys: list[AnyKey] = []
    members: list[bytes] = []
    for stride in strides:
        one = as_text(stride.key.values[0]).encode()
        for member in stride.members:
            across = follow(member, {})
            if across is None:
                suspicions.append(HasNoInverse(stride.key, member, derived=not from_left))
            else:
                slot, name = place(across)
                commands.append((slot, (test, name, one)))
                keys.append(stride.key)
                members.append(member)
    (replies,) = yield [Column(other.role, commands)]
    for key, member, reply in zip(keys, members, replies, strict=True):
        if not is_in(reply) and (across := follow(member, {})):
            left, right = (key, across) if from_left else (across, key)
            suspicions.append(HasItsInverse(pair, left, right))
    return suspicions


def inverse(declared: AnyDeclared) -> Lead:
    """From a member to the set on the other side that it stands for."""
    return lead(declared, declared.names[0])


@dataclass(frozen=True)
class HasNoInverse:
    """A member that cannot be the parameter of any key of the other side."""

    key: AnyKey
    member: bytes
    derived: bool

    def ask(self) -> Inquiry:
        hold = holder(self.key.declared)
        (found,) = yield [hold.contains(self.key, self.member)]
        if not is_in(found):
            return None
        says = f"holds {shown(self.member)}, which cannot have an other side"
        if not self.derived:
            return Fault(FindingKind.PAIRS, self.key, says, why_not="this side is the truth")
        return Fault(
            FindingKind.PAIRS,
            self.key,
            says,
            hold.remove(self.key, self.member),
            f"removed {shown(self.member)}",
        )
