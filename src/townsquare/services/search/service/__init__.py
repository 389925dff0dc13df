"""Movie search as one thing: what the library, HTTP and the command line call."""

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from townsquare.kit.text import BadText, one_line
from townsquare.services.events import CommentSites, LikeButtons
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.films import Film, FilmId
from townsquare.services.search.models.results import (
    NO_FILTERS,
    QUERY_LENGTH,
    Explanation,
    FoundFilm,
    IgnoredParts,
    IndexProgress,
    PreferredParts,
    ResultCount,
    SearchAnswer,
    SearchFilters,
    TitleMatch,
    poster_of,
)
from townsquare.services.search.posters import draw_poster
from townsquare.services.search.problems import BadQuery, FilmNotFound

if TYPE_CHECKING:  # imported by the first search
    from townsquare.services.search.service.building import OpenOnce
    from townsquare.services.search.service.explain import Trace
    from townsquare.services.search.service.trending import FilmViews, Trending

COMMENTS_SITE = "Films"
SUGGESTED = 8  # titles while somebody types

ShownTimes = Annotated[dict[FilmId, int], Meta(max_length=1_000)]


class MovieSearch:
    """Films by title, person, mood, plot, or anything else that somebody says of them.

    Indexes are opened by whoever asks first, or when a server starts.
    """

    def __init__(
        self,
        opening: "OpenOnce",
        *,
        trending: "Trending",
        views: "FilmViews",
        comments: CommentSites | None = None,
        likes: LikeButtons | None = None,
    ) -> None:
        self._opening = opening
        self._trending = trending
        self._views = views
        self._comments = comments
        self._likes = likes

    async def search(
        self,
        query: str,
        *,
        filters: SearchFilters = NO_FILTERS,
        shown_movie_counts: ShownTimes | None = None,
        ignore: IgnoredParts = (),
        prefer: PreferredParts = (),
        limit: ResultCount = 20,
    ) -> SearchAnswer:
        """Films for a query in anybody's words, each with why it matched."""
        answer, _ = await self._run(
            query, filters, shown=shown_movie_counts or {}, ignore=ignore, prefer=prefer, limit=limit
        )
        return answer

    async def explain(
        self,
        query: str,
        *,
        filters: SearchFilters = NO_FILTERS,
        ignore: IgnoredParts = (),
        prefer: PreferredParts = (),
        limit: ResultCount = 20,
    ) -> Explanation:
        """The same search, with its steps, hits, times, channels and scores."""
        found = await self._run(query, filters, ignore=ignore, prefer=prefer, limit=limit)
        from townsquare.services.search.service.explain import explanation

        return explanation(*found)

    async def film(self, id: FilmId) -> Film:
        """The catalogue's record of a film."""
        found = await (await self._opening.get()).parts.lexical.films([id])
        if not found:
            raise FilmNotFound()
        return found[0]

    async def details(self, id: FilmId) -> FilmDetails:
        """A film with cast, crew and all else that is known; from TMDB where there is a key."""
        return await (await self._opening.get()).details(id)

    async def title_search(self, q: str, limit: ResultCount = SUGGESTED) -> list[TitleMatch]:
        """Titles that begin so, for who is typing; the best known first."""
        opened = await self._opening.get()
        found = await opened.indexes.lexical.titles(checked_query(q), limit)
        return [title_match(film) for film in await opened.parts.lexical.films(found)]

    async def similar(
        self, id: FilmId, *, filters: SearchFilters = NO_FILTERS, limit: ResultCount = 10
    ) -> list[FoundFilm]:
        """Films that are like one, by all that is said of it."""
        film = await self.film(id)
        parts = (await self._opening.get()).parts
        from townsquare.services.search.service.limits import check_filters
        from townsquare.services.search.service.similar import similar

        await check_filters(parts.lexical, filters)
        return await similar(parts, film, filters, limit)

    async def trending(self, limit: ResultCount = 20) -> list[FoundFilm]:
        """What is trending, the best known first; nothing before somebody has found out."""
        ids = sorted(await self._trending.current())
        films = await (await self._opening.get()).parts.lexical.films(ids)
        best = sorted(films, key=lambda film: (-film.fame, -film.quality, film.id))
        from townsquare.services.search.service.presentation import plain_card

        return [plain_card(film) for film in best[:limit]]

    async def refresh_trending(self) -> int:
        """Find out what is trending; how many films that are, 0 if nothing was found and all stays."""
        return await self._trending.refresh()

    async def count_view(self, id: FilmId, visitor: str) -> None:
        """Somebody looks at a film: once a visitor and day, which makes it trend."""
        await self._views.count(id, visitor)

    async def comments_key(self) -> str | None:
        """The public key of the site that has the comments on films, if there is such a service."""
        return await self._comments.own_site(COMMENTS_SITE) if self._comments else None

    async def like_button(self, id: FilmId) -> str | None:
        """The id of a film's like button, if there is such a service."""
        return await self._likes.own_like_button(f"film {id}") if self._likes else None

    async def poster(self, id: FilmId) -> str:
        """A drawn poster, as SVG."""
        return draw_poster(await self.film(id))

    async def status(self) -> IndexProgress:
        """How many films there are, and how far their vectors are made."""
        opened = await self._opening.get()
        await opened.indexes.compared()
        return opened.indexes.progress

    async def wait_until_ready(self) -> None:
        """Until moods and plots can be compared, or it is known that they cannot."""
        await (await self._opening.get()).indexes.wait_until_ready()

    @property
    def is_open(self) -> bool:
        """Whether a search need not wait for the indexes to be opened."""
        return self._opening.is_open

    def start(self) -> None:
        """Open the indexes in the background: somebody is about to search."""
        self._opening.start()

    async def close(self) -> None:
        await self._opening.close()

    async def _run(self, query: str, filters: SearchFilters, **options: Any) -> "tuple[SearchAnswer, Trace]":
        query = checked_query(query)
        opened = await self._opening.get()
        from townsquare.services.search.service.explain import Trace
        from townsquare.services.search.service.limits import check_filters
        from townsquare.services.search.service.pipeline import Pipeline, SearchRequest

        await check_filters(opened.parts.lexical, filters)
        if not opened.indexes.progress.ready:
            await opened.indexes.compared()
        trace = Trace()
        asked = SearchRequest(query=query, filters=filters, **options)
        answer = await Pipeline(opened.parts).search(asked, opened.indexes.progress, trace)
        return answer, trace


def checked_query(query: str) -> str:
    try:
        kept = one_line(query, QUERY_LENGTH)
    except BadText as bad:
        raise BadQuery(
            f"Use at most {QUERY_LENGTH} characters" if bad.fault == "too long" else f"It has a {bad.fault}"
        ) from None
    if not any(sign.isalnum() for sign in kept):
        raise BadQuery("Say what you are looking for: a title, a person, a mood, a plot")
    return kept


def title_match(film: Film) -> TitleMatch:
    return TitleMatch(id=film.id, title=film.title, year=film.year, poster=poster_of(film))
