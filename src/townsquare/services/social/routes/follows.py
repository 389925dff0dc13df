"""Follow, block, mute."""

from collections.abc import Awaitable, Callable
from typing import Any

from townsquare.api import AnyEndpoint, Call
from townsquare.problems import Forbidden, Unauthorized
from townsquare.services.social.models import Change, Followed
from townsquare.services.social.problems import FollowingTooMany, NotYourself, ProfileNotFound
from townsquare.services.social.routes.common import OfUser, acting, named, write
from townsquare.services.social.service import Social

ERRORS = (Unauthorized, Forbidden, ProfileNotFound, NotYourself)


def follow_endpoints(social: Social) -> list[AnyEndpoint]:
    followed = (*ERRORS, FollowingTooMany)
    return [
        relation("POST", "follow", social.follow, Followed, "Follow a user.", followed),
        relation("DELETE", "follow", social.unfollow, Followed, "Stop following a user.", ERRORS),
        relation("POST", "block", social.block, Change, "Neither sees the other any more.", ERRORS),
        relation("DELETE", "block", social.unblock, Change, "End a block.", ERRORS),
        relation("POST", "mute", social.mute, Change, "Hide a user's posts from one's feeds.", ERRORS),
        relation("DELETE", "mute", social.unmute, Change, "End a mute.", ERRORS),
    ]


def relation(
    method: str,
    name: str,
    operation: Callable[[str, str], Awaitable[Any]],
    output: type[Any],
    says: str,
    errors: tuple[Any, ...],
) -> AnyEndpoint:
    async def run(call: Call, given: OfUser) -> Any:
        return await operation(acting(call), named(call, given.username))

    run.__doc__ = says
    path = f"/social/users/{{username}}/{name}"
    return write(method=method, path=path, run=run, input=OfUser, output=output, errors=errors)
