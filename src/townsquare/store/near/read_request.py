"""A request that only reads, or reads first: it uses records from memory as it goes and is checked once, at
its end or before it writes.

Everything that it used must still be kept then, and every connection that it was kept for must have answered
something that was sent after the request began: replies and news of changes come in one order, so what had
changed before is not among it. Where that fails, the request is answered anew, with everything asked for.
"""

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from townsquare.problems import Problem
from townsquare.store.near.cache import Entry
from townsquare.store.wire.protocol import RedisProtocol, Reply

if TYPE_CHECKING:
    from townsquare.store.store import Store

CURRENT: ContextVar["ReadRequest | None"] = ContextVar("reading", default=None)
PING = ("PING",)


class Outdated(Exception):
    """What a request used has changed before it wrote: it is to be answered anew."""


class ReadRequest:
    """Belongs to the task that began it: others that it starts ask for what they read."""

    __slots__ = ("_answers", "_marks", "_task", "_token", "asks", "store", "trusting", "used")

    def __init__(self, store: "Store") -> None:
        self.store = store
        self._task = asyncio.current_task()
        self._marks: dict[RedisProtocol, int] = {}  # what each had been sent when it was first relied on
        self._answers: list[asyncio.Future[Reply]] = []
        self.used: list[Entry] = []
        self.trusting = True
        self.asks = False  # for news at once, as a request does that has to know before it writes
        self._token = CURRENT.set(self)

    def end(self) -> None:
        """Whatever is still under way for this request asks from now on."""
        self.trusting = False
        CURRENT.reset(self._token)

    @property
    def is_ours(self) -> bool:
        return self._task is asyncio.current_task()

    def use(self, entries: list[Entry], *, ask: bool) -> None:
        """Rely on what is kept. With `ask`, connections that may have nothing else to do are asked beside."""
        self.used += entries
        marks = self._marks
        for entry in entries:
            link = entry.link
            if link not in marks:
                marks[link] = link.sent
                if ask or self.asks:
                    reply = link.send(PING)
                    reply.add_done_callback(_seen)
                    self._answers.append(reply)

    def proves(self, entry: Entry) -> bool:
        """Whether its connection has answered something that was sent after we first relied on it."""
        mark = self._marks.get(entry.link)
        return mark is not None and entry.link.answered > mark

    async def confirm(self) -> bool:
        """Whether all that was used was so at a moment after we began."""
        if not self.used:
            return True
        silent = [link for link, mark in self._marks.items() if link.answered <= mark]
        if silent:
            await answered(self._answers or [link.send(PING) for link in silent])
        for entry in self.used:
            if not entry.live:
                return False
        return all(self._marks[link] < link.answered for link in silent)

    async def before_write(self) -> None:
        """A write is not done anew: what led to it is checked first, and what follows is asked for."""
        if self.trusting:
            if not await self.confirm():
                raise Outdated
            self.trusting = False
            self.used.clear()


def current_request(store: "Store") -> ReadRequest | None:
    """Of this task, on this store."""
    reading = CURRENT.get()
    if reading is None or reading.store is not store or not reading.is_ours:
        return None
    return reading


async def answered(replies: Iterable[asyncio.Future[Any]]) -> None:
    """Wait for replies of which only the coming matters; a connection that was lost tells so itself."""
    for reply in replies:
        try:
            await reply
        except Problem:
            continue


def _seen(reply: asyncio.Future[Any]) -> None:
    """A failure that nobody waits for is none: the connection tells so itself."""
    if not reply.cancelled():
        reply.exception()
