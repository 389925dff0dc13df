from functools import partial
from typing import Annotated

from msgspec import field

from townsquare.keyspace import (
    DELETE,
    Counts,
    Mirrors,
    Orders,
    Owns,
    Pairs,
    Record,
    Visibility,
    about,
    by_script,
)
from townsquare.services.social.keys import common, users
from townsquare.services.social.keys.common import POST_HOME, SEED, PostId, social
from townsquare.services.social.models import Post

SECRET = Visibility.SECRET
AUTHOR = {"username": "user_id"}  # the parameter of a user's keys, from a post

Counter = Annotated[int, about(visibility=Visibility.SYSTEM)]


class PostRecord(Post, kw_only=True, frozen=True):
    likes_count: Counter = field(name="likesCount")  # always there; a reader takes one that is not for 0
    comments_count: Counter = field(name="commentsCount")
    bookmarks_count: Counter = field(name="bookmarksCount")
    banned_by: Annotated[
        str | None, about("username of the moderator; absent if there is no profile under it", SECRET)
    ] = None
    reports_count: Annotated[int, about(visibility=SECRET)] = field(name="reportsCount", default=0)
    deleting: Annotated[str | None, about("the job that deletes this post", SECRET)] = None


@social.hash("post:{id}", record=PostRecord, home=POST_HOME, cached=True, seed=SEED)
def post(id: PostId) -> None:
    """A post with copies of its author's name, picture and role."""


@social.set("post:{id}:likes", home=POST_HOME, seed=SEED)
def post_likes(id: PostId) -> None:
    """Who likes a post."""


@social.set("post:{id}:bookmarks", home=POST_HOME, seed=SEED)
def post_bookmarks(id: PostId) -> None:
    """Users who have bookmarked a post."""


@social.sorted_set("post:{id}:reports", home=POST_HOME)
def post_reports(id: PostId) -> None:
    """Users who have reported a post, by time in ms."""


@social.hash("post:{id}:reasons", custom=Visibility.SECRET, home=POST_HOME)
def post_reasons(id: PostId) -> None:
    """Reasons of the reports, by username. Only moderators read them."""


@social.sorted_set("reports:open", home="reports")
def reports_open() -> None:
    """Reported visible posts by number of reports, for moderators."""


def is_shown(post: Record) -> bool:
    return not post.get("deleting") and post.get("banned") != "true"


def is_banned(post: Record) -> bool:
    return not post.get("deleting") and post.get("banned") == "true"


def weight(post: Record) -> int:
    return (
        int(post.get("likesCount") or 0) * common.LIKE_WEIGHT
        + int(post.get("commentsCount") or 0) * common.COMMENT_WEIGHT
        + int(post.get("bookmarksCount") or 0) * common.BOOKMARK_WEIGHT
    )


def has_weight(post: Record) -> bool:
    return is_shown(post) and weight(post) > 0


def is_reported(post: Record) -> bool:
    return is_shown(post) and int(post.get("reportsCount") or 0) > 0


def hashtags(post: Record) -> list[str]:
    return str(post.get("hashtags") or "").split()


listed = partial(Orders, record=post, member="id")
removed = partial(by_script, "remove_like_bookmark_or_report")

social.relate(
    Owns(post, (post_likes, post_bookmarks, post_reports, post_reasons)),
    Counts(post, "likesCount", post_likes),
    Counts(post, "bookmarksCount", post_bookmarks),
    Counts(post, "reportsCount", post_reports),
    Pairs(users.liked, post_likes, remove_right=removed(kind="like")),
    Pairs(
        users.bookmarked,
        post_bookmarks,
        remove_right=removed(kind="bookmark"),
    ),
    Pairs(users.reported, post_reports, remove_right=removed(kind="report")),
    Mirrors(post, "username", users.user, "username", params=AUTHOR),
    Mirrors(post, "display_name", users.user, "display_name", params=AUTHOR),
    Mirrors(post, "avatar", users.user, "avatar", params=AUTHOR),
    Mirrors(post, "user_role", users.user, "role", params=AUTHOR),
    listed(users.user_posts, score="created_at", params=AUTHOR, where=is_shown, with_owner=DELETE),
    listed(users.banned_posts, score="created_at", params=AUTHOR, where=is_banned, with_owner=DELETE),
    listed(users.user_engagement, score=weight, params=AUTHOR, where=has_weight),
    listed(
        users.moderated,
        score="banned_at",
        params={"username": "banned_by"},
        where=is_banned,
        with_owner=by_script("remove_moderator"),
    ),
    listed(reports_open, score="reportsCount", where=is_reported),
)
