"""One page in one process: what happens there is read once and handed to everybody who looks at it.

The channel of the page is a bell, its stream of events is the truth: when the bell rings the events after the
last one are read, in order and none twice, whatever became of single messages of the channel.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import structlog

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import LiveEvent, Reload, Subscribed
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.page_events import EventReader, FoundEvents, place_of
from townsquare.services.threads.service.presence import Presence
from townsquare.store.wire.pubsub import FellBehind, PubSub

START_SECONDS = 5.0  # until the channel of a page is open; longer than that the store is away
RETRY_SECONDS = 0.5  # after the store was away
MISSED_TOLD = 100  # events; who has missed more had better read the page again
PRESENCE_SECONDS = 1.0  # between two messages of who is there

log = structlog.get_logger("townsquare.live")


class LiveMessage(NamedTuple):
    """Ready to be sent, to however many."""

    type: str
    event: str  # '' where it is not one to come back to
    body: bytes  # JSON
    author_id: str = ""  # of the comment in it
    not_to: str = ""  # a user who must not hear of it
    only_to: str = ""  # the one user who may; '' is everybody


class Watcher:
    """Somebody who looks at one page: over a socket, or a stream of events."""

    __slots__ = ("_blocked", "_deliver", "shows_presence", "user_id")

    def __init__(
        self,
        deliver: Callable[[LiveMessage], None],
        user_id: str | None,
        *,
        shows_presence: bool,
        blocked: frozenset[str] = frozenset(),
    ) -> None:
        self._deliver = deliver
        self.user_id = user_id
        self.shows_presence = shows_presence
        self._blocked = blocked  # whose comments it does not want to see

    def deliver(self, message: LiveMessage) -> None:
        if message.author_id in self._blocked or message.not_to == self.user_id:
            return
        if not message.only_to or message.only_to == self.user_id:
            self._deliver(message)


class Rung(msgspec.Struct):
    """A message of the channel, as far as it says what to look at."""

    type: str
    users: list[str] = []


class PageFeed:
    def __init__(
        self, site_id: str, page_id: str, channels: PubSub, events: EventReader, presence: Presence
    ) -> None:
        self.page_id = page_id
        self._site_id = site_id
        self._channels = channels
        self._events = events
        self._presence = presence
        self._watchers: set[Watcher] = set()
        self._users: Counter[str] = Counter()
        self._last = ""
        self._present: LiveMessage | None = None
        self._moving = asyncio.Lock()  # who joins does so between two events
        self._ready = asyncio.Event()
        self._bell = asyncio.Event()
        self._has_news = False
        self._users_changed = False
        self._presence_changed = False
        self._presence_told = 0.0
        self._typing: list[str] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.holders = 0  # those who look at it, or are about to
        self.said_users = False  # whether others know of somebody here

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._work())]

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    @property
    def users(self) -> list[str]:
        """Whom this process sees here."""
        return sorted(self._users)

    def look(self) -> None:
        """See whether something has happened without the bell."""
        self._has_news = True
        self._bell.set()

    async def join(self, watcher: Watcher, last_event: str | None, page: PageAddress) -> None:
        """From now on a watcher is told everything; first what came after the last event that it knows."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ready.wait()
        except TimeoutError:
            raise Unavailable from None
        async with self._moving:
            missed = await self._missed(last_event) if last_event else None
            since = last_event if last_event and missed and not missed.reload else self._last
            subscribed = Subscribed(page_id=self.page_id, event=since, page=page.key or None)
            watcher.deliver(message("subscribed", subscribed, since))
            self._watchers.add(watcher)
            if missed is not None:
                self._hand_over(missed, [watcher])
        if watcher.user_id is not None and watcher.shows_presence:
            self._users[watcher.user_id] += 1
            if self._users[watcher.user_id] == 1:
                self._users_changed = True
                self._bell.set()
        if watcher.shows_presence and self._present is not None:
            watcher.deliver(self._present)

    async def _missed(self, last_event: str) -> FoundEvents:
        """What came after an event up to where everybody here is; what is newer comes for everybody."""
        await self._move_on()
        found = await self._events.read(self._site_id, self.page_id, last_event)
        here = place_of(self._last)
        found.events = [event for event in found.events if place_of(event.event) <= here]
        found.reload = found.reload or len(found.events) > MISSED_TOLD
        found.last = self._last
        return found

    def leave(self, watcher: Watcher) -> None:
        if watcher not in self._watchers:
            return
        self._watchers.discard(watcher)
        if watcher.user_id is None or not watcher.shows_presence:
            return
        self._users[watcher.user_id] -= 1
        if not self._users[watcher.user_id]:
            del self._users[watcher.user_id]
            self._users_changed = True
            self._bell.set()

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(FellBehind):
                async with self._channels.subscribe(keys.page_channel(self.page_id)) as rings:
                    self._presence_changed = True
                    self.look()
                    async for ring in rings:
                        self._hear(ring)

    def _hear(self, ring: bytes) -> None:
        try:
            heard = msgspec.json.decode(ring, type=Rung)
        except msgspec.MsgspecError:
            return
        if heard.type == "presence":
            self._presence_changed = True
        elif heard.type == "typing":
            self._typing = heard.users
        else:
            self._has_news = True
        self._bell.set()

    async def _work(self) -> None:
        while True:
            await self._bell.wait()
            self._bell.clear()
            try:
                await self._do_what_is_due()
            except (Unavailable, OutcomeUnknown):
                self._try_again()
            except Exception:
                log.exception("live messages failed", page_id=self.page_id)
                self._try_again()

    def _try_again(self) -> None:
        self._has_news = self._users_changed = True
        asyncio.get_running_loop().call_later(RETRY_SECONDS, self._bell.set)

    async def _do_what_is_due(self) -> None:
        if self._has_news:
            self._has_news = False
            async with self._moving:
                await self._move_on()
            self._ready.set()
        if self._users_changed:
            self._users_changed, self.said_users = False, True
            await self._presence.say(self.page_id, self.users)
        if self._typing is not None:
            typing, self._typing = self._typing, None
            self._tell(message("typing", await self._presence.typing(self.page_id, typing)))
        if self._presence_changed:
            await self._tell_presence()

    async def _move_on(self) -> None:
        """Tell everybody what came after the last event."""
        if not self._last:
            self._last = await self._events.newest(self.page_id)
            return
        found = await self._events.read(self._site_id, self.page_id, self._last)
        self._last = max(self._last, found.last, key=place_of)
        self._hand_over(found, self._watchers)

    def _hand_over(self, found: FoundEvents, watchers: "set[Watcher] | list[Watcher]") -> None:
        told = [
            event_message(event, found.kept_from(event), found.only_to.get(event.event, ""))
            for event in found.events
        ]
        if found.reload:
            reload = Reload(page_id=self.page_id, event=found.last)
            told = [message("reload", reload, found.last)]
        for watcher in tuple(watchers):
            for each in told:
                watcher.deliver(each)

    async def _tell_presence(self) -> None:
        """Once in a while: many come and go at once when a server starts."""
        loop = asyncio.get_running_loop()
        wait = self._presence_told + PRESENCE_SECONDS - loop.time()
        if wait > 0:
            loop.call_later(wait, self._bell.set)
            return
        self._presence_changed = False
        self._presence_told = loop.time()
        told = message("presence", await self._presence.present(self.page_id))
        if self._present is None or told.body != self._present.body:
            self._present = told
            self._tell(told, presence=True)

    def _tell(self, told: LiveMessage, *, presence: bool = False) -> None:
        for watcher in tuple(self._watchers):
            if not presence or watcher.shows_presence:
                watcher.deliver(told)


def message(type: str, body: Any, event: str = "") -> LiveMessage:
    return LiveMessage(type, event, msgspec.json.encode(body))


def event_message(event: LiveEvent, not_to: str, only_to: str) -> LiveMessage:
    author = event.comment and event.comment.author
    body = msgspec.json.encode(event)
    return LiveMessage(event.type, event.event, body, author.id if author else "", not_to, only_to)
