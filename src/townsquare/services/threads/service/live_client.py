"""One client that is told live what happens: which pages it looks at, and what it says there."""

import contextlib
from collections.abc import Callable

import msgspec

from townsquare.services.threads import keys
from townsquare.services.threads.models.live import Unsubscribed
from townsquare.services.threads.models.sites import SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_id_of
from townsquare.services.threads.problems import NotSubscribed, PageNotFound, TooManyPages, TypingIsOff
from townsquare.services.threads.service.comments import PageAddress, signed_in
from townsquare.services.threads.service.page_feed import LiveMessage, PageFeed, Watcher, message
from townsquare.services.threads.service.page_feeds import PageFeeds
from townsquare.services.threads.service.presence import Presence
from townsquare.store.store import Store
from townsquare.store.wire.pubsub import FellBehind, PubSub

PAGES = 10  # of one client


class NotificationSite(msgspec.Struct):
    """A notification as its script tells it, as far as it says where it may be heard."""

    site_id: str


class LiveClient:
    def __init__(
        self,
        store: Store,
        channels: PubSub,
        presence: Presence,
        feeds: PageFeeds,
        viewer: Viewer,
        deliver: Callable[[LiveMessage], None],
    ) -> None:
        self._store = store
        self._channels = channels
        self._presence = presence
        self._feeds = feeds
        self._viewer = viewer
        self._deliver = deliver
        self._pages: dict[str, tuple[PageFeed, Watcher]] = {}

    async def subscribe(self, settings: SiteSettings, page: PageAddress, last_event: str | None) -> None:
        """Be told of a page, first what came after the last event; a page of another site there is not."""
        if page.id in self._pages:
            self._leave(page.id)
        if len(self._pages) >= PAGES:
            raise TooManyPages()
        await require_page(self._store, self._viewer, page)
        watcher = Watcher(
            self._deliver,
            self._viewer.user_id,
            shows_presence=settings.display.presence,
            blocked=await self._blocked(),
        )
        feed = self._feeds.hold(self._viewer.site_id, page.id)
        self._pages[page.id] = feed, watcher
        try:
            await feed.join(watcher, last_event, page)
        except BaseException:
            self._leave(page.id)
            raise

    async def _blocked(self) -> frozenset[str]:
        """Whose comments the viewer does not want to see; who moderates sees everybody's."""
        if self._viewer.user_id is None or self._viewer.moderates:
            return frozenset()
        # bounded: the limit on blocks
        found = await self._store.call("SMEMBERS", keys.user_blocks(self._viewer.user_id))
        return frozenset(user_id.decode() for user_id in found)

    def unsubscribe(self, page_id: str) -> None:
        self._require(page_id)
        self._leave(page_id)
        self._deliver(message("unsubscribed", Unsubscribed(page_id=page_id)))

    async def type(self, settings: SiteSettings, page_id: str, typing: bool) -> None:
        """Tell the others that one types, or has stopped; of who is banned nobody hears."""
        user_id = signed_in(self._viewer)
        self._require(page_id)
        if not settings.display.typing:
            raise TypingIsOff()
        if not await self._is_banned(user_id):
            await self._presence.type(page_id, user_id, typing)

    async def _is_banned(self, user_id: str) -> bool:
        site_id = self._viewer.site_id
        blocked, shadowed, everywhere = await self._store.pipeline(
            [
                ("SISMEMBER", keys.site_blocked(site_id), user_id),
                ("SISMEMBER", keys.site_shadowbanned(site_id), user_id),
                ("HMGET", keys.user(user_id), "global_banned", "shadow_banned"),
            ]
        )
        return bool(blocked or shadowed or b"true" in everywhere)

    async def forward_notifications(self) -> None:
        """Until it is cancelled: what comes for this user on this site."""
        if self._viewer.user_id is None:
            return
        while True:
            with contextlib.suppress(FellBehind):
                async with self._channels.subscribe(keys.user_channel(self._viewer.user_id)) as notifications:
                    async for one in notifications:
                        self._forward(one)

    def _forward(self, notification: bytes) -> None:
        try:
            where = msgspec.json.decode(notification, type=NotificationSite).site_id
        except msgspec.MsgspecError:
            return
        if where == self._viewer.site_id:
            self._deliver(LiveMessage("notification", "", notification))

    def leave_all(self) -> None:
        for page_id in tuple(self._pages):
            self._leave(page_id)

    def _require(self, page_id: str) -> None:
        if page_id not in self._pages:
            raise NotSubscribed()

    def _leave(self, page_id: str) -> None:
        feed, watcher = self._pages.pop(page_id)
        feed.leave(watcher)
        self._feeds.release(feed)


async def require_page(store: Store, viewer: Viewer, page: PageAddress) -> None:
    """Raise if a page is another site's, which its id tells unless it was only given by that."""
    if page.key and page_id_of(viewer.site_id, page.key) == page.id:
        return
    if not keys.PAGE_ID.matches(page.id):
        raise PageNotFound()
    site_id = await store.call("HGET", keys.page(page.id), "site_id")
    if site_id is None or site_id.decode() != viewer.site_id:
        raise PageNotFound()
