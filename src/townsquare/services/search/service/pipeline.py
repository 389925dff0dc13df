"""One search from the query to the films, in the order in which docs/search.md numbers its steps.

1. understanding (cached) · 2. embeddings (cached) and names · 3. lexical and vector search, in parallel ·
4. merge · 5. one bulk fetch of records, and of the trending set if it is wanted · 6. rerank in memory.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from townsquare.logger import get_logger
from townsquare.services.search.models.films import VectorName
from townsquare.services.search.models.results import (
    NO_FILTERS,
    FoundFilm,
    IndexProgress,
    SearchAnswer,
    SearchFilters,
    SearchNotice,
)
from townsquare.services.search.models.understanding import QueryUnderstandingResponse, Relevance
from townsquare.services.search.parts import FilmFilter, LexicalIndex, Vector, VectorIndex
from townsquare.services.search.service import limits
from townsquare.services.search.service.explain import Trace
from townsquare.services.search.service.names import LikeFilm, QueryNames, look_up
from townsquare.services.search.service.presentation import (
    FACET_FILMS,
    NOTHING_FITS,
    indexing_notice,
    keyword_facets,
    not_held_notices,
    nothing_fits,
    plain_card,
    relaxed_notice,
)
from townsquare.services.search.service.rerank import (
    FilmCandidate,
    Scored,
    kinship,
    rerank,
    weights_of,
)
from townsquare.services.search.service.understood import (
    as_preferences,
    reasons,
    understood_parts,
    without_parts,
)
from townsquare.services.search.service.vector_search import (
    CachedVectors,
    Cosines,
    VectorQuery,
    described,
    like_queries,
    merged,
    search_vectors,
    text_queries,
    texts_to_embed,
    wanted,
)

if TYPE_CHECKING:
    from townsquare.services.search.understanding.cached import Understood

log = get_logger()

WORDS_FOUND = 60  # by title, people, studios: more than a page of them is no answer
TEXTS_FOUND = 200  # by words of their texts
ENOUGH = 10  # films: a limit that leaves fewer is relaxed
MATCHING_FOUND = 150  # films of the kind that was stated, the best known first


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    query: str
    filters: SearchFilters = NO_FILTERS
    shown: Mapping[int, int] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    prefer: Sequence[str] = ()
    limit: int = 20


class QueryUnderstanding(Protocol):
    async def understand(self, query: str) -> "Understood":
        """What a query means, whether that was in the cache, and why it is less than it could be."""
        ...


class TrendingFilms(Protocol):
    async def current(self) -> frozenset[int]:
        """Ids; empty where nobody has found out yet."""
        ...


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a search is made of; each may be another one."""

    understanding: QueryUnderstanding
    embeddings: CachedVectors
    vectors: VectorIndex
    lexical: LexicalIndex
    trending: TrendingFilms


