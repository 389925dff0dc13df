"""Values by the meaning of a text: a text with similar meaning is not computed again.

The vectors of the latest entries are in a stream, which every process follows into its memory: to compare
costs no round trip per entry, and needs nothing but Redis.
"""

import math
from array import array
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from heapq import nlargest
from operator import mul
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from townsquare.cache import keys
from townsquare.cache.computing import no_follow_up
from townsquare.cache.keys import folded
from townsquare.cache.namespaces import key_digest
from townsquare.cache.terms import CacheTerms
from townsquare.keyspace.kinds import pack_floats, unpack_floats
from townsquare.logger import get_logger
from townsquare.problems import Invalid
from townsquare.store.commands import Command

if TYPE_CHECKING:
    from townsquare.cache.cache import Cache

log = get_logger()

T = TypeVar("T")

MOST_ENTRIES = 5_000  # compared per lookup, at about 15 µs each; for more use a vector database
LOOKED_AT = 3  # nearest entries that are read: some may have expired
READ_AT_ONCE = 500

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]


class NearestEntry(NamedTuple):
    value: Any
    likeness: float  # cosine: 1 is the same direction


class SemanticNamespace(Generic[T]):
    def __init__(
        self, cache: "Cache", name: str, embed: Embed, terms: CacheTerms[T], likeness: float, most: int
    ) -> None:
        if not 0 < likeness <= 1 or not 1 <= most <= MOST_ENTRIES:
            raise Invalid(f"likeness is over 0 and at most 1, most is 1 to {MOST_ENTRIES:,}")
        self.name = name
        self._cache = cache
        self._embed = embed
        self._terms = terms
        self._likeness = likeness
        self._vector_terms = CacheTerms(f"{name}.vectors", terms.seconds, pack_floats, unpack_floats)
        self._index = SemanticIndex(cache, name, terms.seconds, most)

    async def get_or_compute(self, text: str, compute: Callable[[], Awaitable[T]]) -> T:
        """The value of this text or of a similar one; computed if there is none."""
        text = folded(text)
        digest = key_digest(text)
        entry = keys.entry(self.name, digest)
        known = await self._cache.peek(self._terms, entry)
        if known is not None:
            self._cache.counts.add(self.name, "hit")
            return known[0]
        vector = await self._vector(text)
        if vector is not None:
            near = await self._nearest(vector, self._likeness)
            if near is not None:
                self._cache.counts.add(self.name, "near")
                return near.value  # type: ignore[no-any-return]
        on_stored = partial(self._index.add, digest, vector) if vector is not None else no_follow_up
        return await self._cache.fetch_one(self._terms, entry, compute, on_stored=on_stored)

    async def nearest(self, text: str) -> NearestEntry | None:
        """The nearest stored value, at any distance: to find the right `likeness` for your texts."""
        vector = await self._vector(folded(text))
        return await self._nearest(vector, -1.0) if vector is not None else None

    async def _vector(self, text: str) -> "array[float] | None":
        """None if the embedding fails: then only the identical text is found."""

        async def embed() -> "array[float]":
            (vector,) = await self._embed([text])
            return unit(vector)

        try:
            key = keys.vector(self.name, key_digest(text))
            vector: array[float] = await self._cache.fetch_one(self._vector_terms, key, embed)
        except Exception as error:
            self._cache.counts.add(self.name, "error")
            log.warning("no vector", namespace=self.name, why=f"{type(error).__name__}: {error}")
            return None
        return vector

    async def _nearest(self, vector: "array[float]", likeness: float) -> NearestEntry | None:
        near = await self._index.nearest(vector, likeness)
        if not near:
            return None
        entries = [keys.entry(self.name, digest) for _, digest in near]
        raws = await self._cache.redis.read_or_none(self.name, entries)
        if raws is None:
            return None
        for (like, digest), entry, raw in zip(near, entries, raws, strict=True):
            found = await self._cache.readable(self._terms, entry, raw) if raw is not None else None
            if found is not None:
                return NearestEntry(found[0], like)
            self._index.forget(digest)
        return None


class SemanticIndex:
    """The latest entries of one namespace, as far as this process has read them."""

    def __init__(self, cache: "Cache", name: str, seconds: int, most: int) -> None:
        self._redis = cache.redis
        self._name = name
        self._seconds = seconds
        self._most = most
        self._stream = keys.meanings(name)
        self._last = "-"
        self._vectors: dict[str, array[float]] = {}  # by digest, oldest first

    async def add(self, digest: str, vector: "array[float]") -> None:
        entry = ("digest", digest, "vector", pack_floats(vector))
        commands: list[Command] = [
            ("XADD", self._stream, "MAXLEN", "~", self._most, "*", *entry),
            ("EXPIRE", self._stream, self._seconds),
        ]
        await self._redis.attempt(self._name, lambda: self._redis.store.pipeline(commands), [])

    async def nearest(self, vector: "array[float]", likeness: float) -> list[tuple[float, str]]:
        """Digests and similarities, the most similar first."""
        await self._read_on()
        like = (
            (sum(map(mul, vector, other)), digest)
            for digest, other in self._vectors.items()
            if len(other) == len(vector)
        )
        return nlargest(LOOKED_AT, (one for one in like if one[0] >= likeness))

    def forget(self, digest: str) -> None:
        self._vectors.pop(digest, None)

    async def _read_on(self) -> None:
        """Read the entries that were added since the last call."""
        found: list[Any] = [None] * READ_AT_ONCE
        while len(found) == READ_AT_ONCE:
            found = await self._redis.attempt(self._name, self._read_share, [])
            for id, fields in found:
                named = dict(zip(fields[::2], fields[1::2], strict=True))
                digest = named[b"digest"].decode()
                self._vectors.pop(digest, None)
                self._vectors[digest] = unpack_floats(named[b"vector"])
                self._last = f"({id.decode()}"
            for digest in [*self._vectors][: max(0, len(self._vectors) - self._most)]:
                del self._vectors[digest]

    async def _read_share(self) -> list[Any]:
        share: list[Any] = await self._redis.store.call(
            "XRANGE", self._stream, self._last, "+", "COUNT", READ_AT_ONCE
        )
        return share


def unit(vector: Sequence[float]) -> "array[float]":
    """Scaled to length 1, so that the dot product of two vectors is their similarity."""
    length = math.sqrt(sum(map(mul, vector, vector)))
    if not length:
        raise ValueError("a vector of zeros means nothing")
    return array("f", (one / length for one in vector))
