"""Records from the client cache, misses from Redis in one round trip, all of them proven current."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from townsquare.keyspace import Role
from townsquare.store.client_cache.barrier import CURRENT, Barrier, redirected
from townsquare.store.client_cache.cache import ClientCache, Entry
from townsquare.store.client_cache.fetch import Fetch, FetchBatch
from townsquare.store.client_cache.record import CacheKey, Composite, Record, RecordRead
from townsquare.store.commands import Command

if TYPE_CHECKING:
    from townsquare.store.store import Store

T = TypeVar("T")

Reads = Sequence[Command | RecordRead[Any]]


class RecordReader:
    def __init__(self, store: "Store", cache: ClientCache | None) -> None:
        self._store = store
        self._cache = cache
        self._fetches: dict[CacheKey, Fetch] = {}  # in flight
        self._composing: dict[CacheKey, asyncio.Event] = {}  # composites that a request is making

    async def read_all(self, record: Record[T], params: Sequence[Any]) -> list[T | None]:
        """Records of one kind, each by one parameter."""
        cache = self._cache
        if cache is None or not record.cached:
            return await self._fetch([record(one) for one in params])
        barrier = self._barrier()
        entries = [*map(cache.by_record[record].get, params)]
        if barrier is None and not any(entries):
            return await self._fetch([record(one) for one in params])
        values, missing, unvalidated = self._look_up(cache, entries, barrier)
        if missing or unvalidated:
            reads: dict[int, Command | RecordRead[Any]] = {
                index: record(params[index]) for index in (*missing, *unvalidated)
            }
            await self._complete(cache, values, reads, missing, unvalidated, barrier)
        return values

    async def read(self, commands: Reads) -> list[Any]:
        """Records of several kinds, and other commands that read."""
        cache = self._cache
        if cache is None:
            return await self._fetch(commands)
        barrier = self._barrier()
        find = cache.entries.get
        entries = [find(one.cache_key) if one.__class__ is RecordRead else None for one in commands]
        if barrier is None and not any(entries):
            return await self._fetch(commands)
        values, missing, unvalidated = self._look_up(cache, entries, barrier)
        if missing or unvalidated:
            await self._complete(cache, values, dict(enumerate(commands)), missing, unvalidated, barrier)
        return values

    def read_cached(self, reads: Sequence[RecordRead[Any]]) -> list[Any] | None:
        """The values of these records, if all are cached, and current or to be validated later."""
        cache, barrier = self._cache, self._barrier()
        if cache is None or barrier is None:
            return None
        find = cache.entries.get
        return self._current_values(cache, [find(one.cache_key) for one in reads], barrier)

    async def pass_barrier(self) -> None:
        barrier = self._barrier()
        if self._cache is not None and barrier is not None:
            await barrier.wait()

    def _barrier(self) -> Barrier | None:
        barrier = CURRENT.get()
        return barrier if barrier is not None and barrier.is_for(self._store) else None

    async def composite(self, kind: Composite[T], key: Any) -> T | None:
        """A value that is made of records, if all of them are proven current."""
        cache, barrier = self._cache, self._barrier()
        entry = cache.by_record[kind].get(key) if cache is not None and barrier is not None else None
        if cache is None or barrier is None or entry is None:
            return None
        checks = [connection.send_many([check]) for connection, check in entry.absent]
        for connection in entry.connections:
            if not barrier.passed(connection):
                await barrier.wait_for(entry.connections)
                break
        if (checks and await redirected(checks)) or not cache.is_current(entry):
            return None
        cache.hits += len(entry.parts)
        value: T = entry.value
        return value

    async def compose(
        self, kind: Composite[T], key: Any, make: Callable[[], Awaitable[T | None]]
    ) -> T | None:
        """What `make` returns and adds. Requests that want it meanwhile wait, and use it if it is current."""
        cache_key = (kind, key)
        made = self._composing.get(cache_key)
        if made is not None:
            await made.wait()
            return await self.composite(kind, key) or await make()
        made = self._composing[cache_key] = asyncio.Event()
        try:
            return await make()
        finally:
            del self._composing[cache_key]
            made.set()

    def is_worth_composing(self, kind: Composite[Any], key: Any) -> bool:
        return self._cache is not None and self._cache.is_worth_composing((kind, key))

    def add_composite(
        self, kind: Composite[T], key: Any, value: T, made_of: Iterable[tuple[CacheKey, Any]]
    ) -> None:
        """`made_of`: the keys and the values of the records that were read for it."""
        cache = self._cache
        if cache is None:
            return
        parts: list[Entry] = []
        for cache_key, read in made_of:
            part = cache.entries.get(cache_key)
            if part is None or part.value is not read:  # it has changed since it was read
                return
            parts.append(part)
        cache.add_composite((kind, key), value, kind.memory(value), tuple(parts))

    def _current_values(
        self, cache: ClientCache, entries: Sequence[Entry | None], barrier: Barrier
    ) -> list[Any] | None:
        """The cached values, if all are of one connection, as most are, and need no round trip."""
        first = entries[0] if entries else None
        if first is None:
            return None
        connection = first.connection
        passed = barrier.passed(connection)
        if not passed and not barrier.may_defer:
            return None
        now = asyncio.get_running_loop().time()
        values = []
        for entry in entries:
            if entry is None or entry.simple_connection is not connection or entry.expires_at <= now:
                return None
            entry.used = True
            values.append(entry.value)
        cache.hits += len(entries)
        if not passed:
            barrier.unvalidated += entries  # type: ignore[arg-type]
        return values

    def _look_up(
        self, cache: ClientCache, entries: Sequence[Entry | None], barrier: Barrier | None
    ) -> tuple[list[Any], Sequence[int], dict[int, Entry]]:
        """The cached values, the indexes of misses, and the entries that are not validated."""
        current = self._current_values(cache, entries, barrier) if barrier is not None else None
        if current is not None:
            return current, (), {}
        values: list[Any] = []
        missing: list[int] = []
        unvalidated: dict[int, Entry] = {}
        now = asyncio.get_running_loop().time()
        passed = None  # the last connection of which this is known
        for index, entry in enumerate(entries):
            if entry is None or entry.expires_at <= now:
                missing.append(index)
                values.append(None)
                continue
            values.append(entry.value)
            entry.used = True
            if entry.simple_connection is not None and entry.simple_connection is passed:
                continue
            if barrier is None or entry.existence_check is not None or not barrier.passed(entry.connection):
                unvalidated[index] = entry
            else:
                passed = entry.connection
        cache.hits += len(entries) - len(missing)
        if unvalidated and barrier is not None and barrier.defer_validation(unvalidated.values()):
            unvalidated = {}
        return values, missing, unvalidated

    async def _complete(
        self,
        cache: ClientCache,
        values: list[Any],
        reads: dict[int, Command | RecordRead[Any]],
        missing: Sequence[int],
        unvalidated: dict[int, Entry],
        barrier: Barrier | None,
    ) -> None:
        """Read the misses and validate the rest. An entry that has changed meanwhile is a miss too."""
        if not unvalidated:
            await self._fill(values, reads, missing, barrier)
            return
        proof = barrier or Barrier(self._store)
        connections = {entry.connection for entry in unvalidated.values()}
        if self._store.clustered or not missing:  # else the reply to the misses is proof enough
            proof.send_to(connections)
        existence_checks = [
            entry.connection.send_many([entry.existence_check])
            for entry in unvalidated.values()
            if entry.existence_check is not None
        ]
        await self._fill(values, reads, missing, barrier)
        await proof.wait_for(connections)
        moved = await redirected(existence_checks)
        stale = [
            index
            for index, entry in unvalidated.items()
            if not entry.live
            or not proof.passed(entry.connection)
            or (moved and entry.existence_check is not None)
        ]
        if stale:
            cache.hits -= len(stale)
            await self._fill(values, reads, stale, barrier)

    async def _fill(
        self,
        values: list[Any],
        reads: dict[int, Command | RecordRead[Any]],
        indexes: Sequence[int],
        barrier: Barrier | None,
    ) -> None:
        """Read these from Redis, or wait for a fetch of another request that was sent after ours began."""
        if not indexes:
            return
        joined: list[tuple[int, Fetch, Any]] = []
        own: list[int] = []
        for index in indexes:
            read = reads[index]
            fetch = self._fetches.get(read.cache_key) if isinstance(read, RecordRead) else None
            if fetch is not None and barrier is not None and barrier.covers(fetch.connection, fetch.number):
                joined.append((index, fetch, fetch.join()))
            else:
                own.append(index)
        if own:
            for index, value in zip(own, await self._fetch([reads[index] for index in own]), strict=True):
                values[index] = value
        failed = []
        for index, fetch, arrival in joined:
            if await arrival:
                values[index] = fetch.value
            else:
                failed.append(index)
        if failed:
            found = await self._fetch([reads[index] for index in failed])
            for index, value in zip(failed, found, strict=True):
                values[index] = value

    async def _fetch(self, commands: Reads) -> list[Any]:
        """From Redis, in one round trip to each node."""
        roles = [one.record.role if isinstance(one, RecordRead) else one[1].declared.role for one in commands]
        if len(set(roles)) <= 1:
            return await self._fetch_from(roles[0], commands) if roles else []
        values: list[Any] = [None] * len(commands)
        for role in Role:
            indexes = [index for index, one in enumerate(roles) if one is role]
            if indexes:
                found = await self._fetch_from(role, [commands[index] for index in indexes])
                for index, value in zip(indexes, found, strict=True):
                    values[index] = value
        return values

    async def _fetch_from(self, role: Role, commands: Reads) -> list[Any]:
        role_store = self._store.role_stores[role]
        batch = FetchBatch(role_store, self._cache, commands, self._fetches)
        try:
            return batch.values(await role_store.nodes.execute_many(batch.routed))
        except BaseException:
            batch.fail()
            raise
