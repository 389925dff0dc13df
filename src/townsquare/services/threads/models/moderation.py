"""What moderators look through, and what they did."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.services.threads.models.comments import Author, Comment, Reason

Action = Literal[
    "approve",
    "reject",
    "delete",
    "edit",
    "pin",
    "unpin",
    "dismiss",
    "ban",
    "unban",
    "shadowban",
    "unshadowban",
    "close_page",
    "open_page",
    "move_page",
    "move_pages",
    "merge_page",
]
BanDays = Annotated[int, Meta(ge=1, le=36_500)]


class QueuedComment(msgspec.Struct, kw_only=True):
    """A comment that waits for a moderator, and why."""

    comment: Comment
    page_url: str
    reasons: list[str]
    report_count: int


class CommentReport(msgspec.Struct, kw_only=True):
    """What somebody told the moderators, as it is kept."""

    comment_id: str
    reporter_id: str
    reason: Reason
    details: str
    created_at: str


class ReportedComment(msgspec.Struct, kw_only=True):
    report: CommentReport
    reporter: Author | None
    comment: Comment | None  # null: it is gone
    page_url: str | None


class LogEntry(msgspec.Struct, kw_only=True):
    """What a moderator did; `target` is a comment, a user or a page."""

    id: str
    action: Action
    moderator_id: str | None  # null: with the secret key of the site
    target: str
    details: str
    created_at: str


class BannedUser(msgspec.Struct, kw_only=True):
    """Who may not write on the site, or is only seen by themselves."""

    user_id: str
    user: Author | None
    shadow: bool
    until: str | None  # null: for good


class BanOutcome(msgspec.Struct, kw_only=True):
    """`finished`: the user's comments follow already; else a job goes on with them."""

    user_id: str
    changed: bool
    finished: bool
