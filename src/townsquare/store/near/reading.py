"""A request that only reads: it uses records from memory as it goes and is checked once, at its end.

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

CURRENT: ContextVar["Reading | None"] = ContextVar("reading", default=None)
PING = ("PING",)


class Outdated(Exception):
    """What a request used has changed before it wrote: it is to be answered anew."""


class Reading:
    """Belongs to the task that began it: others that it starts ask for what they read."""

    __slots__ = ("_answers", "_marks", "_store", "_task", "_token", "trusting", "used")

    def __init__(self, store: "Store", links: Iterable[RedisProtocol]) -> None:
        self._store = store
        self._task = asyncio.current_task()
        self._marks = {link: link.sent for link in links}
        self._answers: dict[RedisProtocol, asyncio.Future[Reply]] = {}
        self.used: list[Entry] = []
        self.trusting = True
        self._token = CURRENT.set(self)

    def end(self) -> None:
        """Whatever is still under way for this request asks from now on."""
        self.trusting = False
        CURRENT.reset(self._token)

    def proves(self, entry: Entry) -> bool:
        """Whether its connection has answered something that was sent after we began."""
        return entry.link.answered > self._marks.get(entry.link, 0)

    def ask_beside(self, entries: Iterable[Entry]) -> None:
        """Begin to ask, beside the rest of the request, connections that it may have nothing else to ask."""
        for entry in entries:
            link = entry.link
            if link not in self._answers and link.sent <= self._marks.get(link, 0):
                self._answers[link] = link.send(PING)

    async def confirm(self) -> bool:
        """Whether all that was used was so at a moment after we began."""
        links = {entry.link for entry in self.used}
        silent = [link for link in links if link.answered <= self._marks.get(link, 0)]
        if silent:
            await answered([self._answers.get(link) or link.send(PING) for link in silent])
        return all(entry.live for entry in self.used) and all(
            link.answered > self._marks.get(link, 0) for link in silent
        )

    async def before_write(self) -> None:
        """A write is not done anew: what led to it is checked first, and what follows is asked for."""
        if self.trusting:
            if not await self.confirm():
                raise Outdated
            self.trusting = False
            self.used.clear()


def current_reading(store: "Store") -> Reading | None:
    """Of this task, on this store."""
    reading = CURRENT.get()
    if reading is None or reading._store is not store or reading._task is not asyncio.current_task():
        return None
    return reading


async def answered(replies: Iterable[asyncio.Future[Any]]) -> None:
    """Wait for replies of which only the coming matters; a connection that was lost tells so itself."""
    for reply in replies:
        try:
            await reply
        except Problem:
            continue
