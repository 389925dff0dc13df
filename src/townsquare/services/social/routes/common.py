"""Shared inputs of the endpoints, and the caller."""

from typing import Annotated

import msgspec

from townsquare.api import Call, Limit, by_user
from townsquare.kit.paging import PageSize
from townsquare.problems import Forbidden, Unauthorized

POST = Limit("post", 60, 60, key=by_user)

Cursor = Annotated[str | None, msgspec.Meta(description="`next` of the page before")]
PostId = Annotated[str, msgspec.Meta(examples=["2f6d1c9e-0b7a-4c3d-8e5f-6a7b8c9d01c7"])]

ME = "me"


class OfPost(msgspec.Struct):
    id: PostId


class OfUser(msgspec.Struct):
    username: Annotated[str, msgspec.Meta(description="`me` is the caller")]


class Paged(msgspec.Struct, kw_only=True):
    cursor: Cursor = None
    limit: PageSize = 20


class UserPaged(Paged, kw_only=True):
    username: Annotated[str, msgspec.Meta(description="`me` is the caller")]


def acting(call: Call) -> str:
    """The username of the caller."""
    if call.identity is None:
        raise Unauthorized
    if not call.identity.username:
        raise Forbidden("Choose a username first")
    return call.identity.username


def viewer(call: Call) -> str | None:
    return call.identity.username or None if call.identity else None


def named(call: Call, username: str) -> str:
    return acting(call) if username == ME else username


def is_moderator(call: Call) -> bool:
    return call.identity is not None and call.identity.role == "admin"
