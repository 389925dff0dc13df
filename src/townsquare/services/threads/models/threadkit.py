"""Comments and users as ThreadKit's own client reads them: one-letter names, seconds, whole trees."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

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
    avatar_url: str | None
    karma: int
    email_verified: bool
    username_set: bool
    social_links: list[str] = []
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