class Pipeline:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def search(self, asked: SearchRequest, progress: IndexProgress, trace: Trace) -> SearchAnswer:
        parts = self._parts
        if not progress.ready:
            trace.tell(indexing_notice(progress))
        understanding = without_parts(await self._understand(asked.query, trace), asked.ignore)
        understanding = as_preferences(understanding, asked.prefer)
        names, vectors = await asyncio.gather(
            self._look_up(understanding, trace),
            self._embed(asked.query, understanding, trace, wait=progress.ready),
        )
        if not weights_of(understanding).vector:
            understanding = await self._without_texts(understanding, names)
        trace.understanding = understanding
        for notice in not_held_notices(understanding):
            trace.tell(notice)
        where, within = await self._limits(asked, understanding, names, trace)
        queries = [*like_queries(names, await self._vectors_of(names, trace))]
        if weights_of(understanding).vector:
            queries += text_queries(asked.query, understanding, vectors, like=bool(names.like))
        words, texts, matching, cosines = await asyncio.gather(
            self._search_words(wanted(asked.query, understanding), understanding, where, trace),
            self._search_texts(
                described(asked.query, understanding, like=bool(names.like)), understanding, where, trace
            ),
            self._matching(understanding, where, within, trace),
            self._search_vectors(queries, where, trace),
        )
        trending = await self._trending(understanding, trace)
        with trace.step("merge") as step:
            found = merged(names, words, texts, matching, cosines, trending)
            step.found = len(found)
        with trace.step("records") as step:
            films = await parts.lexical.films(found)
            models = await parts.lexical.films([one.film_id for one in names.like]) if names.like else []
            step.found = len(films)
        await self._complete(cosines, [film.id for film in films], trace)
        with trace.step("rerank") as step:
            candidates = [
                FilmCandidate(
                    film=film,
                    title_likeness=names.titles.get(film.id, 0.0),
                    maybe_title=names.maybe_titles.get(film.id, 0.0),
                    name_likeness=max((one.evidence(film) for one in names.entities), default=0.0),
                    name_words=words.get(film.id, 0.0),
                    words=texts.get(film.id, 0.0),
                    texts=cosines.texts(film.id),
                    like=cosines.like(film.id),
                    kinship=max((kinship(film, model) for model in models), default=0.0),
                )
                for film in films
            ]
            trace.scored = rerank(
                candidates,
                understanding,
                where,
                within=within,
                trending=trending,
                shown=asked.shown,
            )
            step.found = len(trace.scored)
        if nothing_fits(trace.scored, understanding, names):
            trace.tell(NOTHING_FITS)
        return SearchAnswer(
            query=asked.query,
            keywords=keyword_facets([one.film for one in trace.scored[:FACET_FILMS]], asked.filters.keywords),
            results=[card(one, understanding, names) for one in trace.scored[: asked.limit]],
            understood=understood_parts(understanding),
            notices=trace.notices,
            took_ms=trace.elapsed_ms,
        )

    async def _understand(self, query: str, trace: Trace) -> QueryUnderstandingResponse:
        with trace.step("understanding") as step:
            try:
                understood = await self._parts.understanding.understand(query)
            except Exception:
                log.exception("a query was not understood")
                trace.tell(SearchNotice("understanding_degraded", "Only the words of the query are compared"))
                return QueryUnderstandingResponse()
            step.hits, step.misses = int(understood.cached), int(not understood.cached)
            if understood.degraded:
                step.says = "by rules alone"
                trace.tell(
                    SearchNotice("understanding_degraded", "The model does not answer: understood by rules")
                )
            return understood.meaning

    async def _look_up(self, understanding: QueryUnderstandingResponse, trace: Trace) -> QueryNames:
        with trace.step("names") as step:
            names = await look_up(self._parts.lexical, understanding)
            step.found = len(names.titles) + len(names.entities) + len(names.like)
        for name in names.unknown:
            trace.tell(SearchNotice("relaxed", f"Nothing here is called “{name}”"))
        for title in names.unknown_like:
            trace.tell(SearchNotice("unknown_film", f"“{title}” is not in the catalogue"))
        return names

    async def _embed(
        self, query: str, understanding: QueryUnderstandingResponse, trace: Trace, *, wait: bool
    ) -> Mapping[str, Vector]:
        """Nothing if the model is still being read and nobody should `wait` for it."""
        texts = texts_to_embed(query, understanding)
        with trace.step("embeddings") as step:
            if not wait and not self._parts.embeddings.at_once:
                step.misses, step.says = len(texts), "the model is still being read"
                return {}
            try:
                made, hits = await self._parts.embeddings.embed(texts)
            except Exception as error:
                log.warning("texts were not embedded", error=repr(error))
                trace.tell(
                    SearchNotice(
                        "embeddings_degraded", "Moods and plots are not compared: titles and facts alone"
                    )
                )
                step.misses = len(texts)
                return {}
            step.hits, step.misses = hits, len(texts) - hits
            return dict(zip(texts, made, strict=True))

    async def _without_texts(
        self, understanding: QueryUnderstandingResponse, names: QueryNames
    ) -> QueryUnderstandingResponse:
        """A query that is a name alone. A title is followed by films that are like it."""
        if names.titles:
            best = await self._parts.lexical.films([max(names.titles, key=names.titles.__getitem__)])
            names.like = [LikeFilm(film.title, film.id, ()) for film in best]
            return with_vectors(understanding, "small")
        if names.entities:
            return understanding
        return with_vectors(understanding, "large")  # the name is nobody's: the sentence must do

    async def _limits(
        self, asked: SearchRequest, understanding: QueryUnderstandingResponse, names: QueryNames, trace: Trace
    ) -> tuple[FilmFilter, FilmFilter]:
        """The filter of all results, and the filter of those that come first.

        The two differ if a limit was relaxed because too few films are within it.
        """
        preferences = understanding.metadata_preferences
        left_out = names.excluded | {id for one in names.like for id in one.left_out}
        if understanding.without_sequels:
            left_out |= {*await self._parts.lexical.sequels()}
        always = limits.narrowed(limits.of_request(asked.filters), limits.exclusions(preferences, left_out))
        stated = [*limits.stated_limits(preferences), *names.limits]
        within = where = limits.all_of([always, *(limit.where for limit in stated)])
        with trace.step("limits") as step:
            fitting = await self._count(within) if stated else ENOUGH
            says_more = len(stated) > 1 or names.like or weights_of(understanding).vector
            if fitting < ENOUGH and (says_more or not fitting):
                for given_up in limits.given_up(stated):
                    step.found += 1
                    looser = limits.all_of([always, *(one.where for one in stated if one not in given_up)])
                    found = await self._count(looser)
                    if found and not fitting and where == within:
                        where, dropped = looser, given_up
                    if found >= ENOUGH:
                        where, dropped = looser, given_up
                        break
                if where != within:
                    trace.tell(relaxed_notice(dropped, fitting))
        return where, within

    async def _count(self, where: FilmFilter) -> int:
        """Films within a filter, up to as many as are enough."""
        return len(await self._parts.lexical.matching(where, limit=ENOUGH))

    async def _vectors_of(self, names: QueryNames, trace: Trace) -> Mapping[int, Mapping[VectorName, Vector]]:
        if not names.like:
            return {}
        try:
            return await self._parts.vectors.vectors([one.film_id for one in names.like])
        except Exception as error:
            tell_vectors_degraded(error, trace)
            return {}

    async def _search_words(
        self, query: str, understanding: QueryUnderstandingResponse, where: FilmFilter, trace: Trace
    ) -> dict[int, float]:
        """Words of names, where names count."""
        if not query or not weights_of(understanding).lexical:
            return {}
        with trace.step("lexical search") as step:
            found = await self._parts.lexical.search(query, limit=WORDS_FOUND, where=where)
            step.found = len(found)
            return {hit.film_id: hit.score for hit in found}

    async def _search_texts(
        self,
        description: str | None,
        understanding: QueryUnderstandingResponse,
        where: FilmFilter,
        trace: Trace,
    ) -> dict[int, float]:
        if not description or not weights_of(understanding).vector:
            return {}
        with trace.step("text search") as step:
            found = await self._parts.lexical.texts(description, limit=TEXTS_FOUND, where=where)
            step.found = len(found)
            return {hit.film_id: hit.score for hit in found}

    async def _matching(
        self,
        understanding: QueryUnderstandingResponse,
        where: FilmFilter,
        within: FilmFilter,
        trace: Trace,
    ) -> Sequence[int]:
        """Films within the limits, for queries that say little else, and if only few films are."""
        if not weights_of(understanding).metadata and where == limits.exclusions(
            understanding.metadata_preferences
        ):
            return ()
        with trace.step("facts") as step:
            found = await self._parts.lexical.matching(where, limit=MATCHING_FOUND)
            if within != where:
                found = [*await self._parts.lexical.matching(within, limit=ENOUGH), *found]
            step.found = len(found)
            return found

    async def _search_vectors(
        self, queries: Sequence[VectorQuery], where: FilmFilter, trace: Trace
    ) -> Cosines:
        if not queries:
            return Cosines()
        with trace.step("vector search") as step:
            try:
                cosines = await search_vectors(self._parts.vectors, queries, where)
            except Exception as error:
                tell_vectors_degraded(error, trace)
                return Cosines()
            trace.channels = cosines.uses()
            step.found = len(cosines.film_ids)
            return cosines

    async def _complete(self, cosines: Cosines, film_ids: Sequence[int], trace: Trace) -> None:
        """Cosines of films that one channel found and another did not."""
        if not cosines.queries:
            return
        with trace.step("vector scores") as step:
            try:
                step.found = await cosines.complete(self._parts.vectors, film_ids)
            except Exception as error:
                tell_vectors_degraded(error, trace)

    async def _trending(self, understanding: QueryUnderstandingResponse, trace: Trace) -> frozenset[int]:
        """Asked for only where it is wanted, once."""
        if not understanding.metadata_preferences.popular_trending_preference.prefers_trending_movies:
            return frozenset()
        with trace.step("trending") as step:
            found = await self._parts.trending.current()
            step.found = len(found)
        if not found:
            trace.tell(SearchNotice("trending_missing", "Nobody has found out yet what is trending"))
        return found


def with_vectors(
    understanding: QueryUnderstandingResponse, relevance: Relevance
) -> QueryUnderstandingResponse:
    said = understanding.channel_weights
    return replace(understanding, channel_weights=replace(said, vector_relevance=relevance))


def card(scored: Scored, understanding: QueryUnderstandingResponse, names: QueryNames) -> FoundFilm:
    like = [one.title for one in names.like]
    return replace(
        plain_card(scored.film),
        score=round(scored.score, 4),
        why=reasons(scored, understanding.metadata_preferences, names.entities, like),
    )


def tell_vectors_degraded(error: Exception, trace: Trace) -> None:
    log.warning("the vector index does not answer", error=repr(error))
    trace.tell(SearchNotice("vectors_degraded", "Moods and plots are not compared: titles and facts alone"))
