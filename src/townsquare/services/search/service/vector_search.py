"""Vector search of one query: chooses the named vectors, computes cosines and collects candidates."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from townsquare.services.search.models.films import CHANNELS, VECTOR_NAMES, Channel, VectorName
from townsquare.services.search.models.results import ChannelUse
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import FilmFilter, Vector, VectorIndex
from townsquare.services.search.service.names import QueryNames
from townsquare.services.search.service.rerank import (
    channel_trust,
    relevance_of,
)

FOUND_PER_CHANNEL = 100  # twice the longest answer: a film that is good in one channel is then seen in all


class CachedVectors(Protocol):
    @property
    def at_once(self) -> bool:
        """Whether nobody has to wait for a model that is still being read."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[list[Vector], int]:
        """A vector for each text, and how many of them were in the cache."""
        ...


class VectorQuery(msgspec.Struct, frozen=True, kw_only=True):
    """One named vector, asked with one text or with the vector of a film that it shall be like."""

    name: VectorName
    vector: Vector
    says: str
    weight: float = 1.0
    like: int | None = None  # id of that film


class Cosines:
    """What the queries said of each film."""

    def __init__(self, queries: Sequence[VectorQuery] = (), found: Sequence[dict[int, float]] = ()) -> None:
        self.queries = queries
        self._found = found

    @property
    def film_ids(self) -> set[int]:
        return {id for found in self._found for id in found}

    def texts(self, film_id: int) -> Mapping[VectorName, float]:
        return {query.name: found[film_id] for query, found in self._pairs(like=False) if film_id in found}

    def like(self, film_id: int) -> Mapping[VectorName, float]:
        """The mean over the films that it shall be like."""
        by_name: dict[VectorName, list[float]] = {}
        for query, found in self._pairs(like=True):
            if film_id in found:
                by_name.setdefault(query.name, []).append(found[film_id])
        return {name: sum(some) / len(some) for name, some in by_name.items()}

    def best_first(self) -> list[int]:
        """By what is known so far: a film that a channel did not find is not scored there yet."""
        anchors: dict[int, float] = {}
        channels: dict[int, float] = {}
        for query, found in zip(self.queries, self._found, strict=True):
            best = anchors if query.name == "anchor" else channels
            for film_id, cosine in found.items():
                if cosine > best.get(film_id, 0.0):
                    best[film_id] = cosine
        score = {id: anchors.get(id, channels.get(id, 0.0)) for id in self.film_ids}
        score = {id: value + channels.get(id, value) for id, value in score.items()}
        return sorted(score, key=lambda id: (-score[id], id))

    def uses(self) -> list[ChannelUse]:
        return [
            ChannelUse(channel=query.name, text=query.says, weight=query.weight, found=len(found))
            for query, found in zip(self.queries, self._found, strict=True)
        ]

    async def complete(self, index: VectorIndex, film_ids: Sequence[int]) -> int:
        """Ask each query about the films that it did not find; how many cosines that were."""
        missing = [[id for id in film_ids if id not in found] for found in self._found]
        asked = await asyncio.gather(
            *(
                index.scores(query.name, query.vector, ids)
                for query, ids in zip(self.queries, missing, strict=True)
                if ids
            )
        )
        more = iter(asked)
        for found, ids in zip(self._found, missing, strict=True):
            if ids:
                found.update(next(more))
        return sum(map(len, asked))

    def _pairs(self, *, like: bool) -> Iterator[tuple[VectorQuery, dict[int, float]]]:
        for query, found in zip(self.queries, self._found, strict=True):
            if (query.like is not None) == like:
                yield query, found


def subquery(understanding: QueryUnderstandingResponse, channel: Channel) -> str | None:
    text: str | None = getattr(understanding.vector_subqueries, f"{channel}_data").relevant_subquery_text
    return text or None


def texts_to_embed(query: str, understanding: QueryUnderstandingResponse) -> list[str]:
    """What is wanted of the query, always, and each subquery that there is; each text once."""
    subqueries = [subquery(understanding, channel) for channel in CHANNELS]
    alone = understanding.similar_to or not wanted(query, understanding)
    rest = remainder(understanding) if alone else None
    return list(dict.fromkeys(text for text in (wanted(query, understanding), *subqueries, rest) if text))


def wanted(query: str, understanding: QueryUnderstandingResponse) -> str:
    """The query without what is not wanted: an encoder does not hear the "no" of "no aliens"."""
    return query if understanding.wanted_text is None else understanding.wanted_text


def remainder(understanding: QueryUnderstandingResponse) -> str | None:
    """The Y of "like X but Y": the sentence itself would be about X's title."""
    texts = [text for channel in CHANNELS if (text := subquery(understanding, channel))]
    longest = [text for text in texts if not any(text != other and text in other for other in texts)]
    return ", ".join(dict.fromkeys(longest)) or None


def described(query: str, understanding: QueryUnderstandingResponse, *, like: bool) -> str | None:
    """What was said of the film, without names and limits; where nothing was understood, the query."""
    return remainder(understanding) or (None if like else wanted(query, understanding) or None)


def text_queries(
    query: str, understanding: QueryUnderstandingResponse, vectors: Mapping[str, Vector], *, like: bool
) -> Iterator[VectorQuery]:
    """The anchor with all that is wanted, and each channel that counts with its subquery or the same."""
    whole = None if like else wanted(query, understanding)
    whole = whole or remainder(understanding)
    if whole is None or whole not in vectors:
        return
    yield VectorQuery(name="anchor", vector=vectors[whole], says=whole)
    for channel, trust in channel_trust(understanding.vector_weights).items():
        sure = relevance_of(understanding.vector_weights, channel) != "not_relevant"
        text = (subquery(understanding, channel) if sure else None) or whole
        if text in vectors:
            yield VectorQuery(name=channel, vector=vectors[text], says=text, weight=trust)


def like_queries(
    names: QueryNames, vectors: Mapping[int, Mapping[VectorName, Vector]]
) -> Iterator[VectorQuery]:
    """Each film that the answer shall be like, by all of its own vectors."""
    for film in names.like:
        own = vectors.get(film.film_id, {})
        for name in VECTOR_NAMES:
            if name in own:
                yield VectorQuery(name=name, vector=own[name], says=f"like {film.title}", like=film.film_id)


async def search_vectors(index: VectorIndex, queries: Sequence[VectorQuery], where: FilmFilter) -> Cosines:
    found = await asyncio.gather(
        *(index.search(query.name, query.vector, limit=FOUND_PER_CHANNEL, where=where) for query in queries)
    )
    return Cosines(queries, [{hit.film_id: hit.score for hit in hits} for hits in found])


# whose records are fetched: four pages, so that preferences have something to choose from
MOST_CANDIDATES = 200


def merged(
    names: QueryNames,
    words: Mapping[int, float],
    texts: Mapping[int, float],
    matching: Sequence[int],
    cosines: Cosines,
    trending: frozenset[int],
) -> list[int]:
    """Ids of all that was found, each once, named films first; as many as are worth fetching."""
    by_vector = cosines.best_first()
    named = [
        *names.titles,
        *names.maybe_titles,
        *(id for one in names.entities for id in sorted(one.film_ids)),
    ]
    everything = [*named, *interleaved(by_vector, list(texts), matching, list(words), sorted(trending))]
    return list(dict.fromkeys(everything))[:MOST_CANDIDATES]


def interleaved(*lists: Sequence[int]) -> list[int]:
    """The first of each, then the second of each: no search crowds out another."""
    longest = max(map(len, lists), default=0)
    return [some[place] for place in range(longest) for some in lists if place < len(some)]
