"""A ledger for every relation whose two sides are collections, or a collection and records."""

from collections.abc import Iterator, Mapping, Sequence

from townsquare.integrity.concerns import Concerns
from townsquare.integrity.ledger import Ledger
from townsquare.integrity.members import Stride
from townsquare.integrity.membership import (
    asked_for,
    collection,
    held,
    look_behind_members,
    look_into_collections,
)
from townsquare.integrity.pairs import look_across, paired
from townsquare.integrity.reads import Ground
from townsquare.integrity.survey import Sighting, Survey
from townsquare.keyspace import AnyDeclared, Pairs

Sightings = Mapping[AnyDeclared, Sequence[Sighting]]
Strides = Mapping[AnyDeclared, Sequence[Stride]]


class Books:
    def __init__(self, ground: Ground, concerns: Mapping[AnyDeclared, Concerns]) -> None:
        self._ground = ground
        self._concerns = concerns
        self._collections = {declared: Ledger() for declared, its in concerns.items() if its.holds}
        self._pairs = {
            pair: Ledger() for concern in concerns.values() for pair in (*concern.left, *concern.right)
        }

    def enter_records(self, sightings: Sightings) -> None:
        """What records ask for."""
        for declared, seen in sightings.items():
            for placed in self._concerns[declared].placed:
                self._collections[collection(placed)].add(asked_for(placed, seen))

    def enter_members(self, strides: Strides) -> None:
        """What collections hold."""
        for declared, its in strides.items():
            concern = self._concerns[declared]
            for stride in its:
                if concern.holds:
                    self._collections[declared].subtract(held(stride))
                for pair in concern.left:
                    self._pairs[pair].add(paired(stride, from_left=True))
                for pair in concern.right:
                    self._pairs[pair].subtract(paired(stride, from_left=False))

    def doubtful(self) -> frozenset[AnyDeclared]:
        """Keys of which some have to be looked at again."""
        found: set[AnyDeclared] = set()
        for declared, ledger in self._collections.items():
            if not ledger.balanced:
                found |= {declared, *(relation.record for relation in self._concerns[declared].holds)}
        for pair, ledger in self._pairs.items():
            if not ledger.balanced:
                found |= {pair.left, pair.right}
        return frozenset(found)

    def around(self, sightings: Sightings) -> Iterator[Survey]:
        """From records to collections, as far as in doubt."""
        for declared, seen in sightings.items():
            for placed in self._concerns[declared].placed:
                doubts = self._collections[collection(placed)].doubts
                filled_by = self._concerns[collection(placed)].holds
                entries = [entry for entry in asked_for(placed, seen) if doubts(entry)]
                yield look_into_collections(self._ground, placed, filled_by, entries)

    def within(self, strides: Strides) -> Iterator[Survey]:
        """From members to what they stand for, as far as in doubt."""
        for declared, its in strides.items():
            concern = self._concerns[declared]
            if concern.holds:
                doubts = self._collections[declared].doubts
                some = [one.only(map(doubts, held(one))) for one in its]
                yield look_behind_members(self._ground, concern.holds, some)
            for pair in concern.left:
                yield self._across(pair, its, from_left=True)
            for pair in concern.right:
                if pair not in concern.left:
                    yield self._across(pair, its, from_left=False)

    def _across(self, pair: Pairs, strides: Sequence[Stride], *, from_left: bool) -> Survey:
        doubts = self._pairs[pair].doubts
        some = [one.only(map(doubts, paired(one, from_left=from_left))) for one in strides]
        return look_across(self._ground, pair, some, from_left=from_left)
