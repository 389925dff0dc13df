"""The cache for synchronous code: `compute` is an ordinary function, and callers block.

A computation has a thread of its own, one for each: those of a pool could all wait for one another.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextvars import copy_context
from functools import wraps
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from townsquare.cache.cache import Cache, anything
from townsquare.cache.computing import Check
from townsquare.cache.namespaces import CacheNamespace, answer_of, keys_of, name_of
from townsquare.cache.semantic import NearestEntry, SemanticNamespace
from townsquare.keyspace import AnyKey, Key

T = TypeVar("T")
P = ParamSpec("P")

BlockingEmbed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class Wait(Protocol):
    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


class BlockingCached(Protocol):
    def __call__(self, function: Callable[P, T], /) -> Callable[P, T]: ...


class BlockingCache:
    def __init__(self, cache: Cache, wait: Wait) -> None:
        self._cache = cache
        self._wait = wait
        self.counts = cache.counts

    def get(self, key: Key[T]) -> T | None:
        return self._wait(self._cache.get(key))

    def set(self, key: Key[T], value: T) -> None:
        self._wait(self._cache.set(key, value))

    def delete(self, key: AnyKey) -> None:
        self._wait(self._cache.delete(key))

    def get_or_compute(self, key: Key[T], compute: Callable[[], T], *, check: Check[T] = anything) -> T:
        return self._wait(self._cache.get_or_compute(key, in_own_thread(compute), check=check))

    def get_or_compute_many(
        self,
        wanted: Sequence[Key[T]],
        compute_missing: Callable[[list[int]], Sequence[T]],
        *,
        check: Check[T] = anything,
    ) -> list[T]:
        compute = in_own_thread(compute_missing)
        return self._wait(self._cache.get_or_compute_many(wanted, compute, check=check))

    @overload
    def namespace(self, name: str, *, ttl: int, stale: int = 0) -> "BlockingNamespace[Any]": ...
    @overload
    def namespace(self, name: str, *, ttl: int, stale: int = 0, type: type[T]) -> "BlockingNamespace[T]": ...
    def namespace(self, name: str, *, ttl: int, stale: int = 0, type: Any = Any) -> "BlockingNamespace[Any]":
        """A namespace of your own: keys are any text, values are JSON of `type` and live `ttl` seconds.

        They may be answered for `stale` seconds more if computing them anew fails.
        """
        made: CacheNamespace[Any] = self._cache.namespace(name, ttl=ttl, stale=stale, type=type)
        return BlockingNamespace(made, self._wait)

    @overload
    def semantic(
        self, name: str, embed: BlockingEmbed, *, ttl: int, likeness: float, most: int = 1_000
    ) -> "BlockingSemanticNamespace[Any]": ...
    @overload
    def semantic(
        self, name: str, embed: BlockingEmbed, *, ttl: int, likeness: float, most: int = 1_000, type: type[T]
    ) -> "BlockingSemanticNamespace[T]": ...
    def semantic(
        self,
        name: str,
        embed: BlockingEmbed,
        *,
        ttl: int,
        likeness: float,
        most: int = 1_000,
        type: Any = Any,
    ) -> "BlockingSemanticNamespace[Any]":
        """Values by the meaning of a text: a text finds it if the similarity is at least `likeness`."""
        made: SemanticNamespace[Any] = self._cache.semantic(
            name, in_own_thread(embed), ttl=ttl, likeness=likeness, most=most, type=type
        )
        return BlockingSemanticNamespace(made, self._wait)

    def cached(self, *, ttl: int, stale: int = 0, name: str = "") -> BlockingCached:
        """Cache the results of a function by its arguments."""

        def decorate(function: Callable[P, T]) -> Callable[P, T]:
            namespace: BlockingNamespace[T] = self.namespace(
                name or name_of(function), ttl=ttl, stale=stale, type=answer_of(function)
            )
            key_of = keys_of(function)

            @wraps(function)
            def remembered(*args: P.args, **kwargs: P.kwargs) -> T:
                return namespace.get_or_compute(key_of(args, kwargs), lambda: function(*args, **kwargs))

            return remembered

        return decorate


class BlockingNamespace(Generic[T]):
    def __init__(self, namespace: CacheNamespace[T], wait: Wait) -> None:
        self._namespace = namespace
        self._wait = wait
        self.name = namespace.name

    def get(self, key: str) -> T | None:
        return self._wait(self._namespace.get(key))

    def set(self, key: str, value: T) -> None:
        self._wait(self._namespace.set(key, value))

    def delete(self, key: str) -> None:
        self._wait(self._namespace.delete(key))

    def get_or_compute(self, key: str, compute: Callable[[], T]) -> T:
        return self._wait(self._namespace.get_or_compute(key, in_own_thread(compute)))

    def get_or_compute_many(
        self, keys: Sequence[str], compute_missing: Callable[[list[int]], Sequence[T]]
    ) -> list[T]:
        return self._wait(self._namespace.get_or_compute_many(keys, in_own_thread(compute_missing)))


class BlockingSemanticNamespace(Generic[T]):
    def __init__(self, namespace: SemanticNamespace[T], wait: Wait) -> None:
        self._namespace = namespace
        self._wait = wait
        self.name = namespace.name

    def get_or_compute(self, text: str, compute: Callable[[], T]) -> T:
        return self._wait(self._namespace.get_or_compute(text, in_own_thread(compute)))

    def nearest(self, text: str) -> NearestEntry | None:
        return self._wait(self._namespace.nearest(text))


def in_own_thread(function: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """The same function for async code, run in a thread."""

    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        context = copy_context()

        def settle(value: Any, error: BaseException | None) -> None:
            if answer.done():  # the caller was cancelled
                return
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(error)

        def work() -> None:
            value: Any = None
            error: BaseException | None = None
            try:
                value = context.run(function, *args, **kwargs)
            except StopIteration as raised:  # a future cannot hold it; coroutines raise RuntimeError too
                error = RuntimeError("The computation raised StopIteration")
                error.__cause__ = raised
            except BaseException as raised:
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(settle, value, error)

        threading.Thread(target=work, name="townsquare-cache", daemon=True).start()
        return await answer

    return run
