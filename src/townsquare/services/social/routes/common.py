"""What the endpoints share: who asks, and for how much."""

from typing import Annotated

import msgspec

from townsquare.api import Call, Limit, by_user
from townsquare.kit.paging import PageSize
from townsquare.problems import Forbidden, Unauthorized

POST = Limit("post", 60, 60, key=by_user)

Cursor = Annotated[str | None, msgspec.Meta(description="`next` of the page before")]

ME = "me"


class OfPost(msgspec.Struct):
    id: str


class OfUser(msgspec.Struct):
    username: Annotated[str, msgspec.Meta(description="`me` is who asks")]


class Paged(msgspec.Struct, kw_only=True):
    cursor: Cursor = None
    limit: PageSize = 20


class UserPaged(Paged, kw_only=True):
    username: Annotated[str, msgspec.Meta(description="`me` is who asks")]


def acting(call: Call) -> str:
    """The username of who acts."""
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
