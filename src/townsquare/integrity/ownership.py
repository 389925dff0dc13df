"""What points to a record, and what is nothing without one: indexes and owned keys."""

from dataclasses import dataclass
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind, Write
from townsquare.integrity.questions import Inquiry
from townsquare.integrity.reads import Read
from townsquare.integrity.records import as_text, derived_keys, leads_to, record_of, record_read
from townsquare.keyspace import AnyKey, Indexes, Owns, Record


@dataclass(frozen=True)
class PointsToItsOwner:
    """One index: it points to the one owner whose record has its value."""

    relations: tuple[Indexes, ...]  # all that fill this index
    index: AnyKey
    candidate: AnyKey | None  # a record that seems to have the value
    claim_ms: int  # an index this close to its end is a claim on its way

    def ask(self) -> Inquiry:
        held, left = yield [Read("GET", self.index), Read("PTTL", self.index)]
        if 0 <= left <= self.claim_ms:
            return None
        records = self._records(held)
        held, *replies = yield [Read("GET", self.index), *(record_read(key) for key in records)]
        owners = {
            owner
            for key, reply in zip(records, replies, strict=True)
            if (owner := self._owner(key, reply)) is not None
        }
        if len(owners) > 1:
            both = " and ".join(sorted(owners))
            return Fault(
                FindingKind.INDEXES, self.index, f"{both} both have its value", why_not="only one can keep it"
            )
        return self._verdict(held, next(iter(owners), None))

    def _records(self, held: bytes | None) -> list[AnyKey]:
        """Every record that may have the value: who the index points to, and the candidate."""
        found = [self.candidate]
        if held is not None:
            params = self.index.params
            found += [leads_to(one.record, one.owner, held, params) for one in self.relations]
        return [key for key in dict.fromkeys(found) if key is not None]

    def _owner(self, key: AnyKey, reply: Any) -> str | None:
        """Whom the index should point to, if this record has its value."""
        record = record_of(key, reply)
        if record is None:
            return None
        for relation in self.relations:
            if relation.record is key.declared and self.index in indexes_of(relation, key, record):
                return as_text(key.params[relation.owner])
        return None

    def _verdict(self, held: bytes | None, owner: str | None) -> Fault | None:
        if held == (None if owner is None else owner.encode()):
            return None
        now = "does not exist" if held is None else f"points to {held.decode(errors='backslashreplace')!r}"
        if owner is None:
            says = f"{now}, which does not have its value"
            return Fault(FindingKind.INDEXES, self.index, says, Write("DEL", self.index), "deleted")
        ends = self.index.declared.lifetime.seconds
        args = (owner,) if ends is None else (owner, "EX", ends)
        return Fault(
            FindingKind.INDEXES,
            self.index,
            f"{now}, should point to {owner!r}",
            Write("SET", self.index, args),
            f"pointed to {owner!r}",
        )


def indexes_of(relation: Indexes, owner: AnyKey, record: Record) -> list[AnyKey]:
    return derived_keys(relation.index, relation.params, owner, record)


@dataclass(frozen=True)
class HasItsOwner:
    relation: Owns
    key: AnyKey

    def ask(self) -> Inquiry:
        owner = self.relation.owner.of(self.key.params)
        exists, left = yield [Read("EXISTS", owner), Read("PTTL", self.key)]
        if exists or left == -2:
            return None
        if left >= 0 and owner.declared.lifetime.ends:
            return None
        return Fault(
            FindingKind.OWNS,
            self.key,
            f"belongs to {owner.text}, which does not exist",
            Write("UNLINK", self.key),
            "deleted",
        )
