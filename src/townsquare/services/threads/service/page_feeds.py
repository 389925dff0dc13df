"""The feeds of this process: one for each page that somebody looks at, however many do."""

import asyncio
import contextlib

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.threads.service.page_events import EventReader
from townsquare.services.threads.service.page_feed import PageFeed
from townsquare.services.threads.service.presence import Presence
from townsquare.store.wire.pubsub import PubSub


class PageFeeds:
    def __init__(self, channels: PubSub, events: EventReader, presence: Presence) -> None:
        self._channels = channels
        self._events = events
        self._presence = presence
        self._feeds: dict[str, PageFeed] = {}
        self._farewells: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._feeds)

    def __getitem__(self, page_id: str) -> PageFeed:
        return self._feeds[page_id]

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
        """Somebody does not look any more: the last one takes the feed along."""
        feed.holders -= 1
        if feed.holders or self._feeds.get(feed.page_id) is not feed:
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
        feeds, self._feeds = self._feeds, {}
        for feed in feeds.values():
            feed.stop()
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            for page_id, feed in feeds.items():
                if feed.said_users:
                    await self._presence.say(page_id, [])
        await asyncio.gather(*self._farewells, return_exceptions=True)
