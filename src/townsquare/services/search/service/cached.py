"""Understanding and embeddings behind their caches, with how many were there: what the pipeline asks."""

from collections.abc import Sequence

from townsquare.cache import Cache, text_digest
from townsquare.services.search import keys
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.parts import Embedder, Understanding, Vector
from townsquare.services.search.service.embeddings import CachedEmbedder


class CachedQueryUnderstanding:
    """`qu:v{N}:{digest}`: one blob for one query, whoever asks."""

    def __init__(self, understanding: Understanding, cache: Cache) -> None:
        self._understanding = understanding
        self._cache = cache

    async def understand(self, query: str) -> tuple[QueryUnderstandingResponse, bool]:
        computed = False

        async def compute() -> QueryUnderstandingResponse:
            nonlocal computed
            computed = True
            return await self._understanding.understand(query)

        key = keys.understanding(keys.QU_VERSION, text_digest(query))
        return await self._cache.get_or_compute(key, compute), not computed


class CachedEmbeddings:
    """`emb:{model}:{digest}`: all texts of a query in one read, the missing ones in one call."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self._embedder = embedder
        self._cache = cache

    async def embed(self, texts: Sequence[str]) -> tuple[list[Vector], int]:
        made = CountingEmbedder(self._embedder)
        found = await CachedEmbedder(made, self._cache).embed(texts)
        return found, len(texts) - made.count


class CountingEmbedder:
    """An embedder for one request, which knows what was asked of it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.count = 0

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.count += len(texts)
        return await self._embedder.embed(texts)
