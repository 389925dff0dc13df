"""A request that only reads, or reads first: it uses records from memory as it goes and is checked once, at
its end or before it writes.

Everything that it used must still be kept then, and every connection that it was kept for must have answered
something that was sent after the request began: replies and news of changes come in one order, so what had
changed before is not among it. Where that fails, the request is answered anew, with everything asked for.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from townsquare.problems import Problem
from townsquare.store.near.cache import Entry, NearCache
from townsquare.store.near.recording import Grounds, Recording
from townsquare.store.wire.protocol import RedisProtocol, Reply, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

CURRENT: ContextVar["ReadRequest | None"] = ContextVar("reading", default=None)


class Outdated(Exception):
    """What a request used has changed before it wrote: it is to be answered anew."""


class ReadRequest:
    """Belongs to the task that began it: others that it starts ask for what they read."""

    __slots__ = (
        "_answers",
        "_marks",
        "_near",
        "_questions",
        "_task",
        "_token",
        "aside",
        "asks",
        "recording",
        "store",
        "trusting",
        "used",
    )

    def __init__(self, store: "Store", near: NearCache) -> None:
        self.store = store
        self._near = near
        self._task = asyncio.current_task()
        self._marks: dict[RedisProtocol, int] = {}  # what each had been sent when it was first relied on
        self._answers: list[asyncio.Future[Reply]] = []
        self._questions: list[asyncio.Future[list[Reply]]] = []  # after what is not there
        self.used: list[Entry] = []
        self.trusting = True
        self.asks = False  # for news at once, as a request does that has to know before it writes
        self.recording: Recording | None = None  # while its answer may be kept
        self.aside: tuple[Recording, int] | None = None  # see `set_aside`
        self._token = CURRENT.set(self)

    def end(self) -> None:
        """Whatever is still under way for this request asks from now on."""
        self.trusting = False
        CURRENT.reset(self._token)

    @property
    def is_ours(self) -> bool:
        return self._task is asyncio.current_task()

    def record(self) -> Recording:
        """Note from here on what is read, so that what follows from it can be kept."""
        self.recording = Recording(self._near)
        return self.recording

    def set_aside(self) -> None:
        """Note from here on apart from what was read before, such as who calls, and of that how much was
        used from memory."""
        if self.recording is not None:
            self.aside = (self.recording, len(self.used))
            self.record()

    def use(self, entries: Sequence[Entry]) -> None:
        """Rely on what is kept. On a cluster, connections that may have nothing else to do are asked too."""
        self.used += entries
        if self.store.clustered:
            self._questions += ask_whether_there(entries)
        marks = self._marks
        for entry in entries:
            link = entry.link
            if link not in marks:
                marks[link] = link.sent
                if self.asks or self.store.clustered:
                    reply = link.ask_news()
                    reply.add_done_callback(_seen)
                    self._answers.append(reply)

    def rely_on(self, grounds: Grounds) -> None:
        """Use what follows from these, which hold."""
        self.use(grounds.entries)
        if self.recording is not None:
            self.recording.lives_until(grounds.until)
            self.recording.holds_until(grounds.until_ms)

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
            await answered(self._answers or [link.ask_news() for link in silent])
        if self._questions and await redirected(self._questions):
            return False
        for entry in self.used:
            if not entry.live:
                return False
        return all(self._marks[link] < link.answered for link in silent)

    async def before_write(self) -> None:
        """A write is not done anew: what led to it is checked first, and what follows is asked for."""
        stop_recording()
        if self.trusting:
            if not await self.confirm():
                raise Outdated
            self.trusting = False
            self.used.clear()
            self._questions.clear()


def current_request(store: "Store") -> ReadRequest | None:
    """Of this task, on this store."""
    reading = CURRENT.get()
    if reading is None or reading.store is not store or not reading.is_ours:
        return None
    return reading


def trusting_request() -> ReadRequest | None:
    """Of this task, while it uses what is kept and is checked at its end."""
    reading = CURRENT.get()
    return reading if reading is not None and reading.trusting and reading.is_ours else None


def current_recording() -> Recording | None:
    """Of the request that this task, or the one that started it, belongs to."""
    reading = CURRENT.get()
    return None if reading is None else reading.recording


def stop_recording() -> None:
    """Something has a part in what the request is answered of which nobody tells when it changes."""
    recording = current_recording()
    if recording is not None:
        recording.failed = True


def holds_until(ms: float) -> None:
    """What this request makes of the time is the same until then, by the clock of the store."""
    reading = CURRENT.get()
    if reading is not None and reading.recording is not None:
        reading.recording.holds_until(ms)


@contextmanager
def no_part_of_answer() -> Iterator[None]:
    """For what a request does besides, such as to be counted: it is no reason not to keep its answer."""
    reading = CURRENT.get()
    recording = None if reading is None else reading.recording
    if reading is not None:
        reading.recording = None
    try:
        yield
    finally:
        if reading is not None:
            reading.recording = recording


async def answered(replies: Iterable[asyncio.Future[Any]]) -> None:
    """Wait for replies of which only the coming matters; a connection that was lost tells so itself."""
    for reply in replies:
        try:
            await reply
        except Problem:
            continue


def ask_whether_there(entries: Iterable[Entry]) -> list[asyncio.Future[list[Reply]]]:
    """Of those that Redis may know nothing to tell of when their slot moves; see `RecordRead.existence`."""
    asked = []
    for entry in entries:
        if entry.question is not None:
            reply = entry.link.send_many([entry.question])
            reply.add_done_callback(_seen)
            asked.append(reply)
    return asked


async def redirected(replies: Iterable[asyncio.Future[list[Reply]]]) -> bool:
    """Whether one of these was answered with a redirect, or not at all."""
    found = False
    for reply in replies:
        try:
            found = ReplyError in map(type, await reply) or found
        except Problem:
            found = True
    return found


def _seen(reply: asyncio.Future[Any]) -> None:
    """A failure that nobody waits for is none: the connection tells so itself."""
    if not reply.cancelled():
        reply.exception()
