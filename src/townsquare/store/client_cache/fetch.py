"""Read records from Redis as tracked reads: Redis sends an invalidation when the key changes.

On a cluster, no invalidation is sent for a missing key whose slot moves. An entry made from an empty reply
therefore has an EXISTS command that is sent before each use: a node that no longer has the slot answers it
with a redirect.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from townsquare.store.client_cache.cache import FOREVER, ClientCache, TrackedRead
from townsquare.store.client_cache.record import CacheKey, RecordRead
from townsquare.store.commands import Command, render
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.protocol import RedisProtocol, ReplyError, WireCommand, pack

if TYPE_CHECKING:
    from townsquare.store.store import RoleStore

CACHING: WireCommand = pack(("CLIENT", "CACHING", "YES"))  # track the keys of the next command


class Fetch(TrackedRead):
    """One record on its way from Redis. Requests that began before it was sent may wait for it too."""

    __slots__ = ("_waiters", "cache_key", "connection", "existence_check", "name", "number", "value")

    def __init__(self, cache_key: CacheKey, name: bytes, connection: RedisProtocol) -> None:
        super().__init__()
        self.cache_key = cache_key
        self.name = name
        self.connection = connection
        self.number = connection.sent  # of commands, before this one
        self.existence_check: WireCommand | None = None
        self.value: Any = None
        self._waiters: list[asyncio.Future[bool]] = []

    def join(self) -> asyncio.Future[bool]:
        """Done with True when `value` is here, with False if the fetch has failed."""
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        return waiter

    def end(self, *, arrived: bool) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(arrived)


class FetchBatch:
    """Records and other commands for one role, in one round trip; cacheable records as tracked reads."""

    def __init__(
        self,
        role_store: "RoleStore",
        cache: ClientCache | None,
        commands: Sequence[Command | RecordRead[Any]],
        fetches: dict[CacheKey, Fetch],
    ) -> None:
        self._cache = cache
        self._commands = commands
        self._all = fetches  # of all batches in flight
        self._began = asyncio.get_running_loop().time()
        self._fetches: list[Fetch | None] = []  # of each command that is a tracked read
        self.routed: list[Routed] = []
        layout, nodes = role_store.layout, role_store.nodes
        # A name that cannot be built raises here, before any fetch is registered.
        routed = [render(layout, command_of(one)) for one in commands]
        for command, (slot, words) in zip(commands, routed, strict=True):
            if not isinstance(command, RecordRead):
                self.routed.append((slot, words))
                self._fetches.append(None)
                continue
            record, name = command.record, words[1]
            connection = nodes.session(slot) if cache is not None and record.cached else None
            fetch: Fetch | None = None
            if cache is not None and connection is not None and connection.tracks:
                fetch = Fetch(command.cache_key, str(name).encode(), connection)
                if layout.clustered:
                    fetch.existence_check = pack(("EXISTS", name))
                cache.begin_read(fetch.name, fetch)
                fetches[fetch.cache_key] = fetch
                self.routed.append((slot, CACHING))
            self.routed.append((slot, words))
            if fetch is not None and record.expires:
                self.routed.append((slot, ("PTTL", name)))
            self._fetches.append(fetch)

    def fail(self) -> None:
        for fetch in self._fetches:
            if fetch is not None:
                self._end(fetch, arrived=False)

    def values(self, replies: Sequence[Any]) -> list[Any]:
        """The decoded replies. Records are cached unless they were invalidated meanwhile."""
        coming = iter(replies)
        values: list[Any] = []
        failure: ReplyError | None = None
        for command, fetch in zip(self._commands, self._fetches, strict=True):
            is_tracked = fetch is not None and next(coming) == b"OK"
            reply = next(coming)
            lives_ms: Any = -1
            if fetch is not None and command.record.expires:  # type: ignore[union-attr]
                lives_ms = next(coming)
            if reply.__class__ is ReplyError:
                failure = failure or reply
                values.append(None)
                if fetch is not None:
                    self._end(fetch, arrived=False)
                continue
            value = reply
            if isinstance(command, RecordRead):
                value = None if reply is None else command.record.decode(reply)
            if fetch is not None:
                if is_tracked and fetch.valid and lives_ms.__class__ is int:
                    self._add(fetch, value, reply, lives_ms)
                fetch.value = value
                self._end(fetch, arrived=True)
            values.append(value)
        if failure is not None:
            raise failure
        return values

    def _add(self, fetch: Fetch, value: Any, reply: Any, lives_ms: int) -> None:
        assert self._cache is not None
        self._cache.misses += 1
        expires_at = self._began + lives_ms / 1000 if lives_ms >= 0 else FOREVER
        existence_check = fetch.existence_check if is_empty(reply) else None
        self._cache.add(fetch.cache_key, fetch.name, fetch.connection, value, expires_at, existence_check)

    def _end(self, fetch: Fetch, *, arrived: bool) -> None:
        assert self._cache is not None
        self._cache.end_read(fetch.name, fetch)
        if self._all.get(fetch.cache_key) is fetch:
            del self._all[fetch.cache_key]
        fetch.end(arrived=arrived)


def command_of(read: Command | RecordRead[Any]) -> Command:
    if isinstance(read, RecordRead):
        record = read.record
        args = record.args + read.args
        return (record.verb, record.declared(*read.params), *args)
    return read


def is_empty(reply: Any) -> bool:
    """Whether Redis may have answered so because the key does not exist."""
    return not reply or (reply.__class__ is list and not any(reply))
