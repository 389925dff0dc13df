"""Proof that cached records are current.

Replies and invalidations arrive in one order on a connection. Once a connection has answered a command that
was sent after a request began, it has delivered the invalidations of all earlier writes: an entry of that
connection that is still live is current.

A request may use an entry before such a reply, as it does with the caller's session. Such entries are
validated at the end of the request, or before its first write. If one has changed, the request runs again.
Only a request that sends no other command needs a barrier command; requests of one loop iteration share it.
"""

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING

from townsquare.problems import Problem
from townsquare.store.client_cache.cache import Entry
from townsquare.store.wire.protocol import RedisProtocol, Reply, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

CURRENT: ContextVar["Barrier | None"] = ContextVar("barrier", default=None)


class StaleRead(Exception):
    """A request relied on a record that has changed: it must run again."""


class Barrier:
    """The barrier of one request, or of one read outside a request."""

    __slots__ = (
        "_eager",
        "_existence",
        "_marks",
        "_sent",
        "_token",
        "ended",
        "optimistic",
        "pending",
        "store",
        "waits",
    )

    def __init__(self, store: "Store", *, optimistic: bool = False, eager: bool = False) -> None:
        """`eager` sends barrier commands at first use, for a request that has to know before it writes."""
        self.store = store
        self._marks = {one: one.sent for one in store.sessions()}
        self.pending: list[Entry] = []  # used, not yet proven
        self._sent: dict[RedisProtocol, asyncio.Future[None]] = {}
        self._existence: list[asyncio.Future[list[Reply]]] = []
        self._eager = eager or store.clustered
        self.ended = False
        self.optimistic = optimistic  # use entries first and validate later
        self.waits = False  # a skeleton was read, and barriers were sent beside it: wait for these instead

    def begin(self) -> None:
        """From here until `end`, the reads of this task use this barrier."""
        self._token = CURRENT.set(self)

    def end(self) -> None:
        """A task that outlives the request no longer uses this barrier: each of its reads has its own."""
        self.ended = True
        CURRENT.reset(self._token)

    def is_for(self, store: "Store") -> bool:
        return self.store is store and not self.ended

    def proves(self, connection: RedisProtocol) -> bool:
        """Whether this connection has answered a command that was sent after the request began.

        On a cluster only a barrier command counts: a primary that was demoted answers others, but invalidates
        late.
        """
        mark = self._marks.get(connection)
        if mark is None:  # it is newer than the request
            self._marks[connection] = connection.sent
            return False
        if connection.answered > mark and not connection.in_cluster:
            return True
        sent = self._sent.get(connection)  # shared, so that its command may be older than our mark
        return sent is not None and sent.done() and not sent.cancelled()

    @property
    def relies_on_plain(self) -> bool:
        """Whether entries that need no command of their own only have to be added to `pending`."""
        return self.optimistic and not self.waits and not self._eager

    def relies(self, entries: Iterable[Entry]) -> bool:
        """Whether the request uses these entries, which are not proven, and validates them later."""
        if not self.optimistic or self.waits:
            return False
        for entry in entries:
            self.pending.append(entry)
            if entry.existence is not None:
                self._existence.append(entry.connection.send_many([entry.existence]))
                self._existence[-1].add_done_callback(_retrieve)
            if self._eager:
                self._send(entry.connection)
        return True

    def send_beside(self, connection: RedisProtocol | None) -> None:
        """Before the skeleton is read over `connection`: send a barrier to the others, so that it takes no
        round trip of its own. On a cluster the records of a page may come from any node."""
        if self.store.clustered:
            self.waits = True
            self.send_to(tuple(self._marks))
            return
        for entry in self.pending:
            if entry.connection is not connection:
                self.send_to([entry.connection])

    async def prove(self, connections: Iterable[RedisProtocol]) -> None:
        """Wait until each of these has answered a command that was sent after the request began."""
        for waiter in self.send_to(connections):
            await waiter

    def send_to(self, connections: Iterable[RedisProtocol]) -> list[asyncio.Future[None]]:
        silent = [one for one in connections if not self.proves(one)]
        for connection in silent:
            self._send(connection)
        return [self._sent[connection] for connection in silent]

    def covers(self, connection: RedisProtocol, number: int) -> bool:
        """Whether the command of this number was sent after the request began."""
        mark = self._marks.get(connection)
        return mark is not None and number >= mark

    async def validate(self) -> bool:
        """Whether every entry that was used was current at a moment after the request began."""
        if self._are_valid() and not self._existence:
            return True
        await self.prove({entry.connection for entry in self.pending})
        if self._existence and await redirected(self._existence):
            return False
        return self._are_valid()

    def _are_valid(self) -> bool:
        proven = None
        for entry in self.pending:
            if not entry.live:
                return False
            if entry.connection is not proven:
                if not self.proves(entry.connection):
                    return False
                proven = entry.connection
        return True

    async def before_write(self) -> None:
        """Validate what led to a write, which is not repeated. Reads that follow it must show it: each is
        proven by a command that is sent after it."""
        if self.optimistic and not self.ended:
            if not await self.validate():
                raise StaleRead
            self.optimistic = False
            self.pending.clear()
            self._existence.clear()
        self._marks.clear()
        self._sent.clear()

    def _send(self, connection: RedisProtocol) -> None:
        sent = self._sent.get(connection)
        if sent is None or sent.cancelled():
            self._sent[connection] = connection.barrier()


async def redirected(replies: Iterable[asyncio.Future[list[Reply]]]) -> bool:
    """Whether one of these commands was answered with a redirect, or not at all."""
    found = False
    for reply in replies:
        try:
            found = ReplyError in map(type, await asyncio.shield(reply)) or found
        except Problem:
            found = True
    return found


def _retrieve(reply: asyncio.Future[list[Reply]]) -> None:
    """A failure that nobody awaits is not reported: the connection reports it."""
    if not reply.cancelled():
        reply.exception()
