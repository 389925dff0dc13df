"""Movie search, and the four caches that make it fast."""

from collections.abc import Sequence
from pathlib import Path

from townsquare.service import Link, Pages, Service
from townsquare.service_resources import Resources
from townsquare.services.events import CommentSites, LikeButtons
from townsquare.services.search import keys, routes
from townsquare.services.search.commands import commands
from townsquare.services.search.service import MovieSearch
from townsquare.services.search.service.opened import OpenOnce
from townsquare.services.search.service.opening import open_search
from townsquare.services.search.service.trending import FilmViews, Trending, TrendingSource
from townsquare.settings import Settings, SettingsError


def build(square: Resources) -> MovieSearch:
    """Nothing is opened here: indexes are, by whoever asks first."""
    off = square.settings.disabled_services
    others = [built for name, built in square.services.items() if name not in off]
    views = FilmViews(square.store)
    opening = OpenOnce(lambda: open_search(square, trending))
    sources: dict[str, TrendingSource | None] = {
        "views": views,
        "tmdb": LateTmdbTrending(opening),
        "off": None,
    }
    trending = Trending(square.store, sources[square.settings.search_trending])
    search = MovieSearch(
        opening,
        trending=trending,
        views=views,
        comments=next((one for one in others if isinstance(one, CommentSites)), None),
        likes=next((one for one in others if isinstance(one, LikeButtons)), None),
    )
    if "search" not in off:
        trending.schedule(square.background)
    return search


class LateTmdbTrending:
    """TMDB's films of the day: whose they are is found in the catalogue, which is opened then."""

    def __init__(self, opening: OpenOnce) -> None:
        self._opening = opening

    async def fetch(self) -> Sequence[int]:
        fetch = (await self._opening.get()).tmdb_trending
        return await fetch() if fetch else ()


def check_settings(settings: Settings) -> None:
    if settings.search_trending == "tmdb" and not settings.tmdb_key:
        raise SettingsError("search_trending is tmdb: that takes a tmdb_key")


SERVICE: Service[MovieSearch] = Service(
    name="search",
    keyspace=keys.search,
    build=build,
    endpoints=routes.endpoints,
    pages=Pages(
        links=[Link("Movies", "/movies", "Find a film by title, person, mood or plot")],
        assets=Path(__file__).parent / "pages" / "assets",
    ),
    commands=[commands],
    privacy=None,  # nobody's queries are kept with who asked them
    check_settings=check_settings,
    start=MovieSearch.start,
    close=MovieSearch.close,
)
