"""Live pages of this process: one feed for each page that somebody looks at, however many do."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import PageEvents, Present
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.page_urls import page_id_of
from townsquare.services.threads.problems import PageNotFound, TooManyLiveConnections
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.live_client import LiveClient
from townsquare.services.threads.service.page_events import EventReader
from townsquare.services.threads.service.page_feed import LiveMessage, PageFeed
from townsquare.services.threads.service.presence import Presence
from townsquare.services.threads.service.reading import Reading
from townsquare.store.store import Store
from townsquare.store.wire.pubsub import PubSub

BEAT_SECONDS = 10.0  # between two words of this process about whom it sees
POLL_SECONDS = 10  # how often to ask, for who has no connection


class Live:
    def __init__(self, store: Store, channels: PubSub, reading: Reading, most_connections: int) -> None:
        self._store = store
        self._channels = channels
        self._events = EventReader(store, reading)
        self._presence = Presence(store)
        self._most = most_connections
        self._open = 0
        self._feeds: dict[str, PageFeed] = {}
        self._farewells: set[asyncio.Task[None]] = set()

    async def events(self, viewer: Viewer, page: PageAddress, after: str | None = None) -> PageEvents:
        """What has happened on a page after an event; without one, only which the newest is."""
        await self.require_page(viewer, page)
        if after is None:
            return PageEvents(page_id=page.id, events=[], last=await self._events.newest(page.id))
        return await self._events.read(viewer.site_id, page.id, after)

    async def present(self, viewer: Viewer, page: PageAddress) -> Present:
        """Who looks at a page now."""
        await self.require_page(viewer, page)
        return await self._presence.present(page.id)

    async def require_page(self, viewer: Viewer, page: PageAddress) -> None:
        """Raise if a page is another site's, which its id tells unless it was only given by that."""
        if page.key and page_id_of(viewer.site_id, page.key) == page.id:
            return
        if not keys.PAGE_ID.matches(page.id):
            raise PageNotFound()
        site_id = await self._store.call("HGET", keys.page(page.id), "site_id")
        if site_id is None or site_id.decode() != viewer.site_id:
            raise PageNotFound()

    def require_room(self) -> None:
        """Raise if no connection is free in this process."""
        if self._open >= self._most:
            raise TooManyLiveConnections(retry_after=POLL_SECONDS)

    @contextlib.contextmanager
    def connect(self, viewer: Viewer, deliver: Callable[[LiveMessage], None]) -> Iterator[LiveClient]:
        """A client that is told of the pages that it subscribes to; with the end of this it has left."""
        self.require_room()
        self._open += 1
        client = LiveClient(self._store, self._channels, self._presence, self, viewer, deliver)
        try:
            yield client
        finally:
            self._open -= 1
            client.leave_all()

    def hold(self, site_id: str, page_id: str) -> PageFeed:
        """The feed of a page, for somebody who is about to look at it."""
        feed = self._feeds.get(page_id)
        if feed is None:
            feed = PageFeed(site_id, page_id, self._channels, self._events, self._presence)
            self._feeds[page_id] = feed
            feed.start()
        feed.holders += 1
        return feed

    def release(self, feed: PageFeed) -> None:
        """Nobody else need look at it: the last one takes the feed along."""
        feed.holders -= 1
        if feed.holders:
            return
        del self._feeds[feed.page_id]
        feed.stop()
        if feed.said_users:
            farewell = asyncio.create_task(self._say_goodbye(feed.page_id))
            self._farewells.add(farewell)
            farewell.add_done_callback(self._farewells.discard)

    async def _say_goodbye(self, page_id: str) -> None:
        feed = self._feeds.get(page_id)  # somebody may have come back
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            await self._presence.say(page_id, feed.users if feed else [])

    async def beat(self) -> None:
        """Say whom we see, forget whom crashed processes saw, and look for what no bell has told."""
        await self._presence.say_all({page: feed.users for page, feed in self._feeds.items() if feed.users})
        for feed in self._feeds.values():
            feed.look()

    async def close(self) -> None:
        for feed in tuple(self._feeds.values()):
            feed.stop()
        seen = [page for page, feed in self._feeds.items() if feed.said_users]
        self._feeds.clear()
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            for page_id in seen:
                await self._presence.say(page_id, [])
        await asyncio.gather(*self._farewells, return_exceptions=True)
