"""Which relations a declared key has a part in."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from townsquare.integrity.membership import Membership, collection
from townsquare.keyspace import (
    AnyDeclared,
    Counts,
    Expires,
    Groups,
    Indexes,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Registry,
)


@dataclass(frozen=True)
class Concerns:
    """The relations of one declared key, by the part that it plays."""

    counts: tuple[Counts, ...] = ()
    mirrors: tuple[Mirrors, ...] = ()
    owned: tuple[Owns, ...] = ()
    indexed: tuple[Indexes, ...] = ()  # it is the record
    index: tuple[Indexes, ...] = ()
    placed: tuple[Membership, ...] = ()  # it is the record
    holds: tuple[Membership, ...] = ()  # it is the set
    left: tuple[Pairs, ...] = ()
    right: tuple[Pairs, ...] = ()
    expires: bool = False

    @cached_property
    def derived(self) -> bool:
        """Whether all of it can be built again from other keys."""
        return bool(self.index or self.holds or any(pair.left is not pair.right for pair in self.right))

    @cached_property
    def filled(self) -> frozenset[str]:
        """Fields that follow from other keys."""
        return frozenset([*(one.field for one in self.counts), *(one.field for one in self.mirrors)])

    @cached_property
    def walked(self) -> bool:
        return bool(self.holds or self.left or self.right)

    @cached_property
    def recorded(self) -> bool:
        """Whether relations ask for its fields."""
        return bool(self.counts or self.mirrors or self.indexed or self.placed)


def concerns(registry: Registry) -> dict[AnyDeclared, Concerns]:
    parts: dict[AnyDeclared, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    expiring: set[AnyDeclared] = set()
    for relation in registry.relations:
        match relation:
            case Counts():
                parts[relation.record]["counts"].append(relation)
            case Mirrors():
                parts[relation.record]["mirrors"].append(relation)
            case Owns():
                for owned in relation.owned:
                    parts[owned]["owned"].append(relation)
            case Indexes():
                parts[relation.record]["indexed"].append(relation)
                parts[relation.index]["index"].append(relation)
            case Groups() | Orders():
                parts[relation.record]["placed"].append(relation)
                parts[collection(relation)]["holds"].append(relation)
            case Pairs():
                parts[relation.left]["left"].append(relation)
                parts[relation.right]["right"].append(relation)
            case Expires():
                expiring.add(relation.key)
    return {
        declared: Concerns(
            **{part: tuple(relations) for part, relations in parts[declared].items()},
            expires=declared in expiring,
        )
        for declared in registry
    }
