"""Embeddings behind their cache, with how many were there."""

from collections.abc import Sequence

from townsquare.cache import Cache
from townsquare.services.search.parts import Embedder, Vector
from townsquare.services.search.service.embeddings import CachedEmbedder
from townsquare.services.search.service.local_embedder import LocalEmbedder


class CachedEmbeddings:
    """`emb:{model}:{digest}`: all texts of a query in one read, the missing ones in one call."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self._embedder = embedder
        self._cache = cache

    @property
    def at_once(self) -> bool:
        """Whether nothing has to be read first; a local model takes a second."""
        return not isinstance(self._embedder, LocalEmbedder) or self._embedder.loaded

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
