"""Comments, pages and authors as readers see them."""

from typing import Literal

import msgspec

from townsquare.kit.fragments import Fragment

Direction = Literal["up", "down"]
Status = Literal["pending", "approved", "rejected", "deleted"]
Reason = Literal["spam", "harassment", "hate_speech", "misinformation", "other"]


class Author(Fragment, kw_only=True, frozen=True):
    """The public profile of a commenter."""

    id: str
    name: str
    avatar_url: str | None = None
    karma: int = 0


class Comment(msgspec.Struct, kw_only=True):
    """A comment for one viewer. A placeholder for a deleted or hidden comment has no author and no text."""

    id: str
    page_id: str
    parent_id: str | None = None
    depth: int = 0
    author: Author | None = None
    content: str = ""
    content_html: str = ""
    upvotes: int = 0
    downvotes: int = 0
    my_vote: Direction | None = None
    reply_count: int = 0
    status: Status = "approved"
    blocked: bool = False  # a placeholder: the viewer has blocked the author
    edited: bool = False
    pinned_at: int | None = None
    created_at: str
    updated_at: str
    replies: list["Comment"] = []
    replies_next: str | None = None  # cursor of further replies


class RecentComment(msgspec.Struct, kw_only=True):
    """A comment with the URL of its page."""

    comment: Comment
    page_url: str


class Commenter(msgspec.Struct, kw_only=True):
    """A commenter, with the number of comments that the viewer can see on the site."""

    id: str
    name: str
    avatar_url: str | None
    karma: int
    total_comments: int
    created_at: str
    blocked: bool  # by the viewer


class CommentPage(msgspec.Struct, kw_only=True):
    """Part of a thread. `next` is the cursor of the next part, null at the end."""

    page_id: str
    comments: list[Comment]
    next: str | None
    total: int  # comments that everybody sees, replies too
    sort: str
    pinned: list[Comment] = []  # on the first part
    closed: bool = False


class Voted(msgspec.Struct, kw_only=True):
    upvotes: int
    downvotes: int
    my_vote: Direction | None


class PlacedComment(msgspec.Struct, kw_only=True):
    """A comment with where it stands."""

    comment: Comment
    page_url: str
    ancestors: list[Comment] = []  # from the root down
    cursor: str | None = None  # of the part of the thread that begins with its root; null: the first part


class NewComment(msgspec.Struct, kw_only=True):
    """What was written, and whether others see it yet."""

    comment: Comment
    page_url: str
