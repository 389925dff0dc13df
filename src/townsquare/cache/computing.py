"""Compute missing values once per process, and once among all processes.

Within a process the first caller that misses a key starts a task, and later callers await the same task. A
caller that is cancelled does not cancel the task. Among processes the holder of the key's lock computes. If
it fails, the processes that waited each compute at once: no caller waits for more than two computations.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from townsquare.cache.counts import CacheCounts
from townsquare.cache.locks import FAILED, CacheLocks, new_token
from townsquare.cache.redis import TolerantRedis
from townsquare.cache.terms import CacheTerms
from townsquare.keyspace import AnyKey
from townsquare.logger import get_logger
from townsquare.problems import Unavailable
from townsquare.tasks import cancel_tasks

log = get_logger()

T = TypeVar("T")

ComputeMissing = Callable[[list[int]], Awaitable[Sequence[T]]]  # values for these indexes, in order
Check = Callable[[T], bool]
OnStored = Callable[[], Awaitable[None]]


async def no_follow_up() -> None:
    """Called once a value is stored."""


@dataclass(eq=False)
class ComputeRequest(Generic[T]):
    """The missing keys of one caller, and the function that computes any number of them in one call."""

    terms: CacheTerms[T]
    indexes: Mapping[AnyKey, int]
    compute: ComputeMissing[T]
    check: Check[T]
    on_stored: OnStored = no_follow_up  # called once for all waiting callers, by the task that computed
    results: dict[AnyKey, asyncio.Future[T]] = field(default_factory=dict)

    def resolve(self, key: AnyKey, value: T) -> None:
        if key in self.results and not self.results[key].done():
            self.results[key].set_result(value)

    def fail(self, keys: Sequence[AnyKey], error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError):
            error = Unavailable("The cache was closed meanwhile")
        for key in keys:
            if key in self.results and not self.results[key].done():
                self.results[key].set_exception(error)
                self.results[key].exception()  # retrieved, so that asyncio does not log it if nobody waits


class Computations:
    def __init__(self, redis: TolerantRedis, counts: CacheCounts, locks: CacheLocks) -> None:
        self._redis = redis
        self._counts = counts
        self._locks = locks
        self._running: dict[AnyKey, asyncio.Future[Any]] = {}
        self._refreshing: set[AnyKey] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        await cancel_tasks(self._tasks)
        await self._locks.close()

    def start(self, request: ComputeRequest[T]) -> dict[AnyKey, asyncio.Future[T]]:
        """Futures of the values by key; a running computation is joined, not started again."""
        results: dict[AnyKey, asyncio.Future[T]] = {}
        for key in request.indexes:
            if key in self._running:
                self._counts.add(request.terms.name, "wait")
                results[key] = self._running[key]
            else:
                future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
                future.add_done_callback(partial(self._end, key))
                results[key] = request.results[key] = self._running[key] = future
        if request.results:
            self._begin(self._run(request))
        return results

    def _end(self, key: AnyKey, _: asyncio.Future[Any]) -> None:
        del self._running[key]

    def refresh(self, request: ComputeRequest[Any]) -> None:
        """Recompute a value that is still valid, in the background."""
        (key,) = request.indexes
        if key not in self._running and key not in self._refreshing:
            self._refreshing.add(key)
            self._begin(self._refresh(request, key))

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work, name="townsquare-cache")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, request: ComputeRequest[Any]) -> None:
        keys, token = [*request.results], new_token()
        try:
            taken = await self._locks.take(request.terms.name, keys, token)
            if taken is None:
                await self._compute(request, keys)
            else:
                held = set(taken)
                await asyncio.gather(
                    self._compute_holding(request, taken, token),
                    *(self._wait(request, key, token) for key in keys if key not in held),
                )
        except BaseException as error:
            request.fail(keys, error)
            if not isinstance(error, Exception):
                raise

    async def _refresh(self, request: ComputeRequest[Any], key: AnyKey) -> None:
        token = new_token()
        try:
            if await self._locks.take(request.terms.name, [key], token):
                async with self._locks.held(request.terms.name, [key], token):
                    await self._compute(request, [key])
                self._counts.add(request.terms.name, "refresh")
        except Exception as error:
            self._counts.add(request.terms.name, "error")
            log.warning("not refreshed", namespace=request.terms.name, why=f"{type(error).__name__}: {error}")
        finally:
            self._refreshing.discard(key)

    async def _compute_holding(
        self, request: ComputeRequest[Any], taken: Sequence[AnyKey], token: str
    ) -> None:
        """Compute the keys whose locks we hold, except those stored since we read."""
        if not taken:
            return
        try:
            async with self._locks.held(request.terms.name, taken, token):
                missing = await self._look(request, taken)
                if missing:
                    await self._compute(request, missing)
        except Exception as error:
            request.fail(taken, error)

    async def _compute(self, request: ComputeRequest[Any], keys: Sequence[AnyKey]) -> None:
        """Store all values or none: if the computation fails or is incomplete, nothing is stored."""
        terms = request.terms
        began = time.perf_counter()
        try:
            values = await request.compute([request.indexes[key] for key in keys])
        except asyncio.CancelledError:
            if is_being_cancelled():
                raise
            raise Unavailable("The computation cancelled itself") from None
        terms.took(time.perf_counter() - began)
        if len(values) != len(keys):
            raise ValueError(f"{len(keys)} values were to be computed, {len(values)} came")
        if not all(map(request.check, values)):
            raise ValueError("a computed value is not complete")
        raws = [terms.encode(value) for value in values]
        await self._redis.write(terms.name, [*zip(keys, raws, strict=True)], terms.kept_seconds)
        await request.on_stored()
        for key, value in zip(keys, values, strict=True):
            request.resolve(key, value)

    async def _look(self, request: ComputeRequest[Any], keys: Sequence[AnyKey]) -> list[AnyKey]:
        """Resolve the keys that are stored by now; returns the keys that are still missing."""
        missing = []
        found = await self._redis.read_with_ttl(request.terms.name, keys)
        for key, (raw, left) in zip(keys, found, strict=True):
            value = None
            if raw is not None and is_fresh(request.terms, left):
                value = await self.readable(request.terms, request.check, key, raw)
            if value is None:
                missing.append(key)
            else:
                request.resolve(key, value[0])
        return missing

    async def _wait(self, request: ComputeRequest[Any], key: AnyKey, token: str) -> None:
        """Wait for the process that holds the lock; if it has died or failed, compute here."""
        self._counts.add(request.terms.name, "wait")
        try:
            async with self._locks.waiter(key) as waiter:
                outcome = None
                while await self._look(request, [key]):
                    taken = await self._locks.take(request.terms.name, [key], token)
                    if taken:
                        await self._compute_holding(request, taken, token)
                        return
                    if taken is None or outcome == FAILED:
                        await self._compute(request, [key])
                        return
                    outcome = await waiter.wait()
        except Exception as error:
            request.fail([key], error)

    async def readable(
        self, terms: CacheTerms[T], check: Check[T], key: AnyKey, raw: bytes
    ) -> tuple[T] | None:
        """Decode a raw value; one that cannot be decoded, or is not complete, is deleted."""
        try:
            value = terms.decode(raw)
            if not check(value):
                raise ValueError("it is not complete")
            return (value,)
        except Exception as error:
            self._counts.add(terms.name, "error")
            log.error("deleted from the cache, cannot be read", key=repr(key), why=str(error))
            await self._redis.delete(terms.name, [key])
            return None


def is_being_cancelled() -> bool:
    """Whether this task is being cancelled, rather than a future that it awaits."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def is_fresh(terms: CacheTerms[Any], left: int) -> bool:
    """`left` is the remaining lifetime in ms; -1: none."""
    return left < 0 or left > terms.stale_seconds * 1000
