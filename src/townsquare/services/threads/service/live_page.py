"""The live messages of one page in one process: each event is read once and sent to every watcher.

A message on the Redis channel only wakes the page. The page then reads the stream of events after its last
one, so that watchers get all events in order and once, even if a channel message was lost.
"""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import Callable

import msgspec

from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import Reload, Subscribed
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.service.event_history import EventHistory
from townsquare.services.threads.service.page_events import (
    EVENT,
    EventReader,
    FoundEvents,
    LiveMessage,
    event_position,
    message,
)
from townsquare.services.threads.service.presence import Presence, TypingSignal
from townsquare.store.wire.pubsub import FellBehind, PubSub

START_SECONDS = 5.0  # for subscribing to the channel of a page; after that the store counts as unavailable
RETRY_SECONDS = 0.5  # after the store was unavailable
REPLAYED = 500  # events after which a returning client reloads instead: 15 s at 20 comments and 13 votes/s
HISTORY_SECONDS = 1.0  # in which returning clients share one read of the events
HISTORY_BYTES = 64 << 20  # of events in memory, shared equally by the pages of a process …
PAGE_HISTORY_BYTES = 1 << 20  # … and at most this for one page
CHANGES = ("edit_comment", "delete_comment")  # earlier events show the comment as it is now
TYPING_QUEUE = 50  # typing signals of one page that wait to be sent
PRESENCE_SECONDS = 1.0  # between two presence messages

log = get_logger("townsquare.live")


class Watcher:
    """A subscription of one client to one page."""

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
        self._blocked = blocked  # users whose comments it does not get

    def deliver(self, message: LiveMessage) -> None:
        if message.author_id in self._blocked or message.not_to == self.user_id:
            return
        if not message.only_to or message.only_to == self.user_id:
            self._deliver(message)


class ChannelMessage(TypingSignal):
    type: str


class LivePage:
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
        self._history: EventHistory | None = None
        self._most_bytes = PAGE_HISTORY_BYTES
        self._present: LiveMessage | None = None
        self._advancing = asyncio.Lock()  # a watcher joins between two events
        self._ready = asyncio.Event()
        self._wake = asyncio.Event()
        self._has_events = False
        self._users_changed = False
        self._presence_changed = False
        self._presence_sent = 0.0
        self._typing: deque[TypingSignal] = deque(maxlen=TYPING_QUEUE)
        self._tasks: list[asyncio.Task[None]] = []
        self.verified = False  # the page belongs to the site; a page without comments may be anybody's
        self.holders = 0  # clients that are subscribed or subscribing
        self.announced = False  # whether other processes were sent users of this one

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._work())]

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    @property
    def users(self) -> list[str]:
        """Users with a subscription in this process."""
        return sorted(self._users)

    def check_events(self, most_bytes: int = PAGE_HISTORY_BYTES) -> None:
        """Read the stream even if no channel message came, and bound the memory of the history."""
        self._most_bytes = min(most_bytes, PAGE_HISTORY_BYTES)
        self._has_events = True
        self._wake.set()

    async def join(self, watcher: Watcher, last_event: str | None, page: PageAddress) -> None:
        """Add a watcher. With a last event it first gets the later events, or is told to reload."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ready.wait()
        except TimeoutError:
            raise Unavailable from None
        async with self._advancing:
            missed = await self._missed(last_event) if last_event else []
            since = last_event if last_event and missed is not None else self._last
            subscribed = Subscribed(page_id=self.page_id, event=since, page=page.key or None)
            watcher.deliver(message("subscribed", subscribed, since))
            self._watchers.add(watcher)
            for one in [self._reload()] if missed is None else missed:
                watcher.deliver(one)
        if watcher.user_id is not None and watcher.shows_presence:
            self._users[watcher.user_id] += 1
            if self._users[watcher.user_id] == 1:
                self._users_changed = True
                self._wake.set()
        if watcher.shows_presence and self._present is not None:
            watcher.deliver(self._present)

    async def _missed(self, last_event: str) -> list[LiveMessage] | None:
        """The messages between an event and the last one that all watchers have; None means reload.

        Many clients return at once after a restart, so they share one read for a second.
        """
        if not EVENT.fullmatch(last_event):
            return None
        if event_position(last_event) > event_position(self._last):
            await self._advance()
            if event_position(last_event) > event_position(self._last):
                return None
        missed = (self._history or await self._load_history()).after(last_event)
        if missed is None:
            found = await self._events.read(self._site_id, self.page_id, last_event)
            missed = None if found.reload else self._until_now(found)
        return missed if missed is None or len(missed) <= REPLAYED else None

    async def _load_history(self) -> EventHistory:
        found = await self._events.read(self._site_id, self.page_id, None)
        self._history = EventHistory(found.start, self._until_now(found))
        self._history.trim(self._most_bytes)
        asyncio.get_running_loop().call_later(HISTORY_SECONDS, self._drop_history)
        return self._history

    def _drop_history(self) -> None:
        self._history = None

    def _until_now(self, found: FoundEvents) -> list[LiveMessage]:
        last = event_position(self._last)
        return [one for one in found.messages() if event_position(one.event) <= last]

    def leave(self, watcher: Watcher) -> None:
        if watcher not in self._watchers:
            return
        self._watchers.discard(watcher)
        if watcher.user_id is None or not watcher.shows_presence:
            return
        self._users[watcher.user_id] -= 1
        if self._users[watcher.user_id] <= 0:
            del self._users[watcher.user_id]
            self._users_changed = True
            self._wake.set()

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(FellBehind):
                async with self._channels.subscribe(keys.page_channel(self.page_id)) as received:
                    self._presence_changed = True
                    self.check_events(self._most_bytes)
                    async for body in received:
                        self._receive(body)

    def _receive(self, body: bytes) -> None:
        try:
            received = msgspec.json.decode(body, type=ChannelMessage)
        except msgspec.MsgspecError:
            return
        if received.type == "presence":
            self._presence_changed = True
        elif received.type == "typing":
            self._typing.append(received)
        else:
            self._has_events = True
        self._wake.set()

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._process_changes()
            except (Unavailable, OutcomeUnknown):
                self._try_again()
            except Exception:
                log.exception("live messages failed", page_id=self.page_id)
                self._try_again()

    def _try_again(self) -> None:
        self._has_events = self._users_changed = True
        asyncio.get_running_loop().call_later(RETRY_SECONDS, self._wake.set)

    async def _process_changes(self) -> None:
        if not self.verified:
            await self._verify()
        if self._has_events:
            self._has_events = False
            async with self._advancing:
                await self._advance()
            self._ready.set()
        if self._users_changed:
            self._users_changed, self.announced = False, True
            await self._presence.announce(self.page_id, self.users)
        if self._typing:
            signals = list(self._typing)
            self._typing.clear()
            for one in await self._presence.typing(self.page_id, signals):
                self._send(message("typing", one))
        if self._presence_changed:
            await self._send_presence()

    async def _verify(self) -> None:
        """Drop the watchers if another site's page has this id by now."""
        site_id = await self._events.site_of(self.page_id)
        self.verified = site_id == self._site_id
        if site_id not in (None, self._site_id) and self._watchers:
            self._watchers.clear()
            self._users.clear()
            self._users_changed = True

    async def _advance(self) -> None:
        """Send the events after the last one to all watchers."""
        if not self._last:
            self._last = await self._events.newest(self.page_id)
            return
        found = await self._events.read(self._site_id, self.page_id, self._last)
        self._last = max(self._last, found.last, key=event_position)
        if found.reload:
            self._history = None
            self._send(self._reload())
        for event in found.messages():
            if event.type in CHANGES:
                self._history = None
            elif self._history:
                self._history.add(event)
            self._send(event)
        if self._history:
            self._history.trim(self._most_bytes)

    def _reload(self) -> LiveMessage:
        return message("reload", Reload(page_id=self.page_id, event=self._last), self._last)

    async def _send_presence(self) -> None:
        """At most once a second: after a restart many users come and go at once."""
        loop = asyncio.get_running_loop()
        wait = self._presence_sent + PRESENCE_SECONDS - loop.time()
        if wait > 0:
            loop.call_later(wait, self._wake.set)
            return
        self._presence_changed = False
        self._presence_sent = loop.time()
        present = message("presence", await self._presence.present(self.page_id))
        if self._present is None or present.body != self._present.body:
            self._present = present
            for watcher in tuple(self._watchers):
                if watcher.shows_presence:
                    watcher.deliver(present)

    def _send(self, sent: LiveMessage) -> None:
        for watcher in tuple(self._watchers):
            watcher.deliver(sent)


