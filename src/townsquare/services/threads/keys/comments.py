"""Keys of comments and votes, and the relations to the lists of a page."""

import math
from functools import partial
from typing import Annotated

import msgspec

from townsquare.keyspace import DELETE, Counts, Orders, Owns, Record, Refers, Visibility, about, by_script
from townsquare.services.threads.keys import pages, sites, users
from townsquare.services.threads.keys.common import (
    COMMENT_HOME,
    DOWN,
    HOT_SECONDS,
    SEED,
    UP,
    CommentId,
    UserId,
    creation,
    threads,
)

SYSTEM, SECRET = Visibility.SYSTEM, Visibility.SECRET


class CommentRecord(msgspec.Struct, kw_only=True, frozen=True, dict=True):
    id: Annotated[str, about("UUID; its last three digits are the bucket of its page", SYSTEM)]
    site_id: Annotated[str, about(visibility=SYSTEM)]
    page_id: Annotated[str, about(visibility=SYSTEM)]
    page_url: Annotated[str, about(visibility=SYSTEM)]
    author_id: Annotated[str | None, about("absent when it is deleted", SYSTEM)] = None
    parent_id: Annotated[str | None, about("absent: a root", SYSTEM)] = None
    content: Annotated[str, about("Markdown")] = ""
    content_html: Annotated[str, about("sanitised", SYSTEM)] = ""
    upvotes: Annotated[int, about(visibility=SYSTEM)] = 0
    downvotes: Annotated[int, about(visibility=SYSTEM)] = 0
    reply_count: Annotated[int, about("replies that are listed", SYSTEM)] = 0
    depth: Annotated[int, about("0: a root", SYSTEM)] = 0
    status: Annotated[str, about("pending, approved, rejected or deleted", SYSTEM)]
    edited: Annotated[bool, about(visibility=SYSTEM)] = False
    created_at: Annotated[str, about("ISO 8601", SYSTEM)]
    updated_at: Annotated[str, about("ISO 8601", SYSTEM)]
    pinned_at: Annotated[int | None, about("ms; absent: it is not pinned", SYSTEM)] = None
    shadow: Annotated[bool, about("true: only its author and moderators see it", SECRET)] = False
    karma: Annotated[int, about("upvotes by others than its author", SECRET)] = 0
    report_count: Annotated[int, about("open reports", SECRET)] = 0
    reasons: Annotated[str | None, about("why it is held for approval", SECRET)] = None
    answers: Annotated[str | None, about("the comment it answers, if not its parent", SECRET)] = None
    owner: Annotated[str | None, about("account of the author of the post, if this is a root", SECRET)] = None
    mentions: Annotated[str | None, about("ids of mentioned users, separated by commas", SECRET)] = None
    notified: Annotated[str | None, about("ids of users with a notification about it", SECRET)] = None
    mailed: Annotated[bool, about("mail to the followers of its page is queued", SECRET)] = False
    imported_upvotes: Annotated[int, about("imported votes, without their voters", SECRET)] = 0
    imported_downvotes: Annotated[int, about("the same", SECRET)] = 0
    foreign_id: Annotated[str | None, about("where it was imported from, and its id there", SECRET)] = None
    deleting: Annotated[str | None, about("the job that deletes its page", SECRET)] = None


@threads.hash("comment:{comment_id}", record=CommentRecord, home=COMMENT_HOME, cached=True, seed=SEED)
def comment(comment_id: CommentId) -> None:
    """A comment. A deleted one is a placeholder without author and text."""


@threads.string("comment:{comment_id}:moved_to", home=COMMENT_HOME)
def comment_moved(comment_id: CommentId) -> None:
    """The new id of a comment whose page was merged into another one."""


@threads.sorted_set("comment:{comment_id}:replies", home=COMMENT_HOME, cached=True, seed=SEED)
def comment_replies(comment_id: CommentId) -> None:
    """Listed replies by creation in ms."""


@threads.sorted_set("comment:{comment_id}:voters", home=COMMENT_HOME)
def comment_voters(comment_id: CommentId) -> None:
    """Voters, 1 for up and -1 for down; the source of both counts."""


@threads.string("vote:{user_id}:{comment_id}", home=COMMENT_HOME, seed=SEED)
def vote(user_id: UserId, comment_id: CommentId) -> None:
    """The vote of a user on a comment: up or down."""


@threads.hash("comment:{comment_id}:reports", custom=SECRET, home=COMMENT_HOME)
def comment_reports(comment_id: CommentId) -> None:
    """Reporters: user id → the report as in the site's reports; empty if a moderator has closed it."""


