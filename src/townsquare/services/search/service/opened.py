"""A search whose indexes are open, and how it is opened once for all who ask."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from townsquare.logger import get_logger
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.results import IndexProgress
from townsquare.services.search.problems import SearchNotInstalled

if TYPE_CHECKING:
    from townsquare.services.search.service.pipeline import Parts

log = get_logger()


@dataclass(frozen=True, kw_only=True)
class OpenSearch:
    parts: "Parts"
    details: Callable[[int], Awaitable[FilmDetails]]
    titles: Callable[[str, int], Awaitable[list[int]]]  # that begin so, the best known first
    progress: Callable[[], IndexProgress]  # as far as this process knows by now
    compared: Callable[[], Awaitable[None]]  # returns once it knows what the folder lacks
    wait_until_ready: Callable[[], Awaitable[None]]
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
