"""Groups and orders: a set or sorted set holds exactly the members that records ask for."""

from dataclasses import dataclass

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.members import holder, is_in, shown
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Read
from townsquare.integrity.records import Unreadable, derive, derived_keys, leads_to, record_of, record_read
from townsquare.keyspace import AnyDeclared, AnyKey, Groups, Orders, Record

Membership = Groups | Orders

ENDING_MS = 5_000  # a record this close to its end may outlive the set by a moment


def collection(relation: Membership) -> AnyDeclared:
    return relation.order if isinstance(relation, Orders) else relation.group


def wanted(relation: Membership, owner: AnyKey, record: Record) -> dict[AnyKey, float | None]:
    """The collections that a record belongs to, with its score."""
    if not derive(relation.where, record):
        return {}
    keys = derived_keys(collection(relation), relation.params, owner, record)
    if isinstance(relation, Groups):
        return dict.fromkeys(keys)
    score = derive(relation.score, record)
    try:
        return {} if score is None else dict.fromkeys(keys, float(score))
    except (TypeError, ValueError) as error:
        raise Unreadable(str(error)) from None


@dataclass(frozen=True)
class BelongsThere:
    """Whether one member is, or is not, in one collection, as the records say."""

    relations: tuple[Membership, ...]  # all that fill this collection
    key: AnyKey
    member: bytes

    def ask(self) -> Inquiry:
        hold = holder(self.key.declared)
        records = [
            (relation, behind)
            for relation in self.relations
            if (behind := leads_to(relation.record, relation.member, self.member, self.key.params))
        ]
        found, left, *replies = yield [
            hold.contains(self.key, self.member),
            Read("PTTL", self.key),
            *(record_read(record) for _, record in records),
        ]
        there = is_in(found)
        for (relation, record_key), reply in zip(records, replies, strict=True):
            record = record_of(record_key, reply)
            scores = wanted(relation, record_key, record) if record is not None else {}
            if self.key not in scores:
                continue
            score = scores[self.key]
            if there and (score is None or score == found):
                return None
            (ends_in,) = yield [Read("PTTL", record_key)]
            if 0 <= ends_in <= ENDING_MS:
                return None
            return self._unlike(relation, found if there else None, score)
        if there and not self._ends_by_itself(left):
            return self._stray()
        return None

    def _ends_by_itself(self, left: int) -> bool:
        return left >= 0 and all(relation.record.lifetime.ends for relation in self.relations)

    def _kind(self, relation: Membership) -> FindingKind:
        return FindingKind.ORDERS if isinstance(relation, Orders) else FindingKind.GROUPS

    def _unlike(self, relation: Membership, found: float | None, score: float | None) -> Fault:
        kind, member = self._kind(relation), shown(self.member)
        if score is None:
            mend = Write("SADD", self.key, (self.member,))
            return Fault(kind, self.key, f"lacks {member}", mend, f"added {member}")
        mend = Write("ZADD", self.key, (repr(score), self.member))
        if found is None:
            return Fault(kind, self.key, f"lacks {member}", mend, f"added {member} at {score:.17g}")
        says = f"has {member} at {found:.17g}, should be at {score:.17g}"
        return Fault(kind, self.key, says, mend, f"moved {member} to {score:.17g}")

    def _stray(self) -> Fault:
        member = shown(self.member)
        return Fault(
            self._kind(self.relations[0]),
            self.key,
            f"holds {member}, which no record asks for",
            holder(self.key.declared).remove(self.key, self.member),
            f"removed {member}",
        )
