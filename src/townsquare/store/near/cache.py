"""Decoded records, each for as long as Redis has not said that it changed.

A node tells the connection that read a key (`CLIENT TRACKING … OPTIN`) when the key changes, expires or is
evicted, in the same stream as its replies. What was read over a connection is kept with it: it is gone when
the connection is lost or the node was flushed, and all of it when slots move.

What is found here is what the record was at the last reply of its connection. Whoever uses it waits for a
reply to something that was sent after they were asked: `ReadRequest` and `Store.read` do.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import msgspec

from townsquare.keyspace import DeclarationError
from townsquare.store.wire.protocol import RedisProtocol, Words

OVERHEAD = 1_200  # bytes of an entry, its models and what the dictionaries need for them
BARE = 400  # bytes of an entry without models
NUMBER = 8  # bytes of what is neither text nor a list
COPIES = 4  # bytes of memory for one in Redis: the models, and their JSON
LARGEST_SHARE = 16  # a record that needs more than this part of the whole is not kept
FOREVER = float("inf")
ANY = b"*"

NO_VIEWS: dict[Hashable, Any] = {}

UNCHANGING: set[type] = {str, bytes, int, float, bool}


class Entry:
    """One key. `live` until Redis says that it changed, or it had to make room."""

    __slots__ = ("link", "live", "question", "size", "until", "used", "views")

    def __init__(self, link: RedisProtocol, size: int, until: float) -> None:
        self.link = link
        self.live = True
        self.used = False  # since room was last made
        self.size = size
        self.until = until  # the end of its lifetime, by the clock of the loop
        self.question: Words | None = None  # to be asked before each use; see `RecordRead.existence`
        self.views: dict[Hashable, Any] = {}  # what was made of it, by the function that made it


class NearCache:
    """At most `limit` bytes of records, by an estimate; those that nobody has used for longest make room."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.hits = 0
        self.misses = 0
        self.drops = 0  # because Redis said so, or could not be asked any more
        self.entries: OrderedDict[Hashable, Entry] = OrderedDict()  # by name; kept answers by their request
        self.resets = 0  # how often all that a connection had told was forgotten
        self._families = False  # whether any entry stands for all names that begin alike
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
        self,
        name: bytes,
        link: RedisProtocol,
        view: Hashable,
        value: Any,
        raw: Any,
        until: float = FOREVER,
        question: Words | None = None,
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
            self.discard(name)
            entry = Entry(link, 0, until)
        entry.views[view] = value
        entry.until = until
        entry.question = question
        self.add(name, entry, size)

    def follow(self, name: bytes, link: RedisProtocol) -> Entry:
        """The entry of a key that Redis was asked to tell of, kept only to know whether it has changed.

        `family` names one for all keys that begin so.
        """
        entry = self.entries.get(name)
        if entry is None or entry.link is not link:
            self.discard(name)
            self._families = self._families or name.endswith(ANY)
            entry = Entry(link, 0, FOREVER)
            self.add(name, entry, BARE)
        return entry

    def keep_entry(self, name: Hashable, entry: Entry, size: int) -> bool:
        """Keep something that is no record in the place of what had this name; False if it is too large."""
        self.discard(name)
        if size * LARGEST_SHARE > self.limit:
            return False
        self.add(name, entry, size)
        return True

    def add(self, name: Hashable, entry: Entry, size: int) -> None:
        entry.size += size
        self.entries[name] = entry
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
            if self._families:
                for kin in families_of(name):
                    if kin in self.entries:
                        self._forget(kin)

    def forget_all(self, link: RedisProtocol | None = None) -> None:
        """Everything, or what was read over one connection; nothing that is on its way is kept either."""
        self._reads.clear()
        self.resets += 1
        gone = [name for name, entry in self.entries.items() if link is None or entry.link is link]
        self.drops += len(gone)
        for name in gone:
            self._forget(name)

    def discard(self, name: Hashable) -> None:
        if name in self.entries:
            self._forget(name)

    def _forget(self, name: Hashable) -> None:
        entry = self.entries.pop(name)
        entry.live = False
        entry.views = NO_VIEWS  # who relied on it may keep the entry for long
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


def family(beginning: str) -> bytes:
    """Of the keys that begin so, with the part up to the last colon."""
    return beginning[: beginning.rindex(":") + 1].encode() + ANY


def families_of(name: bytes) -> Iterator[bytes]:
    colon = name.rfind(b":")
    while colon > 0:
        yield name[: colon + 1] + ANY
        colon = name.rfind(b":", 0, colon)


def weight(raw: Any) -> int:
    """Bytes of what Redis answered."""
    if isinstance(raw, bytes):
        return len(raw)
    if isinstance(raw, dict):
        return sum(len(name) + len(value) for name, value in raw.items())
    if isinstance(raw, list):
        return sum(map(weight, raw))
    return NUMBER


def require_unchanging(kind: type) -> None:
    """Many requests share what is kept, so that none may change it."""
    if not issubclass(kind, msgspec.Struct) or not kind.__struct_config__.frozen:
        raise DeclarationError(f"{kind.__name__} can be changed: what is kept near must be a frozen struct")
    UNCHANGING.add(kind)
