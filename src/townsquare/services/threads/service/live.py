"""Live messages of pages: for connected clients of this process, and for clients that poll."""

import contextlib
from collections.abc import Callable, Iterator

from townsquare.services.threads.models.live import PageEvents, Present
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.problems import TooManyLiveConnections
from townsquare.services.threads.service.live_client import LiveClient, blocked_by, require_page
from townsquare.services.threads.service.live_page import LivePages
from townsquare.services.threads.service.page_events import EventReader, LiveMessage
from townsquare.services.threads.service.presence import Presence
from townsquare.services.threads.service.reading import Reading
from townsquare.store.store import Store
from townsquare.store.wire.pubsub import PubSub

BEAT_SECONDS = 10.0  # between two announcements of the users of this process
POLL_SECONDS = 10  # recommended polling interval of clients without a connection


class Live:
    def __init__(self, store: Store, channels: PubSub, reading: Reading, most_connections: int) -> None:
        self._store = store
        self._channels = channels
        self._events = EventReader(store, reading)
        self._presence = Presence(store)
        self._pages = LivePages(channels, self._events, self._presence)
        self._most = most_connections
        self._open = 0
        self.beat = self._pages.beat
        self.close = self._pages.close

    async def events(self, viewer: Viewer, page: PageAddress, after: str | None = None) -> PageEvents:
        """The events of a page after an event; without one, only the id of the newest."""
        await require_page(self._events, viewer, page)
        if after is None:
            return PageEvents(page_id=page.id, events=[], last=await self._events.newest(page.id))
        found = await self._events.read(viewer.site_id, page.id, after)
        blocked = await blocked_by(self._store, viewer)
        visible = [
            one for one in found.events if found.is_for(one, viewer.user_id) and one.author_id not in blocked
        ]
        return PageEvents(page_id=page.id, events=visible, last=found.last, reload=found.reload)

    async def present(self, viewer: Viewer, page: PageAddress) -> Present:
        """The users on a page now."""
        await require_page(self._events, viewer, page)
        return await self._presence.present(page.id)

    def require_room(self) -> None:
        """Raise if this process has reached its limit of connections."""
        if self._open >= self._most:
            raise TooManyLiveConnections(retry_after=POLL_SECONDS)

    @contextlib.contextmanager
    def connect(self, viewer: Viewer, deliver: Callable[[LiveMessage], None]) -> Iterator[LiveClient]:
        """A client that gets its notifications and the messages of its pages, until the context ends."""
        self.require_room()
        self._open += 1
        client = LiveClient(
            self._store, self._channels, self._events, self._presence, self._pages, viewer, deliver
        )
        try:
            client.start()
            yield client
        finally:
            self._open -= 1
            client.close()
