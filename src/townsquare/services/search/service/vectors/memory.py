"""Films by their vectors, compared one by one in the memory of the process (decision 052)."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from townsquare.services.search.models.films import VECTOR_NAMES, Film, VectorName
from townsquare.services.search.parts import EVERYTHING, FilmFilter, Hit, Vector
from townsquare.services.search.service.vectors.payloads import (
    KEYWORDS,
    NUMBERS,
    Condition,
    conditions,
    payload_of,
)
from townsquare.services.search.service.vectors.vector_files import compact, restored

T = TypeVar("T")
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

FIRST_ROOM = 256  # films; doubled when they are more
ADDED_AT_ONCE = 64  # films: some milliseconds
COMPARED_AT_ONCE = 4_096  # rows that become float32 at the same time: 8 MB
QUICK = 5_000  # films: a search of so many takes less time than a thread needs to begin
UNKNOWN = np.iinfo(np.int32).min  # of a number that a film does not have


class MemoryVectorIndex:
    """A `VectorIndex` that begins empty: the vectors are in files, and loaded in a moment.

    A film is a row of all arrays: its id, its numbers, a flag for each keyword, and its vectors with a byte
    for each number. A vector of length 0 is one that the film does not have.
    """

    own_films = True  # every process has its own

    def __init__(self, dimensions: int) -> None:
        self._known: dict[int, str] = {}
        self._row: dict[int, int] = {}
        self._ids = np.zeros(FIRST_ROOM, np.int64)
        self._numbers = {field: np.full(FIRST_ROOM, UNKNOWN, np.int32) for field in NUMBERS}
        self._keywords: dict[str, dict[str, Mask]] = {field: {} for field in KEYWORDS}
        self._vectors = {name: np.zeros((FIRST_ROOM, dimensions), np.int8) for name in VECTOR_NAMES}
        self._lengths = {name: np.zeros(FIRST_ROOM, np.float32) for name in VECTOR_NAMES}

    async def close(self) -> None:
        pass

    async def known(self) -> dict[int, str]:
        """The indexed films, each with the digest of its indexed texts."""
        return dict(self._known)

    async def search(
        self, name: VectorName, vector: Vector, *, limit: int, where: FilmFilter = EVERYTHING
    ) -> list[Hit]:
        return await self._run(lambda: self._search(name, vector, limit, where))

    async def scores(self, name: VectorName, vector: Vector, film_ids: Sequence[int]) -> dict[int, float]:
        rows = np.array([self._row[id] for id in film_ids if id in self._row], np.intp)
        found, cosines = await self._run(lambda: self._cosines(name, vector, rows))
        return dict(zip(self._ids[found].tolist(), cosines.tolist(), strict=True))

    async def vectors(self, film_ids: Sequence[int]) -> Mapping[int, Mapping[VectorName, Vector]]:
        return {
            id: {
                name: restored(self._vectors[name][row]) for name in VECTOR_NAMES if self._lengths[name][row]
            }
            for id in film_ids
            if (row := self._row.get(id)) is not None
        }

    async def add(
        self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]], digests: Mapping[int, str] = {}
    ) -> None:
        for begin in range(0, len(films), ADDED_AT_ONCE):
            for film, vectors in films[begin : begin + ADDED_AT_ONCE]:
                self._add(film, vectors)
                self._known[film.id] = digests.get(film.id, "")
            await asyncio.sleep(0)

    async def remove(self, film_ids: Sequence[int]) -> None:
        """The last row takes the place of a removed one."""
        for film_id in film_ids:
            row = self._row.pop(film_id, None)
            if row is not None:
                del self._known[film_id]
                last, last_id = len(self._row), int(self._ids[len(self._row)])
                for array in self._arrays():
                    array[row] = array[last]
                if row != last:
                    self._row[last_id] = row

    def _add(self, film: Film, vectors: Mapping[VectorName, Vector]) -> None:
        row = self._row.get(film.id, len(self._row))
        if row == len(self._ids):
            self._make_room()
        payload = payload_of(film)
        for field, numbers in self._numbers.items():
            numbers[row] = payload.get(field, UNKNOWN)
        for field, columns in self._keywords.items():
            values = payload[field]
            values = values if isinstance(values, list) else [values]
            for value in values:
                if value not in columns:
                    columns[value] = np.zeros(len(self._ids), np.bool_)
            for value, column in columns.items():
                column[row] = value in values
        for name in VECTOR_NAMES:
            lengths, rows = self._lengths[name], self._vectors[name]
            lengths[row] = 0
            if name in vectors:
                rows[row] = compact(vectors[name])
                lengths[row] = np.linalg.norm(rows[row].astype(np.float32))
        self._ids[row] = film.id
        self._row[film.id] = row

    def _arrays(self) -> list[NDArray[Any]]:
        columns = (column for columns in self._keywords.values() for column in columns.values())
        return [
            self._ids,
            *self._numbers.values(),
            *columns,
            *self._vectors.values(),
            *self._lengths.values(),
        ]

    def _make_room(self) -> None:
        self._ids = doubled(self._ids)
        groups: list[dict[Any, Any]] = [self._numbers, self._vectors, self._lengths, *self._keywords.values()]
        for group in groups:
            group.update({name: doubled(array) for name, array in group.items()})

    def _search(self, name: VectorName, vector: Vector, limit: int, where: FilmFilter) -> list[Hit]:
        rows, cosines = self._cosines(name, vector, np.flatnonzero(self._matching(where)))
        best = np.argsort(-cosines, kind="stable")[:limit]
        return list(map(Hit, self._ids[rows[best]].tolist(), cosines[best].tolist()))

    def _cosines(self, name: VectorName, vector: Vector, rows: Rows) -> tuple[Rows, NDArray[np.float32]]:
        """The rows that have such a vector, and its cosines with this one."""
        vectors, lengths = self._vectors[name], self._lengths[name]
        rows = rows[lengths[rows] > 0]
        wanted = np.frombuffer(vector, np.float32)
        products = [
            vectors[rows[begin : begin + COMPARED_AT_ONCE]].astype(np.float32) @ wanted
            for begin in range(0, len(rows), COMPARED_AT_ONCE)
        ]
        whole = np.concatenate(products) if products else np.zeros(0, np.float32)
        return rows, whole / (lengths[rows] * np.float32(np.linalg.norm(wanted)))

    def _matching(self, where: FilmFilter) -> Mask:
        found: Mask = np.ones(len(self._row), np.bool_)
        must, must_not = conditions(where) if where != EVERYTHING else ([], [])
        for condition in must:
            found &= self._holds(condition)
        for condition in must_not:
            found &= ~self._holds(condition)
        return found

    def _holds(self, condition: Condition) -> Mask:
        count = len(self._row)
        holds: Mask = np.zeros(count, np.bool_)
        if condition.field == "id":
            holds[[self._row[id] for id in condition.values if id in self._row]] = True
        elif condition.values:
            for value in condition.values:
                if value in self._keywords[condition.field]:
                    holds |= self._keywords[condition.field][value][:count]
        else:
            numbers = self._numbers[condition.field][:count]
            holds = numbers != UNKNOWN
            if condition.least is not None:
                holds &= numbers >= condition.least
            if condition.most is not None:
                holds &= numbers <= condition.most
        return holds

    async def _run(self, work: Callable[[], T]) -> T:
        return work() if len(self._row) <= QUICK else await asyncio.to_thread(work)


def doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([array, np.zeros_like(array)])
