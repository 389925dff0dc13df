"""The relations of each declared key, by the role of the key in them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from townsquare.keyspace.declare import AnyDeclared, DeclarationError
from townsquare.keyspace.relations import (
    Counts,
    Describes,
    Expires,
    Groups,
    Indexes,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Refers,
    Relation,
    Represents,
    Sums,
)

Membership = Groups | Orders


def collection_of(relation: Membership) -> AnyDeclared:
    return relation.order if isinstance(relation, Orders) else relation.group


@dataclass(frozen=True)
class KeyRelations:
    counts: tuple[Counts, ...] = ()  # it has the field
    counted_by: tuple[Counts, ...] = ()
    sums: tuple[Sums, ...] = ()  # it has the field
    summed_by: tuple[Sums, ...] = ()
    refers: tuple[Refers, ...] = ()  # it is the collection
    describes: tuple[Describes, ...] = ()  # it is the hash
    mirrors: tuple[Mirrors, ...] = ()  # it has the copy
    owns: tuple[Owns, ...] = ()
    owned_by: tuple[Owns, ...] = ()
    index_of: tuple[Indexes, ...] = ()
    indexed_by: tuple[Indexes, ...] = ()
    collection_of: tuple[Membership, ...] = ()
    member_of: tuple[Membership, ...] = ()
    left_of: tuple[Pairs, ...] = ()
    right_of: tuple[Pairs, ...] = ()
    represented_by: tuple[Represents, ...] = ()  # it is the source
    represents: tuple[Represents, ...] = ()

    @cached_property
    def derived(self) -> bool:
        """Whether all of it can be built again from other keys."""
        inverse = any(pair.left is not pair.right for pair in self.right_of)
        return bool(self.index_of or self.collection_of or inverse)

    @cached_property
    def derived_fields(self) -> frozenset[str]:
        """Fields that follow from other keys."""
        copied = (one.field for one in self.mirrors)
        return frozenset([*copied, *(one.field for one in self.counts), *(one.field for one in self.sums)])


def key_relations(relations: Iterable[Relation]) -> Mapping[AnyDeclared, KeyRelations]:
    found: dict[AnyDeclared, dict[str, list[Relation]]] = defaultdict(lambda: defaultdict(list))
    for relation in relations:
        for part, declared in parts_in(relation):
            found[declared][part].append(relation)
    known = {
        declared: KeyRelations(**{part: tuple(its) for part, its in parts.items()})  # type: ignore[arg-type]
        for declared, parts in found.items()
    }
    return defaultdict(KeyRelations, known)


def parts_in(relation: Relation) -> list[tuple[str, AnyDeclared]]:
    match relation:
        case Counts():
            return [("counts", relation.record), ("counted_by", relation.of)]
        case Sums():
            return [("sums", relation.record), ("summed_by", relation.of)]
        case Refers():
            return [("refers", relation.collection)]
        case Describes():
            return [("describes", relation.details)]
        case Mirrors():
            return [("mirrors", relation.record)]
        case Owns():
            return [("owns", relation.owner), *(("owned_by", owned) for owned in relation.owned)]
        case Indexes():
            return [("index_of", relation.index), ("indexed_by", relation.record)]
        case Groups() | Orders():
            return [("collection_of", collection_of(relation)), ("member_of", relation.record)]
        case Represents():
            return [("represented_by", relation.source), ("represents", relation.record)]
        case Pairs():
            return [("left_of", relation.left), ("right_of", relation.right)]
        case Expires():
            return []
    raise DeclarationError(f"{type(relation).__name__}: check and deletion do not know this relation")
