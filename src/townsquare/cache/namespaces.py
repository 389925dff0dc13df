"""Cache namespaces for code that declares no keys."""

import hashlib
import inspect
import math
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, get_type_hints

import msgspec

from townsquare.cache.computing import ComputeMissing
from townsquare.cache.keys import LONGEST_SECONDS, entry
from townsquare.cache.terms import CacheTerms
from townsquare.keyspace import AnyKey, BadPart
from townsquare.problems import Invalid

if TYPE_CHECKING:
    from townsquare.cache.cache import Cache

T = TypeVar("T")
P = ParamSpec("P")

KEY_DIGITS = 32  # of the SHA-256 of an entry's key
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class Cached(Protocol):
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, T]], /
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...


class CacheNamespace(Generic[T]):
    """Values by any text, stored as JSON under `entry:{namespace}:{digest of the text}`."""

    def __init__(self, cache: "Cache", name: str, terms: CacheTerms[T]) -> None:
        self._cache = cache
        self._terms = terms
        self.name = name

    async def get(self, key: str) -> T | None:
        return await self._cache.look_up(self._terms, self._entry(key))

    async def set(self, key: str, value: T) -> None:
        await self._cache.keep(self._terms, self._entry(key), value)

    async def delete(self, key: str) -> None:
        await self._cache.redis.delete(self.name, [self._entry(key)])

    async def get_or_compute(self, key: str, compute: Callable[[], Awaitable[T]]) -> T:
        return await self._cache.fetch_one(self._terms, self._entry(key), compute)

    async def get_or_compute_many(self, keys: Sequence[str], compute_missing: ComputeMissing[T]) -> list[T]:
        """One read for all keys, and one call of `compute_missing` with the indexes of the misses."""
        if not keys:
            return []
        return await self._cache.fetch(self._terms, [self._entry(key) for key in keys], compute_missing)

    def _entry(self, key: str) -> AnyKey:
        return entry(self.name, key_digest(key))


def key_digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_DIGITS]


def is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def encode(value: Any) -> bytes:
    """Encode as JSON; raises if decoding would not give the same value."""
    try:
        raw = msgspec.json.encode(value)
        whole = b"null" not in raw or is_finite(msgspec.to_builtins(value))
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise Invalid(f"A computed value cannot be kept as JSON: {error}") from None
    if not whole:  # it would decode to None
        raise Invalid("A computed value cannot be kept as JSON: nan and infinity are no numbers there")
    return raw


def is_finite(value: Any) -> bool:
    """Whether every number in it is finite, at any depth."""
    match value:
        case float():
            return math.isfinite(value)
        case dict():
            return all(map(is_finite, value.values()))
        case list() | tuple() | set() | frozenset():
            return all(map(is_finite, value))
    return True


def namespace_terms(name: str, ttl: int, stale: int, type: Any) -> CacheTerms[Any]:
    try:
        entry.parts["namespace"].encode(name)
    except BadPart as bad:
        raise Invalid(f"The name of a namespace: {bad}") from None
    if not all(is_whole(seconds) for seconds in (ttl, stale)):
        raise Invalid(f"ttl and stale are whole seconds, not {ttl!r} and {stale!r}")
    if ttl < 1 or stale < 0 or ttl + stale > LONGEST_SECONDS:
        raise Invalid(f"A value is kept for 1 to {LONGEST_SECONDS:,} seconds, not {ttl} and {stale} more")
    return CacheTerms(name, ttl, encode, msgspec.json.Decoder(type).decode, stale_seconds=stale)


def cached_function(cache: "Cache", ttl: int, stale: int, name: str) -> Cached:
    def decorate(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        namespace: CacheNamespace[T] = cache.namespace(
            name or name_of(function), ttl=ttl, stale=stale, type=answer_of(function)
        )
        key_of = keys_of(function)

        @wraps(function)
        async def remembered(*args: P.args, **kwargs: P.kwargs) -> T:
            async def compute() -> T:
                return await function(*args, **kwargs)

            return await namespace.get_or_compute(key_of(args, kwargs), compute)

        return remembered

    return decorate


def name_of(function: Callable[..., Any]) -> str:
    return NOT_IN_A_NAME.sub("", f"{function.__module__}.{function.__qualname__}")[-128:]


def answer_of(function: Callable[..., Any]) -> Any:
    """The return annotation: stored values are decoded as this type."""
    return get_type_hints(function).get("return", Any)


def keys_of(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], str]:
    """Map the arguments of a call to a key; positional and keyword arguments give the same key."""
    signature = inspect.signature(function)

    def key_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        named = {name: (type(value).__qualname__, value) for name, value in bound.arguments.items()}
        try:  # unlike JSON, it distinguishes bytes from text
            return msgspec.msgpack.encode(named, order="deterministic").decode("latin-1")
        except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
            raise Invalid(
                f"The arguments of {function.__qualname__} cannot be the key of a cache: {error}"
            ) from None

    return key_of
