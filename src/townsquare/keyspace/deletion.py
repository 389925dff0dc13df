"""What goes when a record is deleted, derived from the relations that name it.

A record goes with the keys that it owns. Before that, every member of an owned collection is dealt with: a
pair loses its other side, a key that is listed there goes, a record that belongs to the owner is deleted too.
And the record leaves the indexes, groups and orders that its fields put it in.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from townsquare.keyspace.declare import AnyDeclared, DeclarationError
from townsquare.keyspace.key_relations import collection_of
from townsquare.keyspace.relations import (
    DELETE,
    ByScript,
    Counts,
    Groups,
    Indexes,
    Orders,
    Owns,
    Pairs,
    Relation,
)


@dataclass(frozen=True)
class OtherSide:
    """Each member has a collection of its own that names the deleted one."""

    collection: AnyDeclared
    by_script: ByScript | None = None


@dataclass(frozen=True)
class ListedKey:
    """Each member stands for a key with the owner's parameters and itself."""

    key: AnyDeclared
    member: str


@dataclass(frozen=True)
class NamedElsewhere:
    """Each member leads to something that names the deleted one, which a script sees to."""

    by_script: ByScript


Consequence = OtherSide | ListedKey | NamedElsewhere


@dataclass(frozen=True)
class Emptied:
    """A collection of the deleted record, and what follows for each of its members."""

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
    places: tuple[Indexes | Groups | Orders, ...]  # where its fields have put the record

    @cached_property
    def keys(self) -> tuple[AnyDeclared, ...]:
        """All keys of the record's own home that a deletion touches."""
        listed = [one.key for each in self.emptied for one in each.consequences if isinstance(one, ListedKey)]
        return tuple(dict.fromkeys([self.record, *self.owned, *listed]))


def deletable(relations: Iterable[Relation]) -> list[AnyDeclared]:
    """Records that own something, and those that go with another one."""
    found: dict[AnyDeclared, None] = {}
    for one in relations:
        if isinstance(one, Owns):
            found[one.owner] = None
        elif isinstance(one, Groups | Orders) and one.with_owner is DELETE:
            found[one.record] = None
    return list(found)


def plan_of(record: AnyDeclared, relations: Sequence[Relation]) -> Plan:
    owned = [key for one in relations if isinstance(one, Owns) and one.owner is record for key in one.owned]
    single = tuple(key for key in owned if set(key.names) <= set(record.names))
    listed = {key: listing_of(key, record, owned, relations) for key in owned if key not in single}
    emptied = []
    for collection in single:
        keys = [ListedKey(key, one.member) for key, one in listed.items() if collection_of(one) is collection]
        consequences: list[Consequence] = [
            *keys,
            *other_sides(collection, relations),
            *named_elsewhere(collection, relations),
        ]
        if consequences:
            emptied.append(Emptied(collection, tuple(consequences)))
    return Plan(
        record,
        owned=single,
        emptied=tuple(emptied),
        children=tuple(child for collection in single for child in children_in(collection, relations)),
        places=tuple(
            one for one in relations if isinstance(one, Indexes | Groups | Orders) and one.record is record
        ),
    )


def children_in(collection: AnyDeclared, relations: Iterable[Relation]) -> Iterator[Child]:
    for place in relations:
        if (
            isinstance(place, Groups | Orders)
            and collection_of(place) is collection
            and place.with_owner is DELETE
        ):
            yield Child(collection, place.record)


def named_elsewhere(collection: AnyDeclared, relations: Iterable[Relation]) -> Iterator[NamedElsewhere]:
    for one in relations:
        if isinstance(one, Owns) and collection in one.owned and one.members:
            yield NamedElsewhere(one.members)
        if not isinstance(one, Groups | Orders) or collection_of(one) is not collection:
            continue
        if isinstance(one.with_owner, ByScript):
            yield NamedElsewhere(one.with_owner)


def listing_of(
    key: AnyDeclared, record: AnyDeclared, owned: Sequence[AnyDeclared], relations: Iterable[Relation]
) -> Groups | Orders:
    """Which collection of the record tells the further parameter of a key."""
    for place in relations:
        if not isinstance(place, Groups | Orders) or place.record is not key:
            continue
        if collection_of(place) in owned and set(key.names) == {*record.names, place.member}:
            return place
    raise DeclarationError(f"{record} owns {key}, and no collection of its own lists those keys")


def other_sides(collection: AnyDeclared, relations: Sequence[Relation]) -> list[OtherSide]:
    """The collections of the members that name the owner of this one."""
    sides: dict[AnyDeclared, ByScript | None] = {}
    for pair in relations:
        if not isinstance(pair, Pairs) or not pair.taken_apart:
            continue
        if pair.left is collection:
            sides[pair.right] = pair.remove_right
        if pair.right is collection:
            sides[pair.left] = pair.remove_left
    for side, script in sides.items():
        if not script and counted(side, relations):
            raise DeclarationError(
                f"{side} is counted: say which script takes a member of {collection} out of it"
            )
    return [OtherSide(side, script) for side, script in sides.items()]


def counted(collection: AnyDeclared, relations: Iterable[Relation]) -> bool:
    return any(isinstance(one, Counts) and one.of is collection for one in relations)
