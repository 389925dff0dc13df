"""Which node a command goes to: one node, the primary that sentinels name, or a cluster's slots."""

import asyncio
from collections.abc import Coroutine, Sequence
from importlib import import_module
from typing import Any, Protocol

from townsquare.problems import Unavailable
from townsquare.store.wire.address import Address, StoreUrl, client_options, parse
from townsquare.store.wire.cluster import ClusterNodes, Routed
from townsquare.store.wire.connection import COMMAND_TIMEOUT, NodeConnection, Resolver, fixed
from townsquare.store.wire.protocol import Arg, RedisProtocol, Reply, ReplyError, Tracker

__all__ = ["ClusterNodes", "Nodes", "SingleNode", "connect", "nodes_at"]


class Nodes(Protocol):
    """All nodes of one store. `slot` is the cluster slot of the command's keys, None if it has no key."""

    @property
    def clustered(self) -> bool: ...

    def execute(self, slot: int | None, *args: Arg) -> Coroutine[Any, Any, Reply]: ...

    def execute_many(self, commands: Sequence[Routed]) -> Coroutine[Any, Any, list[Reply | ReplyError]]:
        """Send each node its share at once; replies keep the order of the commands.

        Error replies are values. Raises `Unavailable` only if no command was executed.
        """
        ...

    def connections(self) -> list[NodeConnection]:
        """Every primary, for SCAN and INFO."""
        ...

    def session(self, slot: int | None) -> RedisProtocol | None:
        """The session that a command for this slot would use."""
        ...

    def sessions(self) -> list[RedisProtocol]:
        """All current sessions."""
        ...

    async def ready(self) -> None: ...

    async def close(self) -> None: ...


class SingleNode:
    clustered = False

    def __init__(
        self, resolve: Resolver, *, timeout: float = COMMAND_TIMEOUT, tracker: Tracker | None = None
    ) -> None:
        self._connection = NodeConnection(resolve, timeout=timeout, tracker=tracker)

    def execute(self, slot: int | None, *args: Arg) -> Coroutine[Any, Any, Reply]:
        return self._connection.execute(*args)

    def execute_many(self, commands: Sequence[Routed]) -> Coroutine[Any, Any, list[Reply | ReplyError]]:
        return self._connection.execute_many([args for _, args in commands])

    def connections(self) -> list[NodeConnection]:
        return [self._connection]

    def session(self, slot: int | None) -> RedisProtocol | None:
        return self._connection.session

    def sessions(self) -> list[RedisProtocol]:
        session = self._connection.session
        return [session] if session is not None else []

    async def ready(self) -> None:
        await self._connection.ready()

    async def close(self) -> None:
        await self._connection.close()


def nodes_at(url: str, *, timeout: float = COMMAND_TIMEOUT, tracker: Tracker | None = None) -> Nodes:
    """The store at that URL, not yet connected: `ready()` connects, and may be tried again."""
    found = parse(url)
    if found.kind == "cluster":
        return ClusterNodes(found.addresses, timeout=timeout, tracker=tracker)
    if found.kind == "sentinel":
        return SingleNode(primary_of(found, timeout), timeout=timeout, tracker=tracker)
    return SingleNode(fixed(found.addresses[0]), timeout=timeout, tracker=tracker)


async def connect(
    url: str,
    *,
    timeout: float = COMMAND_TIMEOUT,  # noqa: ASYNC109 - of each command
    tracker: Tracker | None = None,
) -> Nodes:
    """The store at that URL, connected, or `Unavailable` with the reason."""
    nodes = nodes_at(url, timeout=timeout, tracker=tracker)
    try:
        await nodes.ready()
    except BaseException:
        await nodes.close()
        raise
    return nodes


def primary_of(url: StoreUrl, timeout: float) -> Resolver:
    """Ask the sentinels for the current primary, at every connect."""

    hosts = [(address.host, address.port) for address in url.addresses]
    share = timeout / (len(hosts) + 1)  # a silent sentinel must leave time for the next and for the primary
    options = client_options(url.addresses[0], share)

    async def resolve() -> Address:
        await asyncio.to_thread(import_module, "valkey.asyncio.sentinel")
        from valkey.asyncio.sentinel import Sentinel
        from valkey.exceptions import ValkeyError

        sentinel = Sentinel(hosts, sentinel_kwargs=options)  # type: ignore[no-untyped-call]
        try:
            host, port = await sentinel.discover_master(url.service)
        except ValkeyError as error:
            raise Unavailable(f"The sentinels name no primary of {url.service!r}: {error}") from None
        finally:
            await asyncio.gather(*(client.aclose() for client in sentinel.sentinels))
        return url.node.at(host, int(port))

    return resolve
