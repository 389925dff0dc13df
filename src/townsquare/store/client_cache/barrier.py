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

from townsquare.keyspace import Role
from townsquare.problems import Problem
from townsquare.store.client_cache.cache import Entry
from townsquare.store.wire.protocol import RedisProtocol, Reply, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

CURRENT: ContextVar["Barrier | None"] = ContextVar("barrier", default=None)


class StaleRead(Exception):
    """A request used a cached record that has changed: it must run again."""


class Barrier:
    """The barrier of one request, or of one read outside a request."""

    __slots__ = (
        "_barriers",
        "_eager",
        "_existence_checks",
        "_sent_at_start",
        "_token",
        "ended",
        "optimistic",
        "store",
        "unvalidated",
        "validates_at_once",
    )

    def __init__(self, store: "Store", *, optimistic: bool = False, eager: bool = False) -> None:
        """`eager` sends barrier commands at first use, for a request that has to know before it writes."""
        self.store = store
        self._sent_at_start = {one: one.sent for one in store.sessions()}
        self.unvalidated: list[Entry] = []  # used, validated later
        self._barriers: dict[RedisProtocol, asyncio.Future[None]] = {}
        self._existence_checks: list[asyncio.Future[list[Reply]]] = []
        self._eager = eager or store.clustered
        self.ended = False
        self.optimistic = optimistic  # use entries first and validate later
        self.validates_at_once = False  # on a cluster, after barriers were sent beside the skeleton

    def begin(self) -> None:
        """From here until `end`, the reads of this task use this barrier."""
        self._token = CURRENT.set(self)

    def end(self) -> None:
        """A task that outlives the request no longer uses this barrier: each of its reads has its own."""
        self.ended = True
        CURRENT.reset(self._token)

    def is_for(self, store: "Store") -> bool:
        return self.store is store and not self.ended

    def passed(self, connection: RedisProtocol) -> bool:
        """Whether this connection has answered a command that was sent after the request began.

        On a cluster only a barrier command counts: a primary that was demoted answers others, but invalidates
        late.
        """
        before = self._sent_at_start.get(connection)
        if before is None:  # it is newer than the request
            self._sent_at_start[connection] = connection.sent
            return False
        if connection.answered > before and not connection.in_cluster:
            return True
        sent = self._barriers.get(connection)  # requests share it, so it counts on its own
        return sent is not None and sent.done() and not sent.cancelled()

    @property
    def may_defer(self) -> bool:
        """Whether simple entries may be used now and validated later, by adding them to `unvalidated`."""
        return self.optimistic and not self.validates_at_once and not self._eager

    def defer_validation(self, entries: Iterable[Entry]) -> bool:
        """Use these entries now and validate them later. False if they must be validated now."""
        if not self.optimistic or self.validates_at_once:
            return False
        for entry in entries:
            self.unvalidated.append(entry)
            if entry.existence_check is not None:
                self._existence_checks.append(entry.connection.send_many([entry.existence_check]))
                self._existence_checks[-1].add_done_callback(_retrieve)
            if self._eager:
                self._send(entry.connection)
        return True

    def send_to_others(self, connection: RedisProtocol | None) -> None:
        """Send barriers to the other connections before the skeleton is read over `connection`.

        They then take no round trip of their own. On a cluster the records of a page may come from any node.
        """
        if self.store.clustered:
            self.validates_at_once = True
            self.send_to(tuple(self._sent_at_start))
            return
        for entry in self.unvalidated:
            if entry.connection is not connection:
                self.send_to([entry.connection])

    async def wait(self) -> None:
        """Wait until every entry that a page may read afterwards needs no later validation."""
        if self.store.clustered:
            self.validates_at_once = True
            await self.wait_for(self.store.sessions())
        else:
            others = {entry.connection for entry in self.unvalidated}
            await self.wait_for(others.union(self.store.role_stores[Role.DATA].nodes.sessions()))

    async def wait_for(self, connections: Iterable[RedisProtocol]) -> None:
        """Wait until each of these has answered a command that was sent after the request began."""
        for waiter in self.send_to(connections):
            await waiter

    def send_to(self, connections: Iterable[RedisProtocol]) -> list[asyncio.Future[None]]:
        behind = [one for one in connections if not self.passed(one)]
        for connection in behind:
            self._send(connection)
        return [self._barriers[connection] for connection in behind]

    def covers(self, connection: RedisProtocol, number: int) -> bool:
        """Whether the command of this number was sent after the request began."""
        before = self._sent_at_start.get(connection)
        return before is not None and number >= before

    async def validate(self) -> bool:
        """Whether every entry that was used was current at a moment after the request began."""
        if self._are_valid() and not self._existence_checks:
            return True
        await self.wait_for({entry.connection for entry in self.unvalidated})
        if self._existence_checks and await redirected(self._existence_checks):
            return False
        return self._are_valid()

    def _are_valid(self) -> bool:
        connection = None
        for entry in self.unvalidated:
            if not entry.live:
                return False
            if entry.connection is not connection:
                connection = entry.connection
                if not self.passed(connection):
                    return False
        return True

    async def before_write(self) -> None:
        """Validate the entries used so far, because a write is not repeated.

        Later reads must show the write, so each is proven by a command that is sent after it.
        """
        if self.optimistic and not self.ended:
            if not await self.validate():
                raise StaleRead
            self.optimistic = False
            self.unvalidated.clear()
            self._existence_checks.clear()
        self._sent_at_start.clear()
        self._barriers.clear()

    def _send(self, connection: RedisProtocol) -> None:
        sent = self._barriers.get(connection)
        if sent is None or sent.cancelled():
            self._barriers[connection] = connection.barrier()


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
    """Mark the exception as retrieved: the connection reports it."""
    if not reply.cancelled():
        reply.exception()
