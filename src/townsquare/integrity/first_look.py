"""The first look at keys: fast, in bulk and not at one moment, so all that it gives is suspicions."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from townsquare.integrity.members import Stride, holder, stride
from townsquare.integrity.plan import Plan
from townsquare.integrity.questions import Question
from townsquare.integrity.reads import Ground, Target, Unknown, is_error
from townsquare.integrity.sightings import FIRST_STRIDE
from townsquare.integrity.single import IsDeclared
from townsquare.integrity.survey import Sighting, conduct
from townsquare.keyspace import AnyDeclared, AnyKey, Key

MEMBERS = 2000  # of collections, asked about at once

T = TypeVar("T")
K = TypeVar("K")


class FirstLook:
    """One walk through all keys, and a second one through those whose books do not balance."""

    def __init__(self, ground: Ground, plan: Plan) -> None:
        self._ground = ground
        self._plan = plan
        self._books = plan.books()

    async def look(self, targets: Sequence[Target]) -> AsyncIterator[Sequence[Question]]:
        """What deserves a second look, bit by bit; what collections hold is only entered in the books."""
        yield [IsDeclared(target) for target in targets if isinstance(target, Unknown)]
        sightings = await self._see([target for target in targets if isinstance(target, Key)])
        yield [
            question
            for declared, its in sightings.items()
            for seen in its
            for question in self._plan.lookout(declared).suspicions(seen)
        ]
        yield await conduct(self._ground, self._plan.around(sightings))
        self._books.enter_records(sightings)
        async for strides in self._walk(sightings):
            self._books.enter_members(strides)

    @cached_property
    def doubtful(self) -> frozenset[AnyDeclared]:
        """After a look at everything: the declarations of which keys must be looked at closer."""
        return self._books.doubtful()

    async def look_closer(self, targets: Sequence[Target]) -> AsyncIterator[Sequence[Question]]:
        """What deserves a second look of what collections hold."""
        sightings = await self._see(
            [target for target in targets if isinstance(target, Key) and target.declared in self.doubtful]
        )
        yield await conduct(self._ground, self._books.around(sightings))
        async for strides in self._walk(sightings):
            yield await conduct(self._ground, self._books.within(strides))

    async def _see(self, keys: Sequence[AnyKey]) -> dict[AnyDeclared, list[Sighting]]:
        alike = grouped(keys, lambda key: key.declared)
        columns = [
            column
            for declared, its in alike.items()
            for column in self._plan.lookout(declared).columns(self._ground, its)
        ]
        replies = iter(await self._ground.ask(columns))
        return {
            declared: [*map(self._plan.lookout(declared).sighting, its, next(replies), next(replies))]
            for declared, its in alike.items()
        }

    async def _walk(
        self, sightings: Mapping[AnyDeclared, Sequence[Sighting]]
    ) -> AsyncIterator[Mapping[AnyDeclared, Sequence[Stride]]]:
        """Through the members of collections, some at a time, to the end of all of them."""
        begun = [
            stride(seen.key, seen.left, seen.value)
            for declared, its in sightings.items()
            if self._plan.walked(declared)
            for seen in its
            if not is_error(seen.value)
        ]
        for strides in portions(begun, MEMBERS):
            while strides:
                yield grouped(strides, lambda one: one.key.declared)
                strides = await self._go_on([one for one in strides if not one.done])

    async def _go_on(self, strides: Sequence[Stride]) -> list[Stride]:
        count = max(FIRST_STRIDE, MEMBERS // max(1, len(strides)))
        columns = [
            self._ground.column(holder(one.key.declared).scan, [one.key], one.cursor, "COUNT", count)
            for one in strides
        ]
        replies = await self._ground.ask(columns)
        return [
            stride(one.key, one.left, reply)
            for one, (reply,) in zip(strides, replies, strict=True)
            if not is_error(reply)
        ]


def portions(strides: Iterable[Stride], size: int) -> Iterator[list[Stride]]:
    """Lists with about so many members each."""
    portion: list[Stride] = []
    members = 0
    for one in strides:
        portion.append(one)
        members += len(one.members)
        if members >= size:
            yield portion
            portion, members = [], 0
    if portion:
        yield portion


def grouped(items: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(by(item), []).append(item)
    return groups
