"""Decoded records in the memory of this process, kept consistent by Redis (client-side caching).

After a tracked read (`CLIENT TRACKING … OPTIN`), the node sends the connection an invalidation when the key
changes, expires or is evicted, in the same stream as its replies. An entry belongs to the connection that
read it: it is removed when that connection is lost, when the node is flushed, and when slots move.

An entry is current as of the last reply on its connection. `Barrier` proves that this is recent enough.
"""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from sys import getsizeof
from typing import Any

import msgspec
from msgspec.structs import astuple

from townsquare.keyspace import DeclarationError
from townsquare.store.client_cache.record import CacheKey
from townsquare.store.wire.protocol import RedisProtocol, WireCommand

OVERHEAD = 900  # bytes of an entry, its keys, and the dictionaries that refer to it
ESCAPE, CONTROL_ESCAPE = 2, 6  # bytes of JSON for a quote or a new line, and for other control characters
CONTROL = re.compile(r"[\x00-\x07\x0b\x0e-\x1f]")
STRUCT, TEXT = 64, 56  # bytes of a struct without its fields, and of a text without its characters
FIELD = 48  # bytes of a field besides its value: its name in the JSON, and a number
LARGEST_SHARE = 16  # a record that needs more than this fraction of the memory is not cached
FOREVER = float("inf")
MISSED = 1024  # digests of composites that were missing, each until another one takes its place
ONE_PARAMETER = 2  # parts of a cache key: the record, and its parameter

IMMUTABLE: set[type] = {str, bytes, int, float, bool}


class Entry:
    """One cached record. `live` until Redis invalidates it or it is evicted."""

    __slots__ = (
        "absent",
        "cache_key",
        "connection",
        "connections",
        "existence_check",
        "expires_at",
        "live",
        "name",
        "parts",
        "simple_connection",
        "size",
        "used",
        "value",
    )

    def __init__(
        self,
        cache_key: CacheKey,
        name: bytes,
        connection: RedisProtocol,
        value: Any,
        size: int,
        expires_at: float = FOREVER,
        existence_check: WireCommand | None = None,
        parts: tuple["Entry", ...] = (),
    ) -> None:
        self.cache_key = cache_key
        self.name = name  # of the key in Redis; empty for a composite
        self.connection = connection
        self.value = value
        self.size = size
        self.expires_at = expires_at  # loop time
        self.existence_check = existence_check  # a command to send before each use, see `fetch`
        self.simple_connection = connection if existence_check is None else None
        self.parts = parts  # of a composite: the records that it is made of
        self.connections = tuple({part.connection for part in parts}) if parts else (connection,)
        self.absent = tuple(
            [(part.connection, part.existence_check) for part in parts if part.existence_check is not None]
        )  # connections and checks of parts that do not exist
        self.live = True
        self.used = False  # since the last eviction pass


class TrackedRead:
    """A read in flight. Its value is not cached if the key is invalidated before the reply is handled."""

    __slots__ = ("valid",)

    def __init__(self) -> None:
        self.valid = True


