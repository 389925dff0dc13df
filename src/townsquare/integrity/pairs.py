"""Two sets that are each other's inverse. The left one is the truth."""

from dataclasses import dataclass

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.members import SORTED_SET, holder, is_in, shown
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.records import as_text, leads_to
from townsquare.keyspace import AnyDeclared, AnyKey, Pairs


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


def inverse(declared: AnyDeclared, member: bytes) -> AnyKey | None:
    """The set on the other side that a member stands for."""
    return leads_to(declared, declared.names[0], member, {})


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
