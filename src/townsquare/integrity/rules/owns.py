"""Owns: a key or a record does not exist without its owner."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from townsquare.integrity.findings import Fault, FindingKind, Quarantine, RunScript, Write
from townsquare.integrity.rules.derived_keys import counterpart, key_or_none
from townsquare.integrity.rules.membership import placement
from townsquare.integrity.rules.records import as_text, is_hash
from townsquare.integrity.rules.rule import Phase, Row, Rule
from townsquare.integrity.store_reader import Column, Unreadable
from townsquare.keyspace import AnyDeclared, AnyKey, Owns
from townsquare.keyspace.key_relations import KeyRelations, Membership, collection_of
from townsquare.keyspace.relations import ByScript, DeleteRecord


class OwnerRule(Rule):
    """Reads whether the owner of a row exists, and whether the account behind the owner does."""

    phase = Phase.OWNERS

    def __init__(self, relation: Owns) -> None:
        self._relation = relation

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        owners = [self.owner(row) for row in rows]
        accounts = [None if owner is None else self._account(owner) for owner in owners]
        return [Column("EXISTS", owners), Column("EXISTS", accounts)]

    def passes(self, rows: Sequence[Row], *columns: Sequence[Any]) -> bool:
        return 0 not in columns[0]

    def owner(self, row: Row) -> AnyKey | None:
        raise NotImplementedError

    def _account(self, owner: AnyKey) -> AnyKey | None:
        return key_or_none(self._relation.account, owner.values) if self._relation.account else None

    def orphan(self, key: AnyKey, owner: AnyKey, account: int | None) -> Fault:
        """The fault of a key that belongs to a missing owner; `account` is None if owners have none."""
        problem = f"belongs to {owner.text}, which does not exist"
        if account:
            refusal = "its account exists: the owner is created again when the account is next used"
            return Fault(FindingKind.OWNS, key, problem, refusal=refusal)
        if account is None:
            return Fault(FindingKind.OWNS, key, problem, Quarantine(key), "moved to quarantine")
        return Fault(FindingKind.OWNS, key, problem, Write("UNLINK", key), "deleted, as its account was")


class OwnsRule(OwnerRule):
    """A key whose name has the parameters of its owner."""

    reads_value = False

    def __init__(self, relation: Owns, of_owner: KeyRelations) -> None:
        super().__init__(relation)
        self._derived_field = derived_field(relation.owner, of_owner)

    def owner(self, row: Row) -> AnyKey:
        return counterpart(self._relation.owner, row.key)

    def judge(self, row: Row, exists: int, account: int | None) -> Fault | None:
        if exists or row.left == -2:
            return None
        owner = self.owner(row)
        if row.left >= 0 and owner.declared.lifetime.ends:  # both expire by themselves
            return None
        fault = self.orphan(row.key, owner, account)
        if self._derived_field is None:
            return fault
        return fault._replace(
            repair=Write("HSET", owner, (self._derived_field, 0)), action=f"created {owner.text}"
        )


class BelongsRule(OwnerRule):
    """A record that relations list in a collection of an owner."""

    def __init__(self, relation: Owns, listings: Sequence[Membership]) -> None:
        super().__init__(relation)
        self._listings = listings

    def owner(self, row: Row) -> AnyKey | None:
        if row.record is None:
            return None
        declared = self._relation.owner
        for listing in self._listings:
            try:
                placed = placement(listing, row.key, row.record)
            except Unreadable:
                continue
            if placed and all(placed.choices):
                first = [values[0] for values in placed.choices]
                params = dict(zip(collection_of(listing).names, first, strict=True))
                if key := key_or_none(declared, tuple([params[name] for name in declared.names])):
                    return key
        return None

    def judge(self, row: Row, exists: int | None, account: int | None) -> Fault | None:
        if exists != 0 or (owner := self.owner(row)) is None:
            return None
        fault = self.orphan(row.key, owner, account)
        if any(belongs(listing) for listing in self._listings) or account:
            return fault
        for listing in self._listings:
            if isinstance(listing.with_owner, ByScript) and account == 0:
                script = f"{owner.declared.service}.{listing.with_owner.script}"
                repair = RunScript(script, row.key, as_text(owner.values[0]))
                return fault._replace(repair=repair, action=f"removed {owner.text} from it")
        refusal = "the record that it belongs to is not known"
        return Fault(FindingKind.OWNS, row.key, fault.problem, refusal=refusal)


def belongs(listing: Membership) -> bool:
    """Whether the record is deleted with the owner of the collection, or is named after that owner."""
    named_after = set(collection_of(listing).names).isdisjoint(listing.params)
    return isinstance(listing.with_owner, DeleteRecord) or named_after


def belongs_rules(
    record: AnyDeclared, relations: Mapping[AnyDeclared, KeyRelations]
) -> Iterator[BelongsRule]:
    """One rule for each reference of a record to an owner; several relations can share a reference."""
    found: dict[Any, list[Membership]] = {}
    owned_by = {owns.owner for owns in relations[record].owned_by}
    for listing in relations[record].member_of:
        collection = collection_of(listing)
        for owns in relations[collection].owned_by:
            if owns.without_owner or owns.owner in owned_by:
                continue
            if set(owns.owner.names) <= set(collection.names):
                sources = tuple(listing.params.get(name, name) for name in owns.owner.names)
                found.setdefault((owns.owner, owns.account, sources), []).append(listing)
    for (owner, account, _), listings in found.items():
        yield BelongsRule(Owns(owner, (), account=account), listings)


def derived_field(owner: AnyDeclared, relations: KeyRelations) -> str | None:
    """A field of a record that consists of derived fields: the record can be created from them."""
    required = [field.name for field in owner.kind.fields if field.required]
    derived = is_hash(owner) and required and set(required) <= relations.derived_fields
    return required[0] if derived else None
