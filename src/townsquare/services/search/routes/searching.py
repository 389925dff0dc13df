"""`/search`: films for a query, and why these."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Limit
from townsquare.problems import Invalid
from townsquare.routes import Routes
from townsquare.services.search.models.films import FilmId
from townsquare.services.search.models.results import (
    NO_FILTERS,
    Explanation,
    FilmList,
    IgnoredParts,
    PreferredParts,
    ResultCount,
    SearchAnswer,
    SearchFilters,
    ShownCounts,
    TitleMatches,
)
from townsquare.services.search.problems import BadQuery, FilmNotFound, SearchNotInstalled, UnknownFilter
from townsquare.services.search.service import MovieSearch

SEARCH = Limit(
    "search", 240, 60
)  # a person who types, chooses and takes chips away, a few of them at an address
FILTERS = frozenset(SearchFilters.__struct_fields__)

QueryText = Annotated[
    str, Meta(description="at most 200 characters", examples=["slow-burn space movie from the 80s"])
]


class SearchAsked(msgspec.Struct, kw_only=True):
    query: QueryText
    filters: SearchFilters = NO_FILTERS
    shown_movie_counts: ShownCounts = {}
    ignore: IgnoredParts = ()
    prefer: PreferredParts = ()
    limit: ResultCount = 20


class ExplainAsked(SearchFilters, frozen=True, kw_only=True):
    """The filters as parameters of their own."""

    query: QueryText
    ignore: IgnoredParts = ()
    prefer: PreferredParts = ()
    limit: ResultCount = 20


class SimilarAsked(msgspec.Struct, kw_only=True):
    id: FilmId
    filters: SearchFilters = NO_FILTERS
    limit: ResultCount = 10


class TitleAsked(msgspec.Struct, kw_only=True):
    q: Annotated[str, Meta(description="how the title begins", examples=["blade"])]
    limit: Annotated[int, Meta(ge=1, le=20)] = 8


def search_endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    routes = Routes(tag="search", limit=SEARCH, errors=(BadQuery, SearchNotInstalled))

    @routes.post("/search", errors=(BadQuery, Invalid, UnknownFilter, SearchNotInstalled))
    async def search_films(call: Call, given: SearchAsked) -> SearchAnswer:
        """Films for a query in anybody's words, each with why it matched."""
        return await search.search(
            given.query,
            filters=given.filters,
            shown_movie_counts=by_film(given.shown_movie_counts),
            ignore=given.ignore,
            prefer=given.prefer,
            limit=given.limit,
        )

    @routes.get("/search/explain", errors=(BadQuery, UnknownFilter, SearchNotInstalled))
    async def explain_search(call: Call, given: ExplainAsked) -> Explanation:
        """One search step by step: understanding, hits and misses, channels, scores."""
        named = {name: getattr(given, name) for name in FILTERS}
        return await search.explain(
            given.query,
            filters=SearchFilters(**named),
            ignore=given.ignore,
            prefer=given.prefer,
            limit=given.limit,
        )

    @routes.post("/search/similar", errors=(FilmNotFound, UnknownFilter, SearchNotInstalled))
    async def similar_films(call: Call, given: SimilarAsked) -> FilmList:
        """Films that are like one."""
        return FilmList(await search.similar(given.id, filters=given.filters, limit=given.limit))

    @routes.get("/title_search")
    async def search_titles(call: Call, given: TitleAsked) -> TitleMatches:
        """Titles that begin so, while somebody types."""
        return TitleMatches(await search.title_search(given.q, given.limit))

    return routes.endpoints


def by_film(counts: dict[str, int]) -> dict[int, int]:
    """JSON has names for keys; ours are ids."""
    if wrong := [name for name in counts if not (name.isascii() and name.isdigit() and len(name) <= 16)]:
        raise Invalid(f"shown_movie_counts: {wrong[0][:40]!r} is no id of a film")
    return {int(name): count for name, count in counts.items()}