class LivePages:
    """The pages that clients of this process are subscribed to."""

    def __init__(self, channels: PubSub, events: EventReader, presence: Presence) -> None:
        self._channels = channels
        self._events = events
        self._presence = presence
        self._pages: dict[tuple[str, str], LivePage] = {}
        self._withdrawals: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._pages)

    def hold(self, site_id: str, page_id: str, verified: bool) -> LivePage:
        """The live page, which stays until its last holder releases it."""
        page = self._pages.get((site_id, page_id))
        if page is None:
            page = LivePage(site_id, page_id, self._channels, self._events, self._presence)
            self._pages[site_id, page_id] = page
            page.verified = verified
            page.start()
        page.verified |= verified
        page.holders += 1
        return page

    def release(self, site_id: str, page: LivePage) -> None:
        page.holders -= 1
        if page.holders or self._pages.get((site_id, page.page_id)) is not page:
            return
        del self._pages[site_id, page.page_id]
        page.stop()
        if page.announced:
            withdrawal = asyncio.create_task(self._withdraw(site_id, page.page_id))
            self._withdrawals.add(withdrawal)
            withdrawal.add_done_callback(self._withdrawals.discard)

    async def _withdraw(self, site_id: str, page_id: str) -> None:
        page = self._pages.get((site_id, page_id))  # a user may have returned
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            await self._presence.announce(page_id, page.users if page else [])

    async def beat(self) -> None:
        """Announce all users, remove those of crashed processes, and check every page for events."""
        await self._presence.announce_all(
            {page.page_id: page.users for page in self._pages.values() if page.users}
        )
        for page in self._pages.values():
            page.check_events(HISTORY_BYTES // len(self._pages))

    async def close(self) -> None:
        pages, self._pages = self._pages, {}
        for page in pages.values():
            page.stop()
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            for page in pages.values():
                if page.announced:
                    await self._presence.announce(page.page_id, [])
        await asyncio.gather(*self._withdrawals, return_exceptions=True)
