"""One connected client: its subscriptions to pages, its typing signals and its notifications."""

import asyncio
import contextlib
from collections.abc import Callable

import msgspec

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.threads import keys, records
from townsquare.services.threads.models.live import LiveNotification, Unsubscribed
from townsquare.services.threads.models.sites import SiteSettings, Viewer
from townsquare.services.threads.page_urls import PageAddress, page_id_of
from townsquare.services.threads.problems import NotSubscribed, PageNotFound, TooManyPages, TypingIsOff
from townsquare.services.threads.service.comments import checked_comment, signed_in
from townsquare.services.threads.service.live_page import LivePage, LivePages, Watcher
from townsquare.services.threads.service.page_events import EventReader, LiveMessage, message
from townsquare.services.threads.service.presence import Presence
from townsquare.store.store import Store
from townsquare.store.wire.pubsub import FellBehind, PubSub

PAGES = 10  # of one client


class LiveClient:
    def __init__(
        self,
        store: Store,
        channels: PubSub,
        events: EventReader,
        presence: Presence,
        pages: LivePages,
        viewer: Viewer,
        deliver: Callable[[LiveMessage], None],
    ) -> None:
        self._store = store
        self._channels = channels
        self._events = events
        self._presence = presence
        self._all_pages = pages
        self._viewer = viewer
        self._deliver = deliver
        self._pages: dict[str, tuple[LivePage, Watcher]] = {}
        self._notifications: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Deliver the user's notifications on this site, until `close`."""
        if self._viewer.user_id is not None:
            self._notifications = asyncio.create_task(self._forward_notifications(self._viewer.user_id))

    async def subscribe(
        self,
        settings: SiteSettings,
        page: PageAddress,
        last_event: str | None,
        *,
        may_be_new: bool = False,
    ) -> None:
        """Subscribe to a page of the site, starting after the last event.

        An id alone does not show whose page it is. With `may_be_new` a page without comments counts as the
        site's own until a comment on another site has that page.
        """
        if page.id in self._pages:
            self._leave(page.id)
        if len(self._pages) >= PAGES:
            raise TooManyPages()
        verified = await require_page(self._events, self._viewer, page, may_be_new=may_be_new)
        watcher = Watcher(
            self._deliver,
            self._viewer.user_id,
            shows_presence=settings.display.presence,
            blocked=await blocked_by(self._store, self._viewer),
        )
        live_page = self._all_pages.hold(self._viewer.site_id, page.id, verified)
        self._pages[page.id] = live_page, watcher
        try:
            await live_page.join(watcher, last_event, page)
        except BaseException:
            self._leave(page.id)
            raise

    def unsubscribe(self, page_id: str) -> None:
        self._require(page_id)
        self._leave(page_id)
        self._deliver(message("unsubscribed", Unsubscribed(page_id=page_id)))

    async def type(
        self, settings: SiteSettings, page_id: str, typing: bool, reply_to: str | None = None
    ) -> None:
        """Signal that the user types, or has stopped. Signals of banned users are not sent."""
        user_id = signed_in(self._viewer)
        self._require(page_id)
        if not settings.display.typing:
            raise TypingIsOff()
        reply_to = checked_comment(reply_to) if reply_to else None
        if not await self._is_banned(user_id):
            await self._presence.type(page_id, user_id, typing, reply_to)

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

    async def _forward_notifications(self, user_id: str) -> None:
        while True:
            with contextlib.suppress(FellBehind):
                async with self._channels.subscribe(keys.user_channel(user_id)) as received:
                    async for body in received:
                        with contextlib.suppress(msgspec.MsgspecError, Unavailable, OutcomeUnknown):
                            await self._forward(msgspec.json.decode(body, type=LiveNotification))

    async def _forward(self, notification: LiveNotification) -> None:
        if notification.site_id != self._viewer.site_id:
            return
        if notification.from_user_id:
            notification.from_user = await self._store.read_one(records.AUTHOR, notification.from_user_id)
        self._deliver(message("notification", notification))

    def close(self) -> None:
        if self._notifications is not None:
            self._notifications.cancel()
        for page_id in tuple(self._pages):
            self._leave(page_id)

    def _require(self, page_id: str) -> None:
        if page_id not in self._pages:
            raise NotSubscribed()

    def _leave(self, page_id: str) -> None:
        live_page, watcher = self._pages.pop(page_id)
        live_page.leave(watcher)
        self._all_pages.release(self._viewer.site_id, live_page)


async def require_page(
    events: EventReader, viewer: Viewer, page: PageAddress, *, may_be_new: bool = False
) -> bool:
    """Raise for the page of another site. Returns whether it is certainly a page of the viewer's site."""
    if page.key and page_id_of(viewer.site_id, page.key) == page.id:
        return True
    site_id = await events.site_of(page.id) if keys.PAGE_ID.matches(page.id) else ""
    if site_id is None and may_be_new:
        return False
    if site_id != viewer.site_id:
        raise PageNotFound()
    return True


async def blocked_by(store: Store, viewer: Viewer) -> frozenset[str]:
    """Users whose comments the viewer does not get. Moderators get all."""
    if viewer.user_id is None or viewer.moderates:
        return frozenset()
    # bounded: the limit on blocks
    found = await store.call("SMEMBERS", keys.user_blocks(viewer.user_id))
    return frozenset(user_id.decode() for user_id in found)
