"""Decoded records, each for as long as Redis has not said that it changed.

A node tells the connection that read a key (`CLIENT TRACKING … OPTIN`) when the key changes, expires or is
evicted, in the same stream as its replies. What was read over a connection is kept with it: it is gone when
the connection is lost or the node was flushed, and all of it when slots move.

What is found here is what the record was at the last reply of its connection. Whoever uses it waits for a
reply to something that was sent after they were asked: `ReadRequest` and `Store.read` do.
"""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

import msgspec

from townsquare.keyspace import DeclarationError
from townsquare.store.wire.protocol import RedisProtocol

OVERHEAD = 1_200  # bytes of an entry, its models and what the dictionaries need for them
COPIES = 4  # bytes of memory for one in Redis: the models, and their JSON
LARGEST_SHARE = 16  # a record that needs more than this part of the whole is not kept
FOREVER = float("inf")

UNCHANGING: set[type] = {str, bytes, int, float, bool}


class Entry:
    """One key. `live` until Redis says that it changed, or it had to make room."""

    __slots__ = ("link", "live", "size", "until", "used", "views")

    def __init__(self, link: RedisProtocol, size: int, until: float) -> None:
        self.link = link
        self.live = True
        self.used = False  # since room was last made
        self.size = size
        self.until = until  # the end of its lifetime, by the clock of the loop
        self.views: dict[Hashable, Any] = {}  # what was made of it, by the function that made it


class NearCache:
    """At most `limit` bytes of records, by an estimate; those that nobody has used for longest make room."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.hits = 0
        self.misses = 0
        self.drops = 0  # because Redis said so, or could not be asked any more
        self.entries: OrderedDict[bytes, Entry] = OrderedDict()
        self._reads: dict[bytes, object] = {}  # on their way: the last that asked for each key

    def begin_read(self, name: bytes, read: object) -> None:
        """Note that a key is about to be asked for; what is said of it until the answer is not missed."""
        self._reads[name] = read

    def end_read(self, name: bytes, read: object) -> bool:
        """Whether nothing was said of it meanwhile."""
        if self._reads.get(name) is not read:
            return False
        del self._reads[name]
        return True

    def keep(
        self, name: bytes, link: RedisProtocol, view: Hashable, value: Any, raw: Any, until: float = FOREVER
    ) -> None:
        if value is None or link.failure:
            return
        if value.__class__ not in UNCHANGING:
            require_unchanging(value.__class__)
        size = OVERHEAD + COPIES * weight(raw)
        if size * LARGEST_SHARE > self.limit:
            return
        entry = self.entries.get(name)
        if entry is None or entry.link is not link:
            if entry is not None:
                self._forget(name)
            entry = self.entries[name] = Entry(link, 0, until)
        entry.views[view] = value
        entry.until = until
        entry.size += size
        self.size += size
        if self.size > self.limit:
            self._make_room()

    def invalidate(self, link: RedisProtocol, names: Sequence[bytes] | None) -> None:
        """What Redis says: these have changed, or with None all."""
        if names is None:
            self.forget_all(link)
            return
        for name in names:
            self._reads.pop(name, None)
            if name in self.entries:
                self.drops += 1
                self._forget(name)

    def forget_all(self, link: RedisProtocol | None = None) -> None:
        """Everything, or what was read over one connection; nothing that is on its way is kept either."""
        self._reads.clear()
        gone = [name for name, entry in self.entries.items() if link is None or entry.link is link]
        self.drops += len(gone)
        for name in gone:
            self._forget(name)

    def _forget(self, name: bytes) -> None:
        entry = self.entries.pop(name)
        entry.live = False
        self.size -= entry.size

    def _make_room(self) -> None:
        """A second chance for what was used since the last time, in the order of arrival."""
        while self.size > self.limit:
            name, entry = next(iter(self.entries.items()))
            if entry.used:
                entry.used = False
                self.entries.move_to_end(name)
            else:
                self._forget(name)


def weight(raw: Any) -> int:
    """Bytes of what Redis answered."""
    if isinstance(raw, bytes):
        return len(raw)
    if isinstance(raw, int):
        return 8
    if isinstance(raw, dict):
        return sum(len(name) + len(value) for name, value in raw.items())
    return sum(map(len, filter(None, raw)))


def require_unchanging(kind: type) -> None:
    """Many requests share what is kept, so that none may change it."""
    if not issubclass(kind, msgspec.Struct) or not kind.__struct_config__.frozen:
        raise DeclarationError(f"{kind.__name__} can be changed: what is kept near must be a frozen struct")
    UNCHANGING.add(kind)
