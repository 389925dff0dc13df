"""Posts and profiles as Redis holds them: which fields are read, and the models that are made of them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from townsquare.keyspace import AnyKey, Visibility, reader
from townsquare.services.social.keys import (
    blocked_by,
    blocking,
    bookmarked,
    following,
    liked,
    muting,
    post,
    user,
)
from townsquare.services.social.models import Post, Profile, SeenProfile
from townsquare.store.near import RecordRead
from townsquare.store.store import Store

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
PROFILE = reader(user.kind, Profile, *SHOWN, also=("deleting", "moving_to"))
SEEN_PROFILE = reader(user.kind, SeenProfile, *SHOWN, also=("deleting", "moving_to"))
POST = reader(post.kind, Post, *SHOWN, also=("deleting",))
USER_DELETING, USER_MOVING_TO = PROFILE.place("deleting"), PROFILE.place("moving_to")
POST_DELETING = POST.place("deleting")
NAMES_KEPT = 512  # of whom a viewer follows and what they like, all or none: some 50 kB of memory
ASKED = 8_192  # reads of each kind that are kept put together; some megabytes

Values = Sequence[bytes | None]


@lru_cache(ASKED)
def read_profile(username: str) -> RecordRead[Profile]:
    """The profile, unless there is none or it is being deleted."""
    return RecordRead(profile_of, "HMGET", user(username), *PROFILE.fields)


@lru_cache(ASKED)
def read_seen_profile(username: str) -> RecordRead[SeenProfile]:
    """The same, ready to be told what lies between its user and the viewer."""
    return RecordRead(seen_profile_of, "HMGET", user(username), *SEEN_PROFILE.fields)


@lru_cache(ASKED)
def read_post(id: str) -> RecordRead[Post]:
    """The post, unless there is none or it is being deleted."""
    return RecordRead(post_of, "HMGET", post(id), *POST.fields)


class ViewerList(NamedTuple):
    """A list of a viewer's own. Of one that is empty for most people the size is read too, to be kept."""

    key: AnyKey
    size: RecordRead[int] | None = None


class ViewerLists(NamedTuple):
    liked: ViewerList
    bookmarked: ViewerList
    blocking: ViewerList
    blocked_by: ViewerList
    muting: ViewerList


@lru_cache(ASKED)
def viewer_lists(viewer: str) -> ViewerLists:
    """What a viewer likes and has bookmarked, whom they block and mute, and who blocks them."""
    seldom = [key(viewer) for key in (bookmarked, blocking, blocked_by, muting)]
    return ViewerLists(
        ViewerList(liked(viewer)), *(ViewerList(key, RecordRead(int, "ZCARD", key)) for key in seldom)
    )


class SmallSet(msgspec.Struct, frozen=True):
    """All members of a set or a list; None: too many to be kept."""

    names: frozenset[str] | None


@lru_cache(ASKED)
def read_followed(username: str) -> RecordRead[SmallSet]:
    """Whom somebody follows: one more member at random than are kept, or all that there are."""
    return RecordRead(small_set, "SRANDMEMBER", following(username), NAMES_KEPT + 1)


def read_ids(key: AnyKey) -> RecordRead[SmallSet]:
    """The ids in a list of a viewer's own."""
    return RecordRead(small_set, "ZRANGE", key, 0, NAMES_KEPT)


def small_set(members: Sequence[bytes]) -> SmallSet:
    if len(members) > NAMES_KEPT:
        return SmallSet(None)
    return SmallSet(frozenset([member.decode() for member in members]))


async def whole_user(store: Store, username: str) -> dict[str, str]:
    """All fields of a user, those of the user's own too; empty if there is none."""
    found = await store.call("HGETALL", user(username))  # bounded: the limit on fields
    return {name.decode(): value.decode() for name, value in found.items()}


def profile_of(values: Values) -> Profile | None:
    return None if is_deleted(values) else PROFILE.decode(values)


def seen_profile_of(values: Values) -> SeenProfile | None:
    return None if is_deleted(values) else SEEN_PROFILE.decode(values)


def is_deleted(values: Values) -> bool:
    """A user who is being renamed has the mark of a deletion too, and is still there."""
    return values[USER_DELETING] is not None and values[USER_MOVING_TO] is None


def post_of(values: Values) -> Post | None:
    return None if values[POST_DELETING] is not None else POST.decode(values)
