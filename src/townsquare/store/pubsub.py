"""Messages between processes, over redis-py: one connection per process, many local listeners.

On a cluster PUBLISH reaches every node, so any node will do for listening.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import redis.asyncio as redis
import structlog
from redis.exceptions import RedisError

from townsquare.keyspace import AnyKey

if TYPE_CHECKING:
    from townsquare.store.store import Store

log = structlog.get_logger()

QUEUE = 1_000  # messages that a listener may fall behind before it is dropped
RECONNECT_SECONDS = 0.5


class FellBehind(Exception):
    """A listener was too slow and is not waited for."""


class Subscription:
    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(QUEUE)
        self._dropped = False

    def put(self, message: bytes) -> None:
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            self._dropped = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._dropped:
            raise FellBehind
        return await self._queue.get()


class PubSub:
    def __init__(self, store: "Store", client: redis.Redis) -> None:
        self._store = store
        self._client = client
        self._pubsub = client.pubsub(ignore_subscribe_messages=False)
        self._listeners: dict[str, set[Subscription]] = defaultdict(set)
        self._subscribed: dict[str, asyncio.Event] = {}
        self._reader: asyncio.Task[None] | None = None

    async def publish(self, channel: AnyKey, message: bytes) -> int:
        return int(await self._store.call("PUBLISH", channel, message))

    @contextlib.asynccontextmanager
    async def subscribe(self, channel: AnyKey) -> AsyncIterator[Subscription]:
        """Messages from the moment the body begins."""
        name = self._store.name(channel)
        subscription = Subscription()
        self._listeners[name].add(subscription)
        try:
            if name not in self._subscribed:
                self._subscribed[name] = asyncio.Event()
                await self._pubsub.subscribe(name)
            if self._reader is None:
                self._reader = asyncio.create_task(self._read())
            await self._subscribed[name].wait()
            yield subscription
        finally:
            self._listeners[name].discard(subscription)
            if not self._listeners[name]:
                del self._listeners[name]
                self._subscribed.pop(name, None)
                with contextlib.suppress(RedisError, OSError):
                    await self._pubsub.unsubscribe(name)

    async def _read(self) -> None:
        while True:
            try:
                message = await self._pubsub.get_message(timeout=None)
            except (RedisError, OSError) as error:
                log.warning("pub/sub connection lost", why=str(error))
                await asyncio.sleep(RECONNECT_SECONDS)
                continue
            if message is None:
                continue
            name = message["channel"].decode()
            if message["type"] == "subscribe" and name in self._subscribed:
                self._subscribed[name].set()
            elif message["type"] == "message":
                for subscription in self._listeners.get(name, ()):
                    subscription.put(message["data"])

    async def close(self) -> None:
        if self._reader:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        await self._pubsub.aclose()  # type: ignore[no-untyped-call]
        await self._client.aclose()
