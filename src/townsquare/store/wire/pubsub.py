"""Messages between processes: one valkey-py connection per process, many local listeners.

On a cluster PUBLISH reaches every node, so any node will do for listening.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from importlib import import_module
from typing import TYPE_CHECKING

from townsquare.keyspace import AnyKey, Role
from townsquare.logger import get_logger
from townsquare.problems import Unavailable
from townsquare.store.wire.address import Address, redis_client
from townsquare.tasks import cancel_tasks

if TYPE_CHECKING:
    from valkey.asyncio.client import PubSub as Wire

    from townsquare.store.store import Store

log = get_logger()

QUEUE = 1_000  # messages that a listener may fall behind before it is dropped
RECONNECT_SECONDS = 0.1
CONNECT_TIMEOUT = 2.0


class FellBehind(Exception):
    """The listener did not read its messages in time and has lost some."""


class Subscription:
    """The messages of one channel for one listener, from the moment it subscribed."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(QUEUE)
        self._fell_behind = False

    def put(self, message: bytes) -> None:
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            self._fell_behind = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._fell_behind:
            raise FellBehind
        return await self._queue.get()


class Channel:
    def __init__(self) -> None:
        self.listeners: set[Subscription] = set()
        self.live = asyncio.Event()  # Redis has confirmed the subscription


class PubSub:
    def __init__(self, store: "Store", role: Role = Role.DATA) -> None:
        self._store = store
        self._role = role  # of the channels
        self._channels: dict[str, Channel] = {}
        self._wire: Wire | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._lost = False
        self._wanted = asyncio.Event()  # set when there is something to subscribe to
        self._sending = asyncio.Lock()  # the first command opens the connection: two at once would open two

    @contextlib.asynccontextmanager
    async def subscribe(self, key: AnyKey) -> AsyncIterator[Subscription]:
        name = self._store.name(key)
        subscription = Subscription()
        channel = self._channels.get(name)
        is_new = channel is None
        channel = channel or self._channels.setdefault(name, Channel())
        channel.listeners.add(subscription)
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep(), name="townsquare-pubsub")
        try:
            if is_new:
                self._wanted.set()
                await self._send("subscribe", name)
            await channel.live.wait()
            yield subscription
        finally:
            channel.listeners.discard(subscription)
            if not channel.listeners and self._channels.get(name) is channel:
                del self._channels[name]
                await self._send("unsubscribe", name)

    async def _send(self, verb: str, name: str) -> None:
        """Send to the current connection. The next connection subscribes to all channels of its time."""
        async with self._sending:
            if self._wire is not None:
                from valkey.exceptions import ValkeyError

                with contextlib.suppress(ValkeyError, OSError):
                    await getattr(self._wire, verb)(name)

    async def _keep(self) -> None:
        await asyncio.to_thread(import_module, "valkey.asyncio")  # 8 MB
        from valkey.exceptions import ValkeyError

        while True:
            try:
                await self._listen(self._any_node())
            except (ValkeyError, OSError, Unavailable) as error:
                if not self._lost:
                    self._lost = True
                    log.warning("pub/sub connection lost", why=str(error))
            await asyncio.sleep(RECONNECT_SECONDS)

    def _any_node(self) -> Address:
        for connection in self._store.role_stores[self._role].nodes.connections():
            if connection.connected and connection.address:
                return connection.address
        raise Unavailable

    async def _listen(self, address: Address) -> None:
        client = redis_client(address, timeout=CONNECT_TIMEOUT, socket_timeout=None)
        async with client, client.pubsub() as wire:
            self._wire = wire
            try:
                while True:
                    await self._receive(wire)
            finally:
                self._wire = None
                for channel in self._channels.values():
                    channel.live.clear()

    async def _receive(self, wire: "Wire") -> None:
        if not wire.subscribed:
            await self._wanted.wait()
            async with self._sending:
                if self._channels:
                    await wire.subscribe(*self._channels)
                else:
                    self._wanted.clear()
            return
        message = await wire.get_message(timeout=None)
        channel = self._channels.get(message["channel"].decode()) if message else None
        if message is None or channel is None:
            return
        if message["type"] == "subscribe":
            channel.live.set()
            if self._lost:
                self._lost = False
                log.warning("pub/sub connection restored")
        elif message["type"] == "message":
            for subscription in channel.listeners:
                subscription.put(message["data"])

    async def close(self) -> None:
        await cancel_tasks((self._keeper,))
