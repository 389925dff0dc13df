"""The plan of a deletion, derived from the relations of a record.

A record is deleted with the keys that it owns. First, every member of an owned collection is processed: the
other side of a pair is removed, a listed key is deleted, a record that belongs to the owner is deleted. Then
the record is removed from the indexes, groups and orders that list it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from townsquare.keyspace.declare import AnyDeclared, DeclarationError
from townsquare.keyspace.key_relations import KeyRelations, Membership, collection_of, key_relations
from townsquare.keyspace.registry import Registry
from townsquare.keyspace.relations import DELETE, ByScript, Groups, Indexes, Orders, Owns, Relation


@dataclass(frozen=True)
class OtherSide:
    """Each member has a collection that contains the deleted record."""

    collection: AnyDeclared
    by_script: ByScript | None = None


@dataclass(frozen=True)
class ListedKey:
    """Each member is the further parameter of a key of the owner."""

    key: AnyDeclared
    member: str


@dataclass(frozen=True)
class NamedElsewhere:
    """Each member refers to something that names the deleted record; a script removes the name."""

    by_script: ByScript


Consequence = OtherSide | ListedKey | NamedElsewhere


@dataclass(frozen=True)
class Emptied:
    """A collection of the deleted record, and the consequences for each of its members."""

    collection: AnyDeclared
    consequences: tuple[Consequence, ...]


@dataclass(frozen=True)
class Child:
    """A collection of the deleted record whose members are records that are deleted first."""

    collection: AnyDeclared
    record: AnyDeclared


@dataclass(frozen=True)
class Plan:
    record: AnyDeclared
    owned: tuple[AnyDeclared, ...]  # one key each
    emptied: tuple[Emptied, ...]
    children: tuple[Child, ...]
    places: tuple[Indexes | Membership, ...]  # indexes and collections that list the record

    @cached_property
    def keys(self) -> tuple[AnyDeclared, ...]:
        """All keys of the record's own home that a deletion touches."""
        listed = [one.key for each in self.emptied for one in each.consequences if isinstance(one, ListedKey)]
        return tuple(dict.fromkeys([self.record, *self.owned, *listed]))


def deletable(relations: Iterable[Relation]) -> list[AnyDeclared]:
    """Records that own keys, and records that are deleted with another one."""
    found: dict[AnyDeclared, None] = {}
    for one in relations:
        if isinstance(one, Owns):
            found[one.owner] = None
        elif isinstance(one, Groups | Orders) and one.with_owner is DELETE:
            found[one.record] = None
    return list(found)


@cache
def plans_of(registry: Registry) -> Mapping[AnyDeclared, Plan]:
    relations = registry.relations
    of = key_relations(relations)
    return {record: _plan_of(record, of) for record in deletable(relations)}


def plan_of(record: AnyDeclared, relations: Sequence[Relation]) -> Plan:
    return _plan_of(record, key_relations(relations))


def _plan_of(record: AnyDeclared, of: Mapping[AnyDeclared, KeyRelations]) -> Plan:
    owned = [key for one in of[record].owns for key in one.owned]
    single = tuple(key for key in owned if set(key.names) <= set(record.names))
    listed = {key: listing_of(key, record, owned, of[key]) for key in owned if key not in single}
    emptied = []
    for collection in single:
        keys = [ListedKey(key, one.member) for key, one in listed.items() if collection_of(one) is collection]
        consequences: tuple[Consequence, ...] = (
            *keys,
            *other_sides(collection, of),
            *named_elsewhere(of[collection]),
        )
        if consequences:
            emptied.append(Emptied(collection, consequences))
    return Plan(
        record,
        owned=single,
        emptied=tuple(emptied),
        children=tuple(
            Child(collection, one.record)
            for collection in single
            for one in of[collection].collection_of
            if one.with_owner is DELETE
        ),
        places=(*of[record].indexed_by, *of[record].member_of),
    )


def named_elsewhere(collection: KeyRelations) -> Iterator[NamedElsewhere]:
    scripts = [
        *(one.members for one in collection.owned_by),
        *(one.with_owner for one in collection.collection_of),
    ]
    return (NamedElsewhere(script) for script in scripts if isinstance(script, ByScript))


def listing_of(
    key: AnyDeclared, record: AnyDeclared, owned: Sequence[AnyDeclared], relations: KeyRelations
) -> Membership:
    """The collection of the record that lists the further parameter of a key."""
    for place in relations.member_of:
        if collection_of(place) in owned and set(key.names) == {*record.names, place.member}:
            return place
    raise DeclarationError(f"{record} owns {key}, and no collection of its own lists those keys")


def other_sides(collection: AnyDeclared, of: Mapping[AnyDeclared, KeyRelations]) -> list[OtherSide]:
    """The collections of the members that contain the owner of this one."""
    sides = {pair.right: pair.remove_right for pair in of[collection].left_of if pair.taken_apart}
    sides |= {pair.left: pair.remove_left for pair in of[collection].right_of if pair.taken_apart}
    for side, script in sides.items():
        if not script and of[side].counted_by:
            raise DeclarationError(
                f"{side} is counted: say which script takes a member of {collection} out of it"
            )
    return [OtherSide(side, script) for side, script in sides.items()]
