"""The search of a square: its indexes are opened once, by the first request that needs them."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from townsquare.logger import get_logger
from townsquare.service_resources import Resources
from townsquare.services.events import CommentSites, LikeButtons
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.problems import SearchNotInstalled
from townsquare.services.search.service import MovieSearch
from townsquare.services.search.service.trending import FilmViews, Trending, TrendingSource

if TYPE_CHECKING:
    from townsquare.services.search.service.indexes import SearchIndexes
    from townsquare.services.search.service.pipeline import Parts


log = get_logger()


@dataclass(frozen=True, kw_only=True)
class OpenSearch:
    parts: "Parts"
    indexes: "SearchIndexes"
    details: Callable[[int], Awaitable[FilmDetails]]
    close: Callable[[], Awaitable[None]]
    tmdb_trending: Callable[[], Awaitable[Sequence[int]]] | None = None


class OpenOnce:
    """One opening for all who ask; one that fails is tried again by the next."""

    def __init__(self, open: Callable[[], Coroutine[Any, Any, OpenSearch]]) -> None:
        self._open = open
        self._opening: asyncio.Task[OpenSearch] | None = None
        self._starting: asyncio.Task[None] | None = None

    async def get(self) -> OpenSearch:
        if self._opening is None or (self._opening.done() and self._failed(self._opening)):
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    @property
    def is_open(self) -> bool:
        return self._opening is not None and self._opening.done() and not self._failed(self._opening)

    def start(self) -> None:
        """Open it in the background, once: somebody is about to search."""
        if self._opening is None and self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        try:
            await self.get()
        except SearchNotInstalled as missing:
            log.warning("movie search is not installed", detail=missing.detail)
        except Exception:
            log.exception("movie search cannot be opened; the next request tries again")

    async def close(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
        if self._opening is None:
            return
        if not self._opening.done():
            self._opening.cancel()
        (opened,) = await asyncio.gather(self._opening, return_exceptions=True)
        if isinstance(opened, OpenSearch):
            await opened.close()

    @staticmethod
    def _failed(opening: asyncio.Task[OpenSearch]) -> bool:
        return opening.cancelled() or opening.exception() is not None


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
