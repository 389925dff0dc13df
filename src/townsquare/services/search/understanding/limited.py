"""A rate limit for understanding by a language model: each uncached query costs about two dozen calls."""

from townsquare.api import Limit
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import Understanding
from townsquare.services.search.understanding.llm.client import UnderstandingUnavailable
from townsquare.settings import Settings
from townsquare.store.coordination.limits import Limiter

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
