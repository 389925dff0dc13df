"""How keys are looked at and which surveys they call for, from the relations that name them."""

from collections.abc import Iterator, Mapping, Sequence

from townsquare.integrity.books import Books
from townsquare.integrity.concerns import Concerns, concerns
from townsquare.integrity.copies import copied_alike, look_at_copies, look_at_counts
from townsquare.integrity.ownership import look_at_indexes, look_at_owners, look_for_indexes
from townsquare.integrity.reads import Ground
from townsquare.integrity.sightings import Lookout
from townsquare.integrity.survey import Sighting, Survey
from townsquare.keyspace import AnyDeclared, Role
from townsquare.store.coordination.claims import SHARED_CLAIM_MS


class Plan:
    def __init__(self, ground: Ground) -> None:
        clustered = ground.store.sides[Role.DATA].layout.clustered
        self._ground = ground
        self._claim_ms = SHARED_CLAIM_MS if clustered else -1  # on one node a claim is part of the script
        self._concerns = concerns(ground.store.registry)
        self._lookouts = {
            declared: Lookout(declared, concern, self._claim_ms)
            for declared, concern in self._concerns.items()
        }

    def walked(self, declared: AnyDeclared) -> bool:
        return self._concerns[declared].walked

    def lookout(self, declared: AnyDeclared) -> Lookout:
        return self._lookouts[declared]

    def books(self) -> Books:
        """New ones, for one walk through all keys."""
        return Books(self._ground, self._concerns)

    def around(self, sightings: Mapping[AnyDeclared, Sequence[Sighting]]) -> Iterator[Survey]:
        """Fields that follow from other keys, owners and indexes."""
        for declared, seen in sightings.items():
            yield from self._around(self._concerns[declared], seen)

    def _around(self, concern: Concerns, seen: Sequence[Sighting]) -> Iterator[Survey]:
        ground = self._ground
        for counts in concern.counts:
            yield look_at_counts(ground, counts, seen)
        for mirrors in copied_alike(concern.mirrors):
            yield look_at_copies(ground, mirrors, seen)
        for owns in concern.owned:
            yield look_at_owners(ground, owns, seen)
        if concern.index:
            yield look_at_indexes(ground, concern.index, seen, self._claim_ms)
        for indexed in concern.indexed:
            fillers = self._concerns[indexed.index].index
            yield look_for_indexes(ground, indexed, fillers, seen, self._claim_ms)
