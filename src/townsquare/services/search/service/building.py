"""The search of a square: nothing is opened before somebody searches."""

from collections.abc import Sequence

from townsquare.service_resources import Resources
from townsquare.services.events import CommentSites, LikeButtons
from townsquare.services.search.service import MovieSearch
from townsquare.services.search.service.opened import OpenOnce, OpenSearch
from townsquare.services.search.service.trending import FilmViews, Trending, TrendingSource


def build(square: Resources) -> MovieSearch:
    """Nothing is opened here: indexes are, by whoever asks first."""
    off = square.settings.disabled_services
    others = [built for name, built in square.services.items() if name not in off]
    views = FilmViews(square.store)

    async def open() -> OpenSearch:
        from townsquare.services.search.service.opening import open_search  # the first use imports it

        return await open_search(square, trending)

    opening = OpenOnce(open)
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
