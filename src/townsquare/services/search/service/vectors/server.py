"""A Qdrant server by URL: one collection for all processes, with the same vectors and payloads."""

from array import array
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import ApiException

from townsquare.services.search.models.films import VECTOR_NAMES, Film, VectorName
from townsquare.services.search.parts import EVERYTHING, FilmFilter, Hit, Vector
from townsquare.services.search.service.vectors.payloads import (
    KEYWORDS,
    NUMBERS,
    Condition,
    VectorsUnavailable,
    conditions,
    payload_of,
)

T = TypeVar("T")

SECONDS = 10
AT_ONCE = 64  # films in one update: about one megabyte
PAGE = 1000  # ids that are read at once
DIGEST = "digest"  # of the indexed texts, in the payload


class ServerVectorIndex:
    """A `VectorIndex` on a collection named after the environment and the model."""

    own_films = False  # what one process puts in is there for all

    def __init__(self, client: AsyncQdrantClient, collection: str) -> None:
        self._client, self._collection = client, collection

    @classmethod
    async def open(cls, url: str, key: str, collection: str, dimensions: int) -> Self:
        """The collection is made if there is none."""
        client = AsyncQdrantClient(
            url=url, api_key=key or None, timeout=SECONDS, check_compatibility=False, prefer_grpc=False
        )
        index = cls(client, collection)
        await index._asked(index._prepare(dimensions))
        return index

    async def close(self) -> None:
        await self._client.close()

    async def known(self) -> dict[int, str]:
        found: dict[int, str] = {}
        after: Any = None
        while True:
            points, after = await self._asked(
                self._client.scroll(
                    self._collection, limit=PAGE, offset=after, with_payload=[DIGEST], with_vectors=False
                )
            )
            found |= {int(point.id): (point.payload or {}).get(DIGEST, "") for point in points}
            if after is None:
                return found

    async def search(
        self, name: VectorName, vector: Vector, *, limit: int, where: FilmFilter = EVERYTHING
    ) -> list[Hit]:
        found = await self._asked(
            self._client.query_points(
                self._collection,
                query=vector.tolist(),
                using=name,
                limit=limit,
                query_filter=filter_of(where),
                with_payload=False,
            )
        )
        return [Hit(int(point.id), point.score) for point in found.points]

    async def scores(self, name: VectorName, vector: Vector, film_ids: Sequence[int]) -> dict[int, float]:
        if not film_ids:
            return {}
        where = FilmFilter(ids=tuple(film_ids))
        hits = await self.search(name, vector, limit=len(film_ids), where=where)
        return {hit.film_id: hit.score for hit in hits}

    async def vectors(self, film_ids: Sequence[int]) -> Mapping[int, Mapping[VectorName, Vector]]:
        found = await self._asked(
            self._client.retrieve(self._collection, ids=list(film_ids), with_payload=False, with_vectors=True)
        )
        return {int(point.id): named_vectors(point.vector) for point in found}

    async def add(
        self, films: Sequence[tuple[Film, Mapping[VectorName, Vector]]], digests: Mapping[int, str] = {}
    ) -> None:
        for begin in range(0, len(films), AT_ONCE):
            points = [
                models.PointStruct(
                    id=film.id,
                    vector={name: vector.tolist() for name, vector in vectors.items()},
                    payload={**payload_of(film), DIGEST: digests.get(film.id, "")},
                )
                for film, vectors in films[begin : begin + AT_ONCE]
            ]
            await self._asked(self._client.upsert(self._collection, points=points, wait=True))

    async def remove(self, film_ids: Sequence[int]) -> None:
        if film_ids:
            await self._asked(
                self._client.delete(self._collection, points_selector=list(film_ids), wait=True)
            )

    async def _prepare(self, dimensions: int) -> None:
        if await self._client.collection_exists(self._collection):
            return
        size = models.VectorParams(size=dimensions, distance=models.Distance.COSINE)
        await self._client.create_collection(
            self._collection, vectors_config=dict.fromkeys(VECTOR_NAMES, size)
        )
        for field in KEYWORDS:
            await self._client.create_payload_index(self._collection, field, models.PayloadSchemaType.KEYWORD)
        for field in NUMBERS:
            await self._client.create_payload_index(self._collection, field, models.PayloadSchemaType.INTEGER)

    async def _asked(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except (ApiException, httpx.HTTPError, OSError) as error:
            raise VectorsUnavailable(f"The Qdrant server: {type(error).__name__}") from error


def named_vectors(found: Any) -> dict[VectorName, Vector]:
    known = found if isinstance(found, dict) else {}
    return {name: array("f", known[name]) for name in VECTOR_NAMES if name in known}


def filter_of(where: FilmFilter) -> models.Filter | None:
    if where == EVERYTHING:
        return None
    must, must_not = conditions(where)
    return models.Filter(
        must=[server_condition(one) for one in must], must_not=[server_condition(one) for one in must_not]
    )


def server_condition(condition: Condition) -> models.Condition:
    if condition.field == "id":
        return models.HasIdCondition(has_id=list(condition.values))
    if condition.values:
        return models.FieldCondition(key=condition.field, match=models.MatchAny(any=list(condition.values)))
    return models.FieldCondition(
        key=condition.field, range=models.Range(gte=condition.least, lte=condition.most)
    )
