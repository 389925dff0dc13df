"""Qdrant Edge: the engine in our process, on a shard that this process alone has (decision 052)."""

import asyncio
import errno
import shutil
import uuid
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import qdrant_edge as qdrant

from townsquare.services.search.models.films import VECTOR_NAMES, Film, VectorName
from townsquare.services.search.parts import EVERYTHING, FilmFilter, Hit, Vector
from townsquare.services.search.service.vectors.among import scores_among
from townsquare.services.search.service.vectors.payloads import (
    KEYWORDS,
    NUMBERS,
    Condition,
    conditions,
    payload_of,
)
from townsquare.store.engine.folder import FileLock

T = TypeVar("T")

AT_ONCE = 128  # films in one update
ROOM = 64 << 20  # bytes of the disk: a page of a file that is mapped and finds no room ends the process
QUICK = 5_000  # films: a search of so many takes less time than a thread needs to begin


class EdgeVectorIndex:
    """A `VectorIndex` that begins empty: the vectors are kept elsewhere, and loaded in a moment."""

    own_films = True  # every process has its own

    def __init__(self, folder: Path, lock: FileLock, dimensions: int) -> None:
        self._folder, self._lock = folder, lock
        sizes: dict[str, qdrant.EdgeVectorParams] = {
            name: qdrant.EdgeVectorParams(size=dimensions, distance=qdrant.Distance.Cosine)
            for name in VECTOR_NAMES
        }
        self._shard = qdrant.EdgeShard.create(
            str(folder / "shard"), qdrant.EdgeConfig(vectors=sizes, wal_enabled=False)
        )
        for field in KEYWORDS:
            self._index_field(field, qdrant.PayloadSchemaType.Keyword)
        for field in NUMBERS:
            self._index_field(field, qdrant.PayloadSchemaType.Integer)
        self._known: dict[int, str] = {}

    @classmethod
    async def open(cls, shards: Path, dimensions: int) -> Self:
        """A new shard; those that processes left behind which are gone are deleted."""
        return await asyncio.to_thread(cls._open, shards, dimensions)

    @classmethod
    def _open(cls, shards: Path, dimensions: int) -> Self:
        shards.mkdir(mode=0o700, parents=True, exist_ok=True)
        for other in shards.glob("*.lock"):
            left = FileLock(other)
            if left.take():
                shutil.rmtree(other.with_suffix(""), ignore_errors=True)
                other.unlink(missing_ok=True)
                left.release()
        require_room(shards)
        folder = shards / uuid.uuid4().hex
        lock = FileLock(shards / f"{folder.name}.lock")
        lock.take()
        (folder / "shard").mkdir(mode=0o700, parents=True)
        return cls(folder, lock, dimensions)

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._shard.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.path.unlink(missing_ok=True)
        self._lock.release()

    async def known(self) -> dict[int, str]:
        """The films that are in it, with the digest of what was put in."""
        return dict(self._known)

    async def search(
        self, name: VectorName, vector: Vector, *, limit: int, where: FilmFilter = EVERYTHING
    ) -> list[Hit]:
        request = qdrant.SearchRequest(
            query=qdrant.Query.Nearest(vector.tolist(), using=name), limit=limit, filter=filter_of(where)
        )
        found = await self._run(lambda: self._shard.search(request))
        return [Hit(int(point.id), point.score) for point in found]

    async def scores(self, name: VectorName, vector: Vector, film_ids: Sequence[int]) -> dict[int, float]:
        return await scores_among(self, name, vector, film_ids)

    async def vectors(self, film_ids: Sequence[int]) -> Mapping[int, Mapping[VectorName, Vector]]:
        ids = [film_id for film_id in film_ids if film_id in self._known]
        found = await self._run(
            lambda: self._shard.retrieve(point_ids=[*ids], with_payload=False, with_vector=True)
        )
        return {int(record.id): named_vectors(record.vector) for record in found}

    async def add(
        self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]], digests: Mapping[int, str] = {}
    ) -> None:
        for begin in range(0, len(films), AT_ONCE):
            await asyncio.to_thread(self._add, films[begin : begin + AT_ONCE])
        self._known |= {film.id: digests.get(film.id, "") for film, _ in films}

    def _add(self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]]) -> None:
        require_room(self._folder)
        points = [
            qdrant.Point(
                id=film.id,
                vector={name: vector.tolist() for name, vector in vectors.items()},
                payload=payload_of(film),
            )
            for film, vectors in films
        ]
        self._shard.update(qdrant.UpdateOperation.upsert_points(points))

    async def remove(self, film_ids: Sequence[int]) -> None:
        ids = [film_id for film_id in film_ids if film_id in self._known]
        if ids:
            await asyncio.to_thread(self._shard.update, qdrant.UpdateOperation.delete_points([*ids]))
        for film_id in ids:
            del self._known[film_id]

    async def _run(self, work: Callable[[], T]) -> T:
        return work() if len(self._known) <= QUICK else await asyncio.to_thread(work)

    def _index_field(self, field: str, kind: Any) -> None:
        self._shard.update(qdrant.UpdateOperation.create_field_index(field, kind))


def require_room(folder: Path) -> None:
    if shutil.disk_usage(folder).free < ROOM:
        raise OSError(errno.ENOSPC, f"The index of texts needs {ROOM >> 20} MB of the disk")


def named_vectors(found: Any) -> dict[VectorName, Vector]:
    return {name: array("f", found[name]) for name in VECTOR_NAMES if name in found}


def filter_of(where: FilmFilter) -> Any:
    if where == EVERYTHING:
        return None
    must, must_not = conditions(where)
    return qdrant.Filter(
        must=[edge_condition(one) for one in must], must_not=[edge_condition(one) for one in must_not]
    )


def edge_condition(condition: Condition) -> Any:
    if condition.field == "id":
        return qdrant.HasIdCondition(set(condition.values))
    if condition.values:
        return qdrant.FieldCondition(key=condition.field, match=qdrant.MatchAny(list(condition.values)))
    return qdrant.FieldCondition(
        key=condition.field, range=qdrant.RangeFloat(gte=condition.least, lte=condition.most)
    )
