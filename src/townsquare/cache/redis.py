"""Reads and writes that never fail: if Redis is unreachable, nothing is found and nothing is stored."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from townsquare.cache.counts import CacheCounts
from townsquare.keyspace import AnyKey
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, StoreFull, Unavailable
from townsquare.store.commands import Command
from townsquare.store.store import Store
from townsquare.store.wire.connection import ReplyError

log = get_logger()

R = TypeVar("R")

REST_SECONDS = 1.0  # without commands after Redis did not respond, so that requests do not wait for it

Read = tuple[bytes | None, int]  # the value, and its remaining lifetime in ms; -1: none


class TolerantRedis:
    def __init__(self, store: Store, counts: CacheCounts) -> None:
        self.store = store
        self._counts = counts
        self._away = False
        self._rests_until = 0.0

    async def read(self, namespace: str, keys: Sequence[AnyKey]) -> list[bytes | None]:
        found = await self.read_or_none(namespace, keys)
        return [None] * len(keys) if found is None else found

    async def read_or_none(self, namespace: str, keys: Sequence[AnyKey]) -> list[bytes | None] | None:
        """None if Redis did not respond."""

        async def read() -> list[bytes | None] | None:
            return await self.store.read_strings(keys)

        return await self.attempt(namespace, read, None)

    async def read_with_ttl(self, namespace: str, keys: Sequence[AnyKey]) -> list[Read]:
        commands: list[Command] = []
        for key in keys:
            commands += [("MGET", key), ("PTTL", key)]  # unlike GET, it does not fail for another type

        async def read() -> list[Read]:
            replies = await self.store.pipeline(commands)
            return [(found[0], left) for found, left in zip(replies[::2], replies[1::2], strict=True)]

        nothing: list[Read] = [(None, -1)] * len(keys)
        return await self.attempt(namespace, read, nothing)

    async def write(self, namespace: str, values: Sequence[tuple[AnyKey, bytes]], seconds: int) -> None:
        commands: list[Command] = [("SET", key, raw, "EX", seconds) for key, raw in values]
        await self.attempt(namespace, lambda: self.store.pipeline(commands), [])

    async def delete(self, namespace: str, keys: Sequence[AnyKey]) -> None:
        await self.attempt(namespace, lambda: self.store.pipeline([("DEL", key) for key in keys]), [])

    async def attempt(self, namespace: str, work: Callable[[], Awaitable[R]], otherwise: R) -> R:
        if self._away and time.monotonic() < self._rests_until:
            self._counts.add(namespace, "error")
            return otherwise
        try:
            done = await work()
        except (Unavailable, OutcomeUnknown, ReplyError) as error:
            self._counts.add(namespace, "error")
            self._note(namespace, error)
            return otherwise
        if self._away:
            self._away = False
            log.warning("the cache is reachable again")
        return done

    def _note(self, namespace: str, error: Exception) -> None:
        if isinstance(error, StoreFull | ReplyError):  # it responds, and may accept the next one
            log.error("the cache refused", namespace=namespace, why=str(error))
            return
        self._rests_until = time.monotonic() + REST_SECONDS
        if not self._away:
            self._away = True
            why: Any = getattr(error, "__notes__", None) or error
            log.error("the cache is unreachable: every value is computed", why=str(why))
