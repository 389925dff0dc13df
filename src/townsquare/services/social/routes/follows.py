"""Follow, block, mute."""

from townsquare.api import AnyEndpoint, Auth, Call, Routes
from townsquare.problems import Forbidden, Unauthorized
from townsquare.services.social.models import Change, Followed
from townsquare.services.social.problems import FollowingTooMany, NotYourself, ProfileNotFound
from townsquare.services.social.routes.common import OfUser, acting, named
from townsquare.services.social.service import Social

SOMEBODY = {"username": "bob"}
ERRORS = (Unauthorized, Forbidden, ProfileNotFound, NotYourself)


def follow_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes("/social/users/{username}", tag="social", auth=Auth.USER, errors=ERRORS, example=SOMEBODY)

    @routes.post("/follow", errors=(*ERRORS, FollowingTooMany))
    async def follow(call: Call, given: OfUser) -> Followed:
        """Follow a user."""
        return await social.follow(acting(call), named(call, given.username))

    @routes.delete("/follow")
    async def unfollow(call: Call, given: OfUser) -> Followed:
        """Stop following a user."""
        return await social.unfollow(acting(call), named(call, given.username))

    @routes.post("/block")
    async def block(call: Call, given: OfUser) -> Change:
        """Neither sees the other any more."""
        return await social.block(acting(call), named(call, given.username))

    @routes.delete("/block")
    async def unblock(call: Call, given: OfUser) -> Change:
        """End a block."""
        return await social.unblock(acting(call), named(call, given.username))

    @routes.post("/mute")
    async def mute(call: Call, given: OfUser) -> Change:
        """Hide a user's posts from one's feeds."""
        return await social.mute(acting(call), named(call, given.username))

    @routes.delete("/mute")
    async def unmute(call: Call, given: OfUser) -> Change:
        """End a mute."""
        return await social.unmute(acting(call), named(call, given.username))

    return routes.endpoints
