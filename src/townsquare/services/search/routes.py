"""Movie search over HTTP."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Content, HtmlPage, Limit, Nothing, by_ip
from townsquare.kit.files import CACHE, tagged
from townsquare.problems import Invalid
from townsquare.routes import Routes
from townsquare.services.search.models.details import FilmDetails
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
from townsquare.services.search.pages import film_page, search_page
from townsquare.services.search.problems import BadQuery, FilmNotFound, SearchNotInstalled, UnknownFilter
from townsquare.services.search.service import MovieSearch


class OfFilm(msgspec.Struct):
    id: FilmId


class TrendingAsked(msgspec.Struct):
    limit: ResultCount = 20


SVG = "image/svg+xml"


def film_endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    routes = Routes(tag="search", errors=(FilmNotFound, SearchNotInstalled))

    @routes.get("/movie/{id}")
    async def show_film(call: Call, given: OfFilm) -> FilmDetails:
        """A film with all that is known of it."""
        return await search.details(given.id)

    @routes.get("/movie/{id}/poster.svg", open_to_any_origin=True)
    async def draw_film_poster(call: Call, given: OfFilm) -> Annotated[Content, SVG]:
        """A drawn poster, for films that have none."""
        return tagged(call, (await search.poster(given.id)).encode(), SVG, CACHE)

    @routes.get("/trending", errors=(SearchNotInstalled,))
    async def trending_films(call: Call, given: TrendingAsked) -> FilmList:
        """What is trending, the best known first."""
        return FilmList(await search.trending(given.limit))

    return routes.endpoints


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


STYLES = ("/search/assets/movies.css",)


def page_endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    routes = Routes("/movies", tag="search")

    @routes.page("")
    async def movies(call: Call, given: Nothing) -> HtmlPage:
        search.start()
        return HtmlPage(
            title="Movies",
            body=search_page(is_open=search.is_open),
            styles=STYLES,
            scripts=("/search/assets/movies.js",),
            images_from_anywhere=True,  # posters may be where the catalogue says
            skip="Skip to the films",
            skip_to="#films",
        )

    @routes.page("/{id}", errors=(FilmNotFound, SearchNotInstalled))
    async def movie(call: Call, given: OfFilm) -> HtmlPage:
        film = await search.film(given.id)
        await search.count_view(film.id, f"{by_ip(call)} {call.user_agent}")
        key, button = await search.comments_key(), await search.like_button(film.id)
        components = {"comments": key, "like": button}
        return HtmlPage(
            title=f"{film.title} ({film.year})",
            body=film_page(film, comments_key=key, like_id=button),
            styles=STYLES,
            scripts=(
                "/search/assets/movie.js",
                *(f"/components/{name}.js" for name, id in components.items() if id),
            ),
            images_from_anywhere=True,
        )

    return routes.endpoints


def endpoints(search: MovieSearch) -> list[AnyEndpoint]:
    return [*search_endpoints(search), *film_endpoints(search), *page_endpoints(search)]
