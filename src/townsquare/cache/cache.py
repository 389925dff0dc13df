"""Values that are expensive to compute, stored under declared keys.

    answer = await cache.get_or_compute(keys.understanding(1, text_digest(query)), understand)

The key declares the lifetime and the encoding. If Redis is unavailable, values are computed, not cached.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from townsquare.cache import keys
from townsquare.cache.computing import (
    Check,
    Computations,
    ComputeMissing,
    ComputeRequest,
    OnStored,
    is_fresh,
    no_follow_up,
)
from townsquare.cache.counts import CacheCounts
from townsquare.cache.locks import CacheLocks
from townsquare.cache.namespaces import Cached, CacheNamespace, cached_function, namespace_terms
from townsquare.cache.redis import Read, TolerantRedis
from townsquare.cache.semantic import Embed, SemanticNamespace
from townsquare.cache.terms import REST_SECONDS, CacheTerms, declared_terms
from townsquare.keyspace import AnyDeclared, AnyKey, Key
from townsquare.logger import get_logger
from townsquare.store.store import Store

log = get_logger()

T = TypeVar("T")
P = ParamSpec("P")

Compute = Callable[[], Awaitable[T]]


def anything(_: Any) -> bool:
    return True


class Cache:
    """`counts` has hits, misses, waits, refreshes, stale values and errors by namespace."""

    def __init__(
        self,
        store: Store,
        *,
        lease_seconds: int = keys.LEASE_SECONDS,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.counts = CacheCounts()
        self.redis = TolerantRedis(store, self.counts)
        self._computations = Computations(self.redis, self.counts, CacheLocks(self.redis, lease_seconds))
        self._chance = chance
        self._terms: dict[AnyDeclared, CacheTerms[Any]] = {}

    async def close(self) -> None:
        """Cancel running computations and release their locks."""
        await self._computations.close()

    async def get(self, key: Key[T]) -> T | None:
        """The cached value, or None. Never computes."""
        return await self.look_up(self._terms_of(key), key)

    async def set(self, key: Key[T], value: T) -> None:
        """Store a value that was computed elsewhere, with the declared lifetime of its key."""
        await self.keep(self._terms_of(key), key, value)

    async def delete(self, key: AnyKey) -> None:
        await self.redis.delete(self._terms_of(key).name, [key])

    async def get_or_compute(self, key: Key[T], compute: Compute[T], *, check: Check[T] = anything) -> T:
        """The cached value, or the result of `compute`, which runs once for all concurrent callers.

        A value for which `check` is false is incomplete: it is deleted, or not stored.
        """
        return await self.fetch_one(self._terms_of(key), key, compute, check)

    async def get_or_compute_many(
        self, wanted: Sequence[Key[T]], compute_missing: ComputeMissing[T], *, check: Check[T] = anything
    ) -> list[T]:
        """Many of one declaration: one MGET, and one call of `compute_missing` with the misses' indexes."""
        if not wanted:
            return []
        return await self.fetch(self._terms_of(wanted[0]), wanted, compute_missing, check)

    @overload
    def namespace(self, name: str, *, ttl: int, stale: int = 0) -> CacheNamespace[Any]: ...
    @overload
    def namespace(self, name: str, *, ttl: int, stale: int = 0, type: type[T]) -> CacheNamespace[T]: ...
    def namespace(self, name: str, *, ttl: int, stale: int = 0, type: Any = Any) -> CacheNamespace[Any]:
        """A namespace of your own: keys are any text, values are JSON of `type` and live `ttl` seconds.

        An expired value is returned for `stale` more seconds if it cannot be computed again.
        """
        return CacheNamespace(self, name, namespace_terms(name, ttl, stale, type))

    @overload
    def semantic(
        self, name: str, embed: Embed, *, ttl: int, likeness: float, most: int = 1_000
    ) -> SemanticNamespace[Any]: ...
    @overload
    def semantic(
        self, name: str, embed: Embed, *, ttl: int, likeness: float, most: int = 1_000, type: type[T]
    ) -> SemanticNamespace[T]: ...
    def semantic(
        self, name: str, embed: Embed, *, ttl: int, likeness: float, most: int = 1_000, type: Any = Any
    ) -> SemanticNamespace[Any]:
        """Values by the meaning of a text: a text with a similarity of at least `likeness` finds the value.

        `embed` answers a vector for each text. The latest `most` entries are compared.
        """
        return SemanticNamespace(self, name, embed, namespace_terms(name, ttl, 0, type), likeness, most)

    def cached(self, *, ttl: int, stale: int = 0, name: str = "") -> Cached:
        """Cache the results of an async function by its arguments."""
        return cached_function(self, ttl, stale, name)

    def _terms_of(self, key: AnyKey) -> CacheTerms[Any]:
        declared = key.declared
        terms = self._terms.get(declared)
        if terms is None:
            terms = self._terms[declared] = declared_terms(declared)
        return terms

    async def look_up(self, terms: CacheTerms[T], key: AnyKey) -> T | None:
        found = await self.peek(terms, key)
        self.counts.add(terms.name, "miss" if found is None else "hit")
        return None if found is None else found[0]

    async def peek(self, terms: CacheTerms[T], key: AnyKey) -> tuple[T] | None:
        """The cached value as a tuple, without counting the read; the value itself may be None."""
        ((raw, left),) = await self.redis.read_with_ttl(terms.name, [key])
        if raw is None or not is_fresh(terms, left):
            return None
        return await self.readable(terms, key, raw)

    async def readable(self, terms: CacheTerms[T], key: AnyKey, raw: bytes) -> tuple[T] | None:
        return await self._computations.readable(terms, anything, key, raw)

    async def keep(self, terms: CacheTerms[T], key: AnyKey, value: T) -> None:
        await self.redis.write(terms.name, [(key, terms.encode(value))], terms.kept_seconds)

    async def fetch_one(
        self,
        terms: CacheTerms[T],
        key: AnyKey,
        compute: Compute[T],
        check: Check[T] = anything,
        on_stored: OnStored = no_follow_up,
    ) -> T:
        async def compute_one(_: list[int]) -> list[T]:
            return [await compute()]

        request = ComputeRequest(terms, {key: 0}, compute_one, check, on_stored)
        ((raw, left),) = await self.redis.read_with_ttl(terms.name, [key])
        found = await self._computations.readable(terms, check, key, raw) if raw is not None else None
        if found is not None and is_fresh(terms, left):
            self.counts.add(terms.name, "hit")
            ends_in = left / 1000 - terms.stale_seconds
            if left >= 0 and terms.is_refreshed_early(ends_in, self._chance()):
                self._computations.refresh(request)
            return found[0]
        return (await self._computed(request, {key: found[0]} if found is not None else {}))[key]

    async def fetch(
        self,
        terms: CacheTerms[T],
        keys: Sequence[AnyKey],
        compute_missing: ComputeMissing[T],
        check: Check[T] = anything,
    ) -> list[T]:
        indexes: dict[AnyKey, int] = {}
        for index, key in enumerate(keys):
            indexes.setdefault(key, index)  # a key may occur twice
        request = ComputeRequest(terms, indexes, compute_missing, check)
        values: dict[AnyKey, T] = {}
        stale: dict[AnyKey, T] = {}
        for key, (raw, left) in zip(indexes, await self._read(terms, [*indexes]), strict=True):
            found = await self._computations.readable(terms, check, key, raw) if raw is not None else None
            if found is not None:
                (values if is_fresh(terms, left) else stale)[key] = found[0]
        if values:
            self.counts.add(terms.name, "hit", len(values))
        request.indexes = {key: index for key, index in indexes.items() if key not in values}
        if request.indexes:
            values |= await self._computed(request, stale)
        return [values[key] for key in keys]

    async def _read(self, terms: CacheTerms[Any], keys: Sequence[AnyKey]) -> list[Read]:
        if terms.stale_seconds:
            return await self.redis.read_with_ttl(terms.name, keys)
        return [(raw, -1) for raw in await self.redis.read(terms.name, keys)]

    async def _computed(self, request: ComputeRequest[T], stale: dict[AnyKey, T]) -> dict[AnyKey, T]:
        terms = request.terms
        if stale and len(stale) == len(request.indexes) and time.monotonic() < terms.rests_until:
            self.counts.add(terms.name, "stale", len(stale))
            return stale
        self.counts.add(terms.name, "miss", len(request.indexes))
        values: dict[AnyKey, T] = {}
        for key, answer in self._computations.start(request).items():
            try:
                values[key] = await asyncio.shield(answer)
            except Exception as error:
                if key not in stale:
                    raise
                terms.rests_until = time.monotonic() + REST_SECONDS
                self.counts.add(terms.name, "stale")
                log.warning("answered stale", namespace=terms.name, why=f"{type(error).__name__}: {error}")
                values[key] = stale[key]
        return values
