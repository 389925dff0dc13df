from typing import Annotated

from msgspec import field

from townsquare.keyspace import DELETE, Counts, Mirrors, Orders, Owns, Pairs, Visibility, about, by_script
from townsquare.services.social.keys.common import (
    POST_HOME,
    SEED,
    PostId,
    has_weight,
    is_banned,
    is_reported,
    is_shown,
    social,
    weight,
)
from townsquare.services.social.keys.users import (
    banned_posts,
    bookmarked,
    liked,
    moderated,
    reported,
    user,
    user_engagement,
    user_posts,
)
from townsquare.services.social.models import Post

SECRET = Visibility.SECRET


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


@social.hash("post:{id}", record=PostRecord, home=POST_HOME, seed=SEED)
def post(id: PostId) -> None:
    """A post, with a copy of what readers want to know of its author."""


@social.set("post:{id}:likes", home=POST_HOME, seed=SEED)
def post_likes(id: PostId) -> None:
    """Who likes a post."""


@social.set("post:{id}:bookmarks", home=POST_HOME, seed=SEED)
def post_bookmarks(id: PostId) -> None:
    """Who has bookmarked a post."""


@social.sorted_set("post:{id}:reports", home=POST_HOME)
def post_reports(id: PostId) -> None:
    """Who has reported a post, by the time of it in ms."""


@social.hash("post:{id}:reasons", custom=Visibility.SECRET, home=POST_HOME)
def post_reasons(id: PostId) -> None:
    """Why a post was reported: username → reason. Moderators read it."""


@social.sorted_set("reports:open", home="reports")
def reports_open() -> None:
    """Posts that were reported and are shown, by the number of reports: what moderators look through."""


social.relate(
    Owns(post, (post_likes, post_bookmarks, post_reports, post_reasons)),
    Counts(post, "likesCount", post_likes),
    Counts(post, "bookmarksCount", post_bookmarks),
    Counts(post, "reportsCount", post_reports),
    Pairs(liked, post_likes, remove_right=by_script("drop_mark", kind="like")),
    Pairs(bookmarked, post_bookmarks, remove_right=by_script("drop_mark", kind="bookmark")),
    Pairs(reported, post_reports, remove_right=by_script("drop_mark", kind="report")),
    Mirrors(post, "username", user, "username", params={"username": "user_id"}),
    Mirrors(post, "display_name", user, "display_name", params={"username": "user_id"}),
    Mirrors(post, "avatar", user, "avatar", params={"username": "user_id"}),
    Mirrors(post, "user_role", user, "role", params={"username": "user_id"}),
    Orders(
        user_posts,
        post,
        member="id",
        score="created_at",
        params={"username": "user_id"},
        where=is_shown,
        with_owner=DELETE,
    ),
    Orders(
        banned_posts,
        post,
        member="id",
        score="created_at",
        params={"username": "user_id"},
        where=is_banned,
        with_owner=DELETE,
    ),
    Orders(
        user_engagement, post, member="id", score=weight, params={"username": "user_id"}, where=has_weight
    ),
    Orders(
        moderated,
        post,
        member="id",
        score="banned_at",
        params={"username": "banned_by"},
        where=is_banned,
        with_owner=by_script("remove_moderator"),
    ),
    Orders(reports_open, post, member="id", score="reportsCount", where=is_reported),
)
