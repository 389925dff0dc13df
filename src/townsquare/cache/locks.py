"""One process computes, the others wait: `SET NX EX` with a token that its owner renews and releases."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from townsquare.cache import keys
from townsquare.cache.redis import TolerantRedis
from townsquare.keyspace import AnyKey, Role
from townsquare.logger import get_logger
from townsquare.problems import Problem
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.wire.pubsub import FellBehind, PubSub, Subscription

log = get_logger()

RENEWALS = 3  # per lease: two may fail
POLL_SECONDS = 0.25  # if no message arrives: the publisher crashed, or Redis was unreachable
FILLED, FAILED = b"filled", b"failed"


class CacheLocks:
    def __init__(self, redis: TolerantRedis, lease_seconds: int) -> None:
        self._redis = redis
        self._store = redis.store
        self._lease = lease_seconds
        self._channels = PubSub(redis.store, Role.CACHE)

    async def take(self, namespace: str, wanted: Sequence[AnyKey], token: str) -> list[AnyKey] | None:
        """The keys whose lock we got; None if Redis is unreachable: then each process computes itself."""
        calls = [
            TakeLock(service=key.declared.service, name=key.text, token=token, seconds=self._lease)
            for key in wanted
        ]
        replies = await self._redis.attempt(namespace, lambda: self._store.run_many(calls), None)
        if replies is None:
            return None
        return [key for key, taken in zip(wanted, replies, strict=True) if taken is True]

    @contextlib.asynccontextmanager
    async def held(self, namespace: str, taken: Sequence[AnyKey], token: str) -> AsyncIterator[None]:
        """Renew the locks while the body runs, then release them and publish the outcome."""
        renewing = asyncio.create_task(self._renew(namespace, taken, token))
        outcome = FAILED
        try:
            yield
            outcome = FILLED
        finally:
            renewing.cancel()
            calls = [
                ReleaseLock(
                    service=key.declared.service, name=key.text, token=token, outcome=outcome.decode()
                )
                for key in taken
            ]
            released: list[bool | Problem] = []
            await self._redis.attempt(namespace, lambda: self._store.run_many(calls), released)

    async def _renew(self, namespace: str, taken: Sequence[AnyKey], token: str) -> None:
        calls = [
            RenewLock(service=key.declared.service, name=key.text, token=token, seconds=self._lease)
            for key in taken
        ]
        while True:
            await asyncio.sleep(self._lease / RENEWALS)
            unknown: list[bool | Problem] = []
            renewed = await self._redis.attempt(namespace, lambda: self._store.run_many(calls), unknown)
            if not all(renewed):
                log.warning("a lock of the cache was lost: a value is computed twice", namespace=namespace)

    @contextlib.asynccontextmanager
    async def waiter(self, key: AnyKey) -> AsyncIterator["ComputationWaiter"]:
        async with contextlib.AsyncExitStack() as stack:
            subscription = None
            with contextlib.suppress(TimeoutError):  # without pub/sub the caller polls
                async with asyncio.timeout(POLL_SECONDS):
                    channel = keys.computed(key.declared.service, key.text)
                    subscription = await stack.enter_async_context(self._channels.subscribe(channel))
            yield ComputationWaiter(subscription)

    async def close(self) -> None:
        await self._channels.close()


class ComputationWaiter:
    def __init__(self, subscription: Subscription | None) -> None:
        self._subscription = subscription

    async def wait(self) -> bytes | None:
        """The outcome of the computation, or None after POLL_SECONDS."""
        if self._subscription is None:
            await asyncio.sleep(POLL_SECONDS)
            return None
        with contextlib.suppress(TimeoutError, FellBehind):
            async with asyncio.timeout(POLL_SECONDS):
                return await anext(self._subscription)
        return None


def new_token() -> str:
    return secrets.token_hex(8)


lua = LuaFolder(keys.cache, Path(__file__).parent / "lua")


@lua.script
class TakeLock(Script[bool]):
    service: str
    name: str
    token: str
    seconds: int


@lua.script
class RenewLock(TakeLock):
    pass


@lua.script
class ReleaseLock(Script[bool]):
    service: str
    name: str
    token: str
    outcome: str
