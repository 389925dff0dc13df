"""Posts and profiles as Redis holds them: which fields are read, and the models that are made of them.

Every request reads its records anew; what is remembered is how to ask for them and how to decode what was
answered, since a few posts and people are shown in most pages.
"""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from townsquare.keyspace import AnyKey, Visibility, reader
from townsquare.services.social.keys import blocked_by, blocking, following, muting, post, user
from townsquare.services.social.models import Post, Profile, SeenProfile
from townsquare.store.store import Command, Store, repeated

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
PROFILE = reader(user.kind, Profile, *SHOWN, also=("deleting", "moving_to"))
SEEN_PROFILE = reader(user.kind, SeenProfile, *SHOWN, also=("deleting", "moving_to"))
POST = reader(post.kind, Post, *SHOWN, also=("deleting",))
USER_DELETING, USER_MOVING_TO = PROFILE.place("deleting"), PROFILE.place("moving_to")
POST_DELETING = POST.place("deleting")
ASKED, DECODED = 8_192, 2_048  # of each kind; some megabytes, or with posts of full length some dozens

Values = Sequence[bytes | None]


@lru_cache(ASKED)
def read_profile(username: str) -> Command:
    return repeated("HMGET", user(username), *PROFILE.fields)


@lru_cache(ASKED)
def read_post(id: str) -> Command:
    return repeated("HMGET", post(id), *POST.fields)


@lru_cache(ASKED)
def viewer_keys(viewer: str) -> tuple[AnyKey, AnyKey, AnyKey, AnyKey]:
    """The keys of whom a viewer follows and blocks, who blocks the viewer, and whom the viewer mutes."""
    return following(viewer), blocking(viewer), blocked_by(viewer), muting(viewer)


async def whole_user(store: Store, username: str) -> dict[str, str]:
    """All fields of a user, those of the user's own too; empty if there is none."""
    found = await store.call("HGETALL", user(username))  # bounded: the limit on fields
    return {name.decode(): value.decode() for name, value in found.items()}


def profile(values: Values) -> Profile | None:
    """The profile, unless there is none or it is being deleted."""
    return _profile(tuple(values))


@lru_cache(DECODED)
def _profile(values: Values) -> Profile | None:
    return None if is_deleted(values) else PROFILE.decode(values)


def seen_profile(values: Values, *, is_following: bool = False, is_muted: bool = False) -> SeenProfile | None:
    """The profile with what lies between its user and the viewer."""
    return _seen_profile(tuple(values), is_following, is_muted)


@lru_cache(DECODED)
def _seen_profile(values: Values, is_following: bool, is_muted: bool) -> SeenProfile | None:
    found = None if is_deleted(values) else SEEN_PROFILE.decode(values)
    return found and replace(found, is_following=is_following, is_muted=is_muted)


def is_deleted(values: Values) -> bool:
    """A user who is being renamed has the mark of a deletion too, and is still there."""
    return values[USER_DELETING] is not None and values[USER_MOVING_TO] is None


def post_of(values: Values) -> Post | None:
    """The post, unless there is none or it is being deleted."""
    return _post_of(tuple(values))


@lru_cache(DECODED)
def _post_of(values: Values) -> Post | None:
    return None if values[POST_DELETING] is not None else POST.decode(values)
