"""How a search is put together as the settings say; packages of the extra are imported here, not before."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from townsquare.logger import get_logger
from townsquare.service_resources import Resources
from townsquare.services.search.service.building import OpenSearch
from townsquare.services.search.service.indexes import SearchIndexes
from townsquare.services.search.service.pipeline import Parts, TrendingFilms
from townsquare.services.search.service.tmdb import Details, Tmdb
from townsquare.services.search.service.trending import TmdbTrending

log = get_logger()

NAMES_SECONDS = 30.0  # to wait for titles and people at the first start; it takes about two


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
            indexes=indexes,
            close=opened.pop_all().aclose,
        )
