"""Notifications of commenters."""

from enum import StrEnum

import msgspec

from townsquare.services.events import NoticeType
from townsquare.services.threads.models.comments import Author, Comment


class NotificationType(StrEnum):
    """All types. In Lua they are `const.NOTIFY_REPLY` and so on."""

    REPLY = "reply"
    MENTION = "mention"
    UPVOTE = "upvote"
    MOD_ACTION = "mod_action"


NOTICE_TYPES: dict[str, NoticeType] = {  # the types of the notification centre
    NotificationType.REPLY: "reply",
    NotificationType.MENTION: "mention",
    NotificationType.UPVOTE: "like",
    NotificationType.MOD_ACTION: "moderation",
}

# sent by mail, listed in the feed of replies, and removed when their comment is hidden
ABOUT_NEW_COMMENTS = (NotificationType.REPLY, NotificationType.MENTION)


class StoredNotification(msgspec.Struct, kw_only=True):
    """A notification as Redis stores it."""

    id: str
    notification_type: NotificationType
    comment_id: str
    from_user_id: str | None
    read: bool
    created_at: str
    site_id: str


class Notification(msgspec.Struct, kw_only=True):
    """A reply, a mention, an upvote, or an action of a moderator on a comment of the user."""

    id: str
    notification_type: NotificationType
    comment_id: str
    from_user_id: str | None  # null: a moderator
    from_user: Author | None
    read: bool
    created_at: str
    comment: Comment | None  # null: deleted or hidden
    page_url: str | None


class NotificationPage(msgspec.Struct, kw_only=True):
    """The newest first. `next` is the cursor of the next page, null at the end."""

    items: list[Notification]
    next: str | None
    unread: int  # on this site
