"""How a search is put together as the settings say; packages of the extra are imported here, not before."""

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from townsquare.logger import get_logger
from townsquare.service_resources import Resources
from townsquare.services.search.models.results import IndexProgress
from townsquare.services.search.service.building import OpenSearch
from townsquare.services.search.service.indexes import SearchIndexes
from townsquare.services.search.service.pipeline import Parts, TrendingFilms
from townsquare.services.search.service.tmdb import Details, Tmdb
from townsquare.services.search.service.trending import TmdbTrending

log = get_logger()

NAMES_SECONDS = 30.0  # to wait for titles and people at the first start; it takes about two
COMPARE_SECONDS = 10.0  # to find out what a folder lacks; it takes one or two, unless a provider is silent


async def open_search(square: Resources, trending: TrendingFilms) -> OpenSearch:
    """SearchIndexes that are open and being filled; titles and people are found when this returns."""
    settings = square.settings
    catalogue = Path(settings.search_catalogue) if settings.search_catalogue else None
    async with AsyncExitStack() as opened:
        indexes = await SearchIndexes.open(settings, catalogue_file=catalogue)
        opened.push_async_callback(indexes.close)
        from townsquare.services.search.service.embeddings import CachedEmbeddings
        from townsquare.services.search.understanding import understandings_of
        from townsquare.services.search.understanding.cached import CachedUnderstanding
        from townsquare.services.search.understanding.version import understanding_version

        understanding, fallback = understandings_of(
            settings, indexes.lexical, square.store.clock, square.limiter
        )
        tmdb = Tmdb(settings.tmdb_url, settings.tmdb_key) if settings.tmdb_key else None
        details = Details(square.cache, indexes.lexical, tmdb)
        opened.push_async_callback(details.close)
        indexes.start()
        try:
            async with asyncio.timeout(NAMES_SECONDS):
                await indexes.indexing.wait(lambda state: state.names_ready or bool(state.fault))
        except TimeoutError:
            log.warning("the catalogue is still being read")
        return OpenSearch(
            parts=Parts(
                understanding=CachedUnderstanding(
                    square.cache, understanding, fallback, version=understanding_version(settings)
                ),
                embeddings=CachedEmbeddings(indexes.embedder, square.cache),
                vectors=indexes.vectors,
                lexical=indexes.lexical,
                trending=trending,
            ),
            details=details.get,
            tmdb_trending=TmdbTrending(tmdb, indexes.lexical).fetch if tmdb else None,
            titles=indexes.lexical.titles,
            progress=lambda: progress_of(indexes),
            compared=lambda: wait_until_compared(indexes),
            wait_until_ready=indexes.wait_until_ready,
            close=opened.pop_all().aclose,
        )


def progress_of(indexes: SearchIndexes) -> IndexProgress:
    state = indexes.state
    return IndexProgress(
        films=state.films,
        texts_done=state.texts_done,
        texts_total=state.texts_total,
        ready=state.ready,
        fault=state.fault,
    )


async def wait_until_compared(indexes: SearchIndexes) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(COMPARE_SECONDS):
            await indexes.indexing.compared()