@threads.list("comment:{comment_id}:edits", home=COMMENT_HOME)
def comment_edits(comment_id: CommentId) -> None:
    """Previous texts as JSON {content, edited_at}, newest first."""


def is_there(comment: Record) -> bool:
    return not comment.get("deleting")


def is_public(comment: Record) -> bool:
    return is_there(comment) and comment["status"] == "approved" and comment.get("shadow") != "true"


def is_listed(comment: Record) -> bool:
    return is_public(comment) or (is_there(comment) and int(comment.get("reply_count") or 0) > 0)


def is_root(comment: Record) -> bool:
    return is_listed(comment) and not comment.get("parent_id")


def is_hidden(comment: Record) -> bool:
    return is_there(comment) and comment["status"] != "deleted" and not is_public(comment)


def is_pending(comment: Record) -> bool:
    return is_there(comment) and comment["status"] == "pending"


def is_pinned(comment: Record) -> bool:
    return is_there(comment) and bool(comment.get("pinned_at"))


def is_somebodys(comment: Record) -> bool:
    return is_there(comment) and bool(comment.get("author_id"))


def is_upvoted(comment: Record) -> bool:
    return is_somebodys(comment) and int(comment.get("karma") or 0) > 0


def votes(comment: Record) -> tuple[int, int]:
    return int(comment.get("upvotes") or 0), int(comment.get("downvotes") or 0)


def top_score(comment: Record) -> int:
    up, down = votes(comment)
    return up - down


def vote_power(comment: Record) -> float:
    score = top_score(comment)
    return ((score > 0) - (score < 0)) * math.log10(max(abs(score), 1))


def hot_score(comment: Record) -> float:
    """The formula of the seed, in which time is effectively a tie-breaker."""
    seconds = creation(comment) // 1000
    return vote_power(comment) + math.log10(max(seconds, 1)) / HOT_SECONDS


def decaying_hot_score(comment: Record) -> float:
    """Reddit's formula: 12.5 hours are worth ten times the votes."""
    return vote_power(comment) + creation(comment) // 1000 / HOT_SECONDS


def controversy(comment: Record) -> float:
    up, down = votes(comment)
    return (up + down) * min(up, down) / max(up, down, 1)


def direction(vote: Record) -> int:
    return UP if vote[""] == "up" else DOWN


PAGE, SITE, AUTHOR = {"page_id": "page_id"}, {"site_id": "site_id"}, {"user_id": "author_id"}
listed = partial(Orders, record=comment, member="comment_id")
roots = partial(listed, params=PAGE, where=is_root)

threads.relate(
    Owns(comment, (comment_replies, vote, comment_reports, comment_edits)),
    Owns(comment, (comment_moved,), without_owner=True),
    Owns(comment, (comment_voters,), members=by_script("forget_vote")),
    Refers(users.user_notifications, comment, field="comment_id"),
    Counts(comment, "reply_count", comment_replies),
    Counts(comment, "upvotes", comment_voters, score=UP, plus="imported_upvotes"),
    Counts(comment, "downvotes", comment_voters, score=DOWN, plus="imported_downvotes"),
    Orders(comment_voters, vote, member="user_id", score=direction),
    Orders(users.user_votes, vote, member="comment_id", score=direction),
    listed(comment_replies, score=creation, params={"comment_id": "parent_id"}, where=is_listed),
    roots(pages.page_new, score=creation),
    roots(pages.page_top, score=top_score),
    roots(pages.page_hot, score=hot_score),
    roots(pages.page_hot_decaying, score=decaying_hot_score),
    roots(pages.page_controversial, score=controversy),
    listed(pages.page_all, score=creation, params=PAGE, where=is_there, with_owner=DELETE),
    listed(pages.page_public, score=creation, params=PAGE, where=is_public),
    listed(pages.page_hidden, score=creation, params=PAGE, where=is_hidden),
    listed(pages.page_hidden_of, score=creation, params={**PAGE, **AUTHOR}, where=is_hidden),
    listed(pages.page_pinned, score="pinned_at", params=PAGE, where=is_pinned),
    listed(sites.site_comments, score=creation, params=SITE, where=is_public),
    listed(sites.site_modqueue, score=creation, params=SITE, where=is_pending),
    listed(users.user_public, score=creation, params={**AUTHOR, **SITE}, where=is_public),
    listed(users.user_hidden, score=creation, params={**AUTHOR, **SITE}, where=is_hidden),
    listed(
        users.user_comments,
        score=creation,
        params=AUTHOR,
        where=is_somebodys,
        with_owner=by_script("erase_comment_of"),
    ),
    listed(
        users.user_upvoted,
        score="karma",
        params=AUTHOR,
        where=is_upvoted,
        removal=by_script("set_karma", karma="0"),
    ),
)