class ClientCache:
    """At most `limit` bytes of records, by a conservative estimate; the least recently used are evicted."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.hits = 0
        self.misses = 0
        self.drops = 0  # entries that Redis invalidated, or whose connection was lost
        self.entries: OrderedDict[CacheKey, Entry] = OrderedDict()
        self.by_record: defaultdict[Any, dict[Any, Entry]] = defaultdict(dict)  # those with one parameter
        self._by_name: dict[bytes, list[Entry]] = {}
        self._in_flight: dict[bytes, list[TrackedRead]] = {}
        self._missed = [0] * MISSED

    def begin_read(self, name: bytes, read: TrackedRead) -> None:
        """From here until `end_read`, an invalidation of this key makes the read invalid."""
        self._in_flight.setdefault(name, []).append(read)

    def end_read(self, name: bytes, read: TrackedRead) -> None:
        reads = self._in_flight.get(name)
        if reads is not None and read in reads:
            reads.remove(read)
            if not reads:
                del self._in_flight[name]

    def add(
        self,
        cache_key: CacheKey,
        name: bytes,
        connection: RedisProtocol,
        value: Any,
        expires_at: float = FOREVER,
        existence_check: WireCommand | None = None,
    ) -> None:
        if value is None or connection.failure:
            return
        if value.__class__ not in IMMUTABLE:
            require_immutable(value.__class__)
        size = OVERHEAD + memory_of(value)
        if size * LARGEST_SHARE <= self.limit:
            self._put(Entry(cache_key, name, connection, value, size, expires_at, existence_check))

    def add_composite(self, cache_key: CacheKey, value: Any, size: int, parts: tuple[Entry, ...]) -> None:
        """A value that is made of these records. None of them may expire."""
        if not parts or any(part.expires_at != FOREVER for part in parts):
            return
        size += OVERHEAD + sum([part.size for part in parts])  # it may hold them after they were removed
        if size * LARGEST_SHARE <= self.limit:
            self._put(Entry(cache_key, b"", parts[0].connection, value, size, parts=parts))

    def is_worth_composing(self, cache_key: CacheKey) -> bool:
        """Whether a composite was missing before. Many lists are read once before they change."""
        entry = self.entries.get(cache_key)
        if entry is not None and self.is_current(entry):
            return False  # another request has added it
        digest = hash(cache_key)
        index = digest % MISSED
        again = self._missed[index] == digest
        self._missed[index] = digest
        return again

    def is_current(self, composite: Entry) -> bool:
        """Whether it and each record that it is made of are still live; else it is removed."""
        if not composite.live:
            return False
        for part in composite.parts:
            if not part.live:
                self._remove(composite)
                return False
        composite.used = True
        return True

    def _put(self, entry: Entry) -> None:
        """Each value has an entry of its own: a reader that holds the one before sees that it is not live."""
        cache_key = entry.cache_key
        if (before := self.entries.get(cache_key)) is not None:
            self._remove(before)
        self.entries[cache_key] = entry
        if len(cache_key) == ONE_PARAMETER:
            self.by_record[cache_key[0]][cache_key[1]] = entry
        if entry.name:
            self._by_name.setdefault(entry.name, []).append(entry)
        self.size += entry.size
        if self.size > self.limit:
            self._evict()

    def invalidate(self, connection: RedisProtocol, names: Sequence[bytes] | None) -> None:
        """An invalidation message: these keys have changed, or with None all may have."""
        if names is None:
            self.forget_all(connection)
            return
        for name in names:
            for read in self._in_flight.pop(name, ()):
                read.valid = False
            for entry in tuple(self._by_name.get(name, ())):
                self.drops += 1
                self._remove(entry)

    def forget_all(self, connection: RedisProtocol | None = None) -> None:
        """Remove every entry, or those of one connection; no read in flight is cached either."""
        for reads in self._in_flight.values():
            for read in reads:
                read.valid = False
        self._in_flight.clear()
        for entry in [one for one in self.entries.values() if connection in (None, one.connection)]:
            self.drops += 1
            self._remove(entry)

    def _remove(self, entry: Entry) -> None:
        entry.live = False
        entry.value = None
        del self.entries[entry.cache_key]
        if len(entry.cache_key) == ONE_PARAMETER:
            del self.by_record[entry.cache_key[0]][entry.cache_key[1]]
        self.size -= entry.size
        if entry.name:
            named = self._by_name[entry.name]
            named.remove(entry)
            if not named:
                del self._by_name[entry.name]

    def _evict(self) -> None:
        """In the order of arrival, with a second chance for entries that were used since the last pass."""
        while self.size > self.limit:
            cache_key, entry = next(iter(self.entries.items()))
            if entry.used:
                entry.used = False
                self.entries.move_to_end(cache_key)
            else:
                self._remove(entry)


def memory_of(value: Any) -> int:
    """Upper bound of the memory of a decoded value and its JSON, with every character escaped."""
    kind = value.__class__
    if kind is str:
        return memory_of_text(value)
    if isinstance(value, msgspec.Struct):
        fields = astuple(value)
        return STRUCT + FIELD * len(fields) + sum([memory_of(one) for one in fields if one is not None])
    if isinstance(value, tuple | frozenset):
        return getsizeof(value) + sum(map(memory_of, value))
    return getsizeof(value) if kind is bytes else 0


def memory_of_text(text: str) -> int:
    escaped = ESCAPE if text.isprintable() or not CONTROL.search(text) else CONTROL_ESCAPE
    if text.isascii():
        return TEXT + (1 + escaped) * len(text)
    encoded = len(text.encode("utf-8", "surrogatepass"))
    return getsizeof(text) + (1 + escaped) * encoded  # an encoder leaves the UTF-8 of a text with it


def require_immutable(kind: type) -> None:
    """Requests share cached values, so none may change them."""
    if not issubclass(kind, msgspec.Struct) or not kind.__struct_config__.frozen:
        raise DeclarationError(f"{kind.__name__} is mutable: a cached record must be a frozen struct")
    IMMUTABLE.add(kind)
