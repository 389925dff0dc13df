"""Posts and profiles as Redis holds them: which fields are read, and the models that are made of them."""

from collections.abc import Sequence

import msgspec

from townsquare.keyspace import AnyDeclared, Visibility, reader
from townsquare.services.social.keys import blocked_by, blocking, muting, post, user
from townsquare.services.social.models import Post, Profile, SeenProfile
from townsquare.store.client_cache import Record
from townsquare.store.store import Store

SHOWN = (Visibility.PUBLIC, Visibility.SYSTEM)
PROFILE_FIELDS = reader(user.kind, Profile, *SHOWN, also=("deleting", "moving_to"))
SEEN_PROFILE_FIELDS = reader(user.kind, SeenProfile, *SHOWN, also=("deleting", "moving_to"))
POST_FIELDS = reader(post.kind, Post, *SHOWN, also=("deleting",))
USER_DELETING, USER_MOVING_TO = PROFILE_FIELDS.index_of("deleting"), PROFILE_FIELDS.index_of("moving_to")
POST_DELETING = POST_FIELDS.index_of("deleting")

SHORT = 256  # members up to which a list of blocks or mutes is cached whole

Values = Sequence[bytes | None]


class ShortList(msgspec.Struct, frozen=True):
    """The members of a list of one user; only the latest, if there are too many."""

    members: frozenset[str]
    complete: bool


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


def short_list_of(members: Sequence[bytes]) -> ShortList:
    return ShortList(frozenset([one.decode() for one in members]), len(members) <= SHORT)


def short_list(declared: AnyDeclared) -> Record[ShortList]:
    """The users in a list of one user."""
    return Record(declared, "ZREVRANGE", 0, SHORT, decode=short_list_of)


BLOCKING, BLOCKED_BY, MUTING = short_list(blocking), short_list(blocked_by), short_list(muting)
