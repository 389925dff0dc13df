"""The queue, reports, bans and log of a site."""

import uuid
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.clock import iso
from townsquare.services.threads.models.comments import Author, Comment, Reason
from townsquare.services.threads.models.sites import Viewer

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
    """A held comment, and why it was held."""

    comment: Comment
    page_url: str
    reasons: list[str]
    report_count: int


class CommentReport(msgspec.Struct, kw_only=True):
    """A report, as stored."""

    comment_id: str
    reporter_id: str
    reason: Reason
    details: str
    created_at: str


class ReportedComment(msgspec.Struct, kw_only=True):
    report: CommentReport
    reporter: Author | None
    comment: Comment | None  # null: it does not exist any more
    page_url: str | None


class WaitingComment(msgspec.Struct, kw_only=True):
    """A held or reported comment of some site, for the operator."""

    site_id: str
    site_name: str
    comment_id: str
    page_url: str
    author: Author | None  # null: deleted
    content: str  # Markdown
    why: str  # it is held, or was reported
    since: int  # ms
    reporter_id: str = ""  # empty: it is held, not reported


class LogEntry(msgspec.Struct, kw_only=True):
    """An action of a moderator; `target` is a comment, a user or a page."""

    id: str
    action: Action
    moderator_id: str | None  # null: with the secret key of the site
    target: str
    details: str
    created_at: str


class BannedUser(msgspec.Struct, kw_only=True):
    """A ban or shadow ban."""

    user_id: str
    user: Author | None
    shadow: bool
    until: str | None  # null: permanent


class BanOutcome(msgspec.Struct, kw_only=True):
    """`finished` is false while a job still applies the ban to comments."""

    user_id: str
    changed: bool
    finished: bool


def log_entry(viewer: Viewer, action: Action, target: str, now: int, details: str = "") -> str:
    """The log entry of an action, as JSON for the script that acts."""
    entry = LogEntry(
        id=str(uuid.uuid4()),
        action=action,
        moderator_id=viewer.user_id,
        target=target,
        details=details,
        created_at=iso(now),
    )
    return msgspec.json.encode(entry).decode()
