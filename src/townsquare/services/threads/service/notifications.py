"""Notifications of commenters.

Scripts store a notification together with the change that causes it, after the comment is approved.
They remove it if the comment is hidden again.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from townsquare.kit.paging import Cursor, PageSize
from townsquare.services.accounts.models import User
from townsquare.services.events import Notice
from townsquare.services.threads import keys
from townsquare.services.threads.content import plain
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import Author
from townsquare.services.threads.models.notifications import (
    NOTICE_TYPES,
    Notification,
    NotificationPage,
    NotificationType,
    StoredNotification,
)
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import BadNotification
from townsquare.services.threads.records import is_public
from townsquare.services.threads.scripts import ReadNotifications
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.post_comments import SITE_ID as POSTS_SITE
from townsquare.services.threads.service.reading import Reading
from townsquare.services.threads.service.visibility import authors_of
from townsquare.store.store import Store

MOST_IDS = 100
EXCERPT = 140

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
        every = await stored_of(self._store, signed_in(viewer))
        return [(place, one) for place, one in every if one.site_id == viewer.site_id]

    async def read(self, viewer: Viewer, ids: Sequence[str] = (), *, all: bool = False) -> int:
        """Mark these as read, or all of this site. Returns the number of changed ones."""
        user_id = signed_in(viewer)
        if bool(ids) == all or len(ids) > MOST_IDS:
            raise BadNotification()
        done = await self._store.run(
            ReadNotifications(user_id=user_id, site_id=viewer.site_id, ids=list(ids))
        )
        return done.changed


class AllNotifications:
    """The notifications of all sites, for the account itself."""

    def __init__(self, store: Store, reading: Reading) -> None:
        self._store = store
        self._reading = reading

    async def list(self, account: User, after: Cursor | None, limit: int) -> list[Notice]:
        """Up to `limit` notifications of all sites below a cursor, for the account itself."""
        every = await stored_of(self._store, account.id)
        shown = [(place, one) for place, one in every if after is None or place < after][:limit]
        if not shown:
            return []
        senders = await authors_of(self._store, (one.from_user_id for _, one in shown))
        records = await self._reading.records([one.comment_id for _, one in shown])
        return [
            notice(place, one, record, senders.get(one.from_user_id or ""), account.id)
            for (place, one), record in zip(shown, records, strict=True)
        ]

    async def unread(self, account: User) -> int:
        """The number of unread ones on all sites."""
        return int(await self._store.get(keys.user_unread(account.id)) or 0)

    async def read(self, account: User, ids: Sequence[str]) -> int:
        """Mark these as read, or all of all sites."""
        done = await self._store.run(ReadNotifications(user_id=account.id, ids=list(ids)))
        return done.changed


async def stored_of(store: Store, user_id: str) -> Sequence[tuple[Cursor, StoredNotification]]:
    found = await store.call(
        "ZREVRANGE", keys.user_notifications(user_id), 0, keys.NOTIFICATIONS_KEPT - 1, "WITHSCORES"
    )
    decoded = [(score, STORED.decode(member)) for member, score in found]
    placed = [(Cursor(float(score), one.id), one) for score, one in decoded]
    return sorted(placed, key=lambda pair: pair[0], reverse=True)


def notice(
    place: Cursor,
    stored: StoredNotification,
    record: CommentRecord | None,
    sender: Author | None,
    user_id: str,
) -> Notice:
    """A notification for the notification centre. A comment that is hidden by now is not quoted."""
    shown = record is not None and (record.author_id == user_id or is_public(record))
    name = sender.name if sender else "Somebody"
    decision = record.status if record and record.status in ("approved", "rejected") else "removed"
    texts = {
        NotificationType.REPLY: f"{name} replied to you",
        NotificationType.MENTION: f"{name} mentioned you",
        NotificationType.UPVOTE: f"{liked(name, record)} your comment",
        NotificationType.MOD_ACTION: f"A moderator {decision} your comment",
    }
    if stored.notification_type is NotificationType.REPLY and record and not record.parent_id:
        texts[NotificationType.REPLY] = f"{name} commented on your post"
    return Notice(
        id=stored.id,
        type=NOTICE_TYPES[stored.notification_type],
        text=texts[stored.notification_type],
        excerpt=plain(record.content_html, EXCERPT) if record and shown else "",
        url=f"{page_of(record)}#comment-{stored.comment_id}" if record else "",
        actor=sender.name if sender else None,
        actor_id=sender.id if sender else None,
        avatar=sender.avatar_url if sender else None,
        created_at=int(place.score),
        read=stored.read,
    )


def page_of(record: CommentRecord) -> str:
    """The URL of a page; the path of a post of this server."""
    at = urlsplit(record.page_url)
    return f"{at.path}?{at.query}" if record.site_id == POSTS_SITE else record.page_url


def liked(name: str, record: CommentRecord | None) -> str:
    others = record.upvotes - 1 if record else 0
    if others < 1:
        return f"{name} liked"
    return f"{name} and {others} {'other' if others == 1 else 'others'} liked"
