"""Understanding behind its cache, and a rate limit for the uncached queries of a language model."""

from typing import NamedTuple

from townsquare.api import Limit
from townsquare.cache import Cache, text_digest
from townsquare.logger import get_logger
from townsquare.services.search import keys
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import Understanding
from townsquare.services.search.understanding.llm.client import UnderstandingUnavailable
from townsquare.settings import Settings
from townsquare.store.coordination.limits import Limiter

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


UNCACHED = Limit("understanding", 60, 60)  # new queries a minute, of all clients together


class LimitedUnderstanding:
    """Refuses what exceeds the limit; the rules then answer, and the response says so."""

    def __init__(self, understanding: Understanding, limiter: Limiter, limit: Limit = UNCACHED) -> None:
        self._understanding = understanding
        self._limiter = limiter
        self._limit = limit

    async def understand(self, query: str) -> QueryUnderstandingResponse:
        limit = self._limit
        granted, _, _ = await self._limiter.take(limit.name, "all", limit.count, limit.seconds, 1, per="key")
        if not granted:
            raise UnderstandingUnavailable(f"more than {limit.count} new queries in {limit.seconds} s")
        return await self._understanding.understand(query)


def limited(understanding: Understanding, limiter: Limiter, settings: Settings) -> Understanding:
    """With the limit that the settings state, if any."""
    limit = UNCACHED.configured(settings.rate_limit.get(UNCACHED.name, ""))
    if limit is None or settings.rate_limits == "off":
        return understanding
    return LimitedUnderstanding(understanding, limiter, limit)
