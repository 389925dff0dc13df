"""What the answer of a request follows from, so that it can be given again while none of that has changed.

While a request is recorded, every key that it reads is one that Redis tells us of. What cannot be followed so
(a write, a script that asks for the time and does not say how long its answer holds) ends the recording.

On a cluster slots move. A node that gives away a key tells of it as of any change; of a key that was not
there it has nothing to tell. Such keys are asked for before each use of the answer: a node that has not got
their slot any more, or is about to give it away, answers with a redirect.
"""

import asyncio
from collections.abc import Iterable, Sequence

from townsquare.clock import Clock
from townsquare.store.near.cache import ANY, FOREVER, Entry, NearCache
from townsquare.store.wire.protocol import RedisProtocol, Words, pack


class Recording:
    __slots__ = ("_missing", "_resets", "entries", "failed", "near", "until", "until_ms")

    def __init__(self, near: NearCache) -> None:
        self.near = near
        self.entries: set[Entry] = set()
        self.failed = False
        self.until = FOREVER  # by the clock of the loop: lifetimes of keys
        self.until_ms = FOREVER  # by the clock of the store: what the time has a part in
        self._resets = near.resets
        self._missing: dict[tuple[RedisProtocol, int], set[bytes]] = {}  # by their slots

    def follow(self, names: Iterable[bytes], link: RedisProtocol) -> None:
        """What is about to be read from these keys over this connection, which tells of their changes."""
        self.entries.update([self.near.follow(name, link) for name in names])

    def may_be_missing(self, names: Iterable[bytes], slot: int | None, link: RedisProtocol) -> None:
        """Keys that were followed without being there, as far as is known."""
        exact = [name for name in names if not name.endswith(ANY)]
        if slot is not None and exact:
            self._missing.setdefault((link, slot), set()).update(exact)

    def _questions(self) -> dict[RedisProtocol, list[Words]]:
        """What to ask, before the answer is used, of whom: in one slot keys can be asked for together."""
        asked: dict[RedisProtocol, list[Words]] = {}
        for (link, _), names in self._missing.items():
            if names:
                asked.setdefault(link, []).append(pack(("EXISTS", *names)))
        for entry in self.entries:
            if entry.question is not None:
                asked.setdefault(entry.link, []).append(entry.question)
        return asked

    def _leave_out(self, other: "Recording") -> None:
        self.entries -= other.entries
        for place, names in other._missing.items():
            if place in self._missing:
                self._missing[place] -= names

    def absorb(self, other: "Recording") -> None:
        """Add what another recording has."""
        self.entries |= other.entries
        self.failed = self.failed or other.failed or self._resets != other._resets
        self.lives_until(other.until)
        self.holds_until(other.until_ms)
        for place, names in other._missing.items():
            self._missing.setdefault(place, set()).update(names)

    def holds_until(self, ms: float) -> None:
        self.until_ms = min(self.until_ms, ms)

    def lives_until(self, seconds: float) -> None:
        self.until = min(self.until, seconds)

    def conclude(
        self, used: Sequence[Entry], now_ms: int, *, without: "Recording | None" = None
    ) -> "Grounds | None":
        """All that the answer follows from, with the records from memory; None if it cannot be kept.

        What `without` has noted, and concluded, is left out.
        """
        if self.failed or self._resets != self.near.resets:
            return None
        self.entries.update(used)
        if not all(entry.live for entry in self.entries):
            return None
        if without is not None:
            self._leave_out(without)
        self.lives_until(min((entry.until for entry in self.entries), default=FOREVER))
        return Grounds(tuple(self.entries), self.until, now_ms, self.until_ms, self._questions())


class Grounds:
    """What something follows from: it is the same while all of this is."""

    __slots__ = ("entries", "links", "questions", "since_ms", "until", "until_ms")

    def __init__(
        self,
        entries: tuple[Entry, ...],
        until: float,
        since_ms: int,
        until_ms: float,
        questions: dict[RedisProtocol, list[Words]],
    ) -> None:
        self.entries = entries
        self.until = until  # by the clock of the loop
        self.since_ms = since_ms  # by the clock of the store
        self.until_ms = until_ms
        self.questions = questions  # to be asked before each use; other connections for news only
        self.links = frozenset([entry.link for entry in entries])

    def hold(self, clock: Clock) -> bool:
        """Whether nothing has changed, as far as is known so far."""
        for entry in self.entries:
            if not entry.live:
                return False
            entry.used = True
        if self.until != FOREVER and asyncio.get_running_loop().time() >= self.until:
            return False
        return self.since_ms <= clock.now_ms() < self.until_ms
