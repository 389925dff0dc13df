"""Understanding behind its cache: one blob for one query, written when all of it is there."""

from typing import NamedTuple

from townsquare.cache import Cache, text_digest
from townsquare.logger import get_logger
from townsquare.services.search import keys
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import Understanding
from townsquare.services.search.understanding.llm.client import UnderstandingUnavailable

log = get_logger()


class Understood(NamedTuple):
    meaning: QueryUnderstandingResponse
    cached: bool = False
    degraded: str = ""  # why the rules answered instead of the model


class CachedUnderstanding:
    """Asks the cache, then `understanding`, and if that fails `fallback`, whose answer is not kept."""

    def __init__(
        self,
        cache: Cache,
        understanding: Understanding,
        fallback: Understanding,
        *,
        version: int,
    ) -> None:
        self._cache = cache
        self._understanding = understanding
        self._fallback = fallback
        self._version = version

    async def understand(self, query: str) -> Understood:
        computed = False

        async def compute() -> QueryUnderstandingResponse:
            nonlocal computed
            computed = True
            return await self._understanding.understand(query)

        key = keys.understanding(self._version, text_digest(query))
        try:
            meaning = await self._cache.get_or_compute(key, compute)
        except UnderstandingUnavailable as unavailable:
            log.warning("understood by rules alone", why=unavailable.detail)
            return Understood(await self._fallback.understand(query), degraded=unavailable.detail)
        return Understood(meaning, cached=not computed)
