"""Posts and profiles as Redis holds them: which fields are read, and the models that are made of them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from townsquare.keyspace import AnyDeclared, Visibility, reader
from townsquare.services.social.keys import (
    blocked_by,
    blocking,
    bookmarked,
    explore_feed,
    following_since,
    hashtag_order,
    hashtag_posts,
    hashtag_scored,
    home_feed,
    home_state,
    liked,
    muting,
    post,
    user,
    user_posts,
)
from townsquare.services.social.models import Post, Profile, SeenProfile
from townsquare.store.client_cache import Record
from townsquare.store.store import Store

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
PROFILE_FIELDS = reader(user.kind, Profile, *SHOWN, also=("deleting", "moving_to"))
SEEN_PROFILE_FIELDS = reader(user.kind, SeenProfile, *SHOWN, also=("deleting", "moving_to"))
POST_FIELDS = reader(post.kind, Post, *SHOWN, also=("deleting",))
USER_DELETING, USER_MOVING_TO = PROFILE_FIELDS.index_of("deleting"), PROFILE_FIELDS.index_of("moving_to")
POST_DELETING = POST_FIELDS.index_of("deleting")

HEAD = 21  # posts of a first page of the usual size, and one that tells whether there are more
SHORT = 256  # members up to which a list of likes, bookmarks, follows or blocks is cached whole

Values = Sequence[bytes | None]


class Head(msgspec.Struct, frozen=True):
    """The first posts of a list."""

    ids: tuple[str, ...]
    scores: tuple[float, ...] = ()


class ShortList(msgspec.Struct, frozen=True):
    """The members of a list of one user; only the latest, if there are too many."""

    members: frozenset[str]
    complete: bool


class HomeState(msgspec.Struct, frozen=True):
    """The state of a following feed that can be read."""

    token: str
    began_at: int
    complete: bool
    floor: int
    floor_id: str
    big: str  # usernames, with spaces between


async def whole_user(store: Store, username: str) -> dict[str, str]:
    """All fields of a user, those of the user's own too; empty if there is none."""
    found = await store.call("HGETALL", user(username))  # bounded: the limit on fields
    return {name.decode(): value.decode() for name, value in found.items()}


def profile_of(values: Values) -> Profile | None:
    return None if is_deleted(values) else PROFILE_FIELDS.decode(values)


def seen_profile_of(values: Values) -> SeenProfile | None:
    return None if is_deleted(values) else SEEN_PROFILE_FIELDS.decode(values)


def is_deleted(values: Values) -> bool:
    """A user who is being renamed has the mark of a deletion too, and is still there."""
    return values[USER_DELETING] is not None and values[USER_MOVING_TO] is None


def post_of(values: Values) -> Post | None:
    return None if values[POST_DELETING] is not None else POST_FIELDS.decode(values)


# None: there is no such record, or it is being deleted
PROFILE = Record(user, "HMGET", *PROFILE_FIELDS.fields, decode=profile_of)
SEEN_PROFILE = Record(user, "HMGET", *SEEN_PROFILE_FIELDS.fields, decode=seen_profile_of)
POST = Record(post, "HMGET", *POST_FIELDS.fields, decode=post_of)


def head_of(pairs: Any) -> Head:
    return Head(tuple([id.decode() for id, _ in pairs]), tuple([score for _, score in pairs]))


def short_list_of(members: Sequence[bytes]) -> ShortList:
    return ShortList(frozenset([one.decode() for one in members]), len(members) <= SHORT)


def oldest_of(times: Sequence[float | None]) -> float:
    """The creation of the oldest of some posts; 0 if one has lost the tag."""
    return min([at or 0 for at in times], default=0)


def home_state_of(values: Values) -> HomeState | None:
    token, began_at, ready, complete, floor, floor_id, big = [value and value.decode() for value in values]
    if not ready:
        return None
    return HomeState(
        token or "", int(began_at or 0), complete == "1", int(floor or 0), floor_id or "", big or ""
    )


def head(declared: AnyDeclared) -> Record[Head]:
    """The newest posts of a sorted set."""
    return Record(declared, "ZREVRANGE", 0, HEAD - 1, "WITHSCORES", decode=head_of)


def short_list(declared: AnyDeclared) -> Record[ShortList]:
    """The posts or users in a list of one user."""
    return Record(declared, "ZREVRANGE", 0, SHORT, decode=short_list_of)


EXPLORE, HASHTAG, USER_POSTS, HOME = (
    head(explore_feed),
    head(hashtag_posts),
    head(user_posts),
    head(home_feed),
)
HOME_STATE = Record(
    home_state,
    "HMGET",
    *("token", "began_at", "ready", "complete", "floor", "floor_id", "big"),
    decode=home_state_of,
)
SCORED = Record(hashtag_scored, "GET", decode=int)
RANKED = Record(
    hashtag_order, "LRANGE", 0, HEAD - 1, decode=lambda ids: Head(tuple([id.decode() for id in ids]))
)
OLDEST_AMONG = Record(hashtag_posts, "ZMSCORE", decode=oldest_of)  # the posts are its arguments
LIKED, BOOKMARKED, FOLLOWING = short_list(liked), short_list(bookmarked), short_list(following_since)
BLOCKING, BLOCKED_BY, MUTING = short_list(blocking), short_list(blocked_by), short_list(muting)
