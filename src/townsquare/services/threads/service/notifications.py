"""Notifications of commenters.

Scripts store a notification together with the change that causes it, after the comment is approved.
They remove it if the comment is hidden again.
"""

from collections.abc import Sequence

import msgspec

from townsquare.kit.paging import Cursor, PageSize
from townsquare.services.threads import keys
from townsquare.services.threads.models.notifications import (
    Notification,
    NotificationPage,
    StoredNotification,
)
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import BadNotification
from townsquare.services.threads.scripts import ReadNotifications
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.visibility import authors_of
from townsquare.store.store import Store

MOST_IDS = 100

STORED = msgspec.json.Decoder(StoredNotification)
SHOWN = [name for name in StoredNotification.__struct_fields__ if name != "site_id"]


class Notifications:
    def __init__(self, store: Store, reading: Reading) -> None:
        self._store = store
        self._reading = reading

    async def list(self, viewer: Viewer, cursor: str | None = None, limit: PageSize = 20) -> NotificationPage:
        """The viewer's notifications on this site, the newest first."""
        after = Cursor.decode(cursor)
        stored = await self._stored(viewer)
        unread = sum(not one.read for _, one in stored)
        below = [(place, one) for place, one in stored if after is None or place < after]
        shown = below[:limit]
        ids = list(dict.fromkeys(one.comment_id for _, one in shown))
        comments = {one.id: one for one in await self._reading.comments(viewer, ids)}
        urls = {one.id: one.page_url for one in (await self._reading.records(ids) if ids else []) if one}
        senders = await authors_of(self._store, (one.from_user_id for _, one in shown))
        items = [
            Notification(
                **{name: getattr(one, name) for name in SHOWN},
                from_user=senders.get(one.from_user_id or ""),
                comment=comments.get(one.comment_id),
                page_url=urls.get(one.comment_id),
            )
            for _, one in shown
        ]
        return NotificationPage(
            items=items, next=shown[-1][0].encode() if len(below) > limit else None, unread=unread
        )

    async def _stored(self, viewer: Viewer) -> Sequence[tuple[Cursor, StoredNotification]]:
        """All of this site, the newest first. A site must not see notifications of other sites."""
        found = await self._store.call(
            "ZREVRANGE",
            keys.user_notifications(signed_in(viewer)),
            0,
            keys.NOTIFICATIONS_KEPT - 1,
            "WITHSCORES",
        )
        decoded = [(score, STORED.decode(member)) for member, score in found]
        here = [(score, one) for score, one in decoded if one.site_id == viewer.site_id]
        placed = [(Cursor(float(score), one.id), one) for score, one in here]
        return sorted(placed, key=lambda pair: pair[0], reverse=True)

    async def read(self, viewer: Viewer, ids: Sequence[str] = (), *, all: bool = False) -> int:
        """Mark these as read, or all of this site. Returns the number of changed ones."""
        user_id = signed_in(viewer)
        if bool(ids) == all or len(ids) > MOST_IDS:
            raise BadNotification()
        done = await self._store.run(
            ReadNotifications(user_id=user_id, site_id=viewer.site_id, ids=list(ids))
        )
        return done.changed
