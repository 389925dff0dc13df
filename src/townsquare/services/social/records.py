"""From what Redis answers to the models, field by field and no field more.

Every request reads its records anew; what is remembered is how to ask for them and how to decode what was
answered, since a few posts and people are shown in most pages.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from townsquare.keyspace import AnyKey, Visibility
from townsquare.services.social.fields import PUBLIC_FIELDS
from townsquare.services.social.keys import blocked_by, blocking, following, muting, post, user
from townsquare.services.social.models import Post, Profile
from townsquare.store.store import Command, repeated

PROFILE_FIELDS = (*PUBLIC_FIELDS, "deleting", "moving_to")
POST_FIELDS = (
    *(field.name for field in post.kind.fields if field.visibility in (Visibility.PUBLIC, Visibility.SYSTEM)),
    "deleting",
)
ASKED, DECODED = 8_192, 2_048  # of each kind; some megabytes, or with posts of full length some dozens

Values = Sequence[bytes | None]
P = TypeVar("P", bound=Profile)


@lru_cache(ASKED)
def read_profile(username: str) -> Command:
    return repeated("HMGET", user(username), *PROFILE_FIELDS)


@lru_cache(ASKED)
def read_post(id: str) -> Command:
    return repeated("HMGET", post(id), *POST_FIELDS)


@lru_cache(ASKED)
def viewer_keys(viewer: str) -> tuple[AnyKey, AnyKey, AnyKey, AnyKey]:
    """Where it stands whom a viewer follows, blocks and mutes, and who blocks the viewer."""
    return following(viewer), blocking(viewer), blocked_by(viewer), muting(viewer)


def text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def number(value: bytes | None) -> int:
    return int(value) if value else 0


def profile(values: Values) -> Profile | None:
    """The profile, unless there is none or it is being deleted."""
    return profile_as(Profile, values)


def profile_as(kind: type[P], values: Values, **more: bool) -> P | None:
    """The profile as one of its models, which may say more."""
    return _profile_as(kind, tuple(values), **more)


@lru_cache(DECODED)
def _profile_as(kind: type[P], values: Values, **more: Any) -> P | None:
    (
        username,
        display_name,
        bio,
        avatar,
        links,
        role,
        posts,
        followers,
        following,
        created_at,
        deleting,
        moving_to,
    ) = values
    if username is None or role is None or (deleting is not None and moving_to is None):
        return None
    return kind(
        username=username.decode(),
        display_name=text(display_name),
        bio=text(bio),
        avatar=text(avatar),
        links=msgspec.json.decode(links, type=tuple[str, ...]) if links else (),
        role=role.decode(),
        post_count=number(posts),
        follower_count=number(followers),
        following_count=number(following),
        created_at=number(created_at),
        **more,
    )


def post_of(values: Values) -> Post | None:
    """The post, unless there is none or it is being deleted."""
    return _post_of(tuple(values))


@lru_cache(DECODED)
def _post_of(values: Values) -> Post | None:
    (
        id,
        user_id,
        content,
        media_url,
        created_at,
        edited_at,
        hashtags,
        username,
        avatar,
        display_name,
        user_role,
        likes,
        comments,
        bookmarks,
        banned,
        banned_at,
        deleting,
    ) = values
    if id is None or user_id is None or deleting is not None:
        return None
    return Post(
        id=id.decode(),
        user_id=user_id.decode(),
        content=(content or b"").decode(),
        media_url=text(media_url),
        created_at=number(created_at),
        edited_at=number(edited_at) or None,
        hashtags=tuple(hashtags.decode().split()) if hashtags else (),
        username=(username or user_id).decode(),
        avatar=text(avatar),
        display_name=text(display_name),
        user_role=(user_role or b"user").decode(),
        likes_count=number(likes),
        comments_count=number(comments),
        bookmarks_count=number(bookmarks),
        banned=banned == b"true",
        banned_at=number(banned_at) or None,
    )
