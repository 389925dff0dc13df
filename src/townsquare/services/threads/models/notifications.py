"""What a commenter is told."""

from typing import Literal

import msgspec

from townsquare.services.threads.models.comments import Author, Comment

NotificationType = Literal["reply", "mention", "upvote", "mod_action"]


class StoredNotification(msgspec.Struct, kw_only=True):
    """As it is kept."""

    id: str
    notification_type: NotificationType
    comment_id: str
    from_user_id: str | None
    read: bool
    created_at: str
    site_id: str


class Notification(msgspec.Struct, kw_only=True):
    """Somebody answered, named or upvoted the user, or a moderator acted on a comment of theirs."""

    id: str
    notification_type: NotificationType
    comment_id: str
    from_user_id: str | None  # null: a moderator
    from_user: Author | None
    read: bool
    created_at: str
    comment: Comment | None  # null: it is gone
    page_url: str | None


class NotificationPage(msgspec.Struct, kw_only=True):
    """The newest first. `next` leads to the part after it, null at the end."""

    items: list[Notification]
    next: str | None
    unread: int  # on this site
