"""Comments and users as the original ThreadKit client reads them: one-letter names, seconds, whole trees."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from townsquare.services.threads.models.comments import Author
from townsquare.services.threads.models.notifications import NotificationType

DELETED_AUTHOR = "d0000000-0000-0000-0000-000000000000"


class TreeComment(msgspec.Struct, kw_only=True, omit_defaults=True):
    id: str = field(name="i")
    author: str = field(name="a")
    author_name: str = field(name="n")
    picture: str | None = field(name="p")
    karma: int = field(name="k")
    text: str = field(name="t")
    html: str = field(name="h")
    upvotes: int = field(name="u")
    downvotes: int = field(name="d")
    created: int = field(name="x")  # seconds
    modified: int = field(name="m")  # seconds; the same until an edit
    edited: bool | UnsetType = field(name="e", default=UNSET)
    replies: list["TreeComment"] | UnsetType = field(name="r", default=UNSET)
    status: str | UnsetType = field(name="s", default=UNSET)  # absent: approved
    parent: str | UnsetType = field(name="q", default=UNSET)


class Tree(msgspec.Struct, kw_only=True):
    comments: list[TreeComment] = field(name="c")
    updated: int = field(name="u")  # seconds


class WholeThread(msgspec.Struct, kw_only=True):
    page_id: str
    tree: Tree
    total: int
    pageviews: int
    pinned: Annotated[list[list[str | int]], Meta(examples=[[["2f6d1c9e-0b7a-4c3d-8e5f-6a7b8c9d01c7", 1]]])]


class ThreadKitUser(msgspec.Struct, kw_only=True):
    id: str
    name: str
    email: str | None
    phone: str | None
    avatar_url: str | None
    karma: int
    email_verified: bool
    phone_verified: bool
    username_set: bool
    social_links: dict[str, str] = {}  # not stored here
    created_at: str


class ThreadKitProfile(msgspec.Struct, kw_only=True):
    id: str
    name: str
    avatar_url: str | None
    karma: int
    total_comments: int
    created_at: str


class ThreadKitTokens(msgspec.Struct, kw_only=True):
    token: str
    refresh_token: str
    user: ThreadKitUser


class ThreadKitComment(msgspec.Struct):
    page_id: str
    comment: TreeComment


class ThreadKitComments(msgspec.Struct, kw_only=True):
    comments: list[ThreadKitComment]
    has_more: bool


class ThreadKitQueue(msgspec.Struct, kw_only=True):
    items: list[ThreadKitComment]
    total: int  # of these items


class ThreadKitReport(msgspec.Struct, kw_only=True):
    page_id: str | None
    comment_id: str
    comment: TreeComment | None
    reporter: Author | None


class ThreadKitReports(msgspec.Struct, kw_only=True):
    items: list[ThreadKitReport]
    total: int  # of these items


class ThreadKitNotification(msgspec.Struct, kw_only=True):
    id: str
    notification_type: NotificationType
    comment_id: str
    from_user_id: str | None
    from_user: Author
    read: bool
    created_at: str


class ThreadKitNotifications(msgspec.Struct, kw_only=True):
    notifications: list[ThreadKitNotification]
    unread_count: int
