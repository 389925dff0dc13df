"""Profiles of commenters, their comments, and blocks."""

import msgspec

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.comments import Commenter, RecentComment
from townsquare.services.threads.routes.access import SiteAccess, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfSite
from townsquare.services.threads.routes.moderation import Listing, UserId
from townsquare.services.threads.service import Threads


class OfCommenter(OfSite, kw_only=True):
    id: UserId


class CommentsOfUser(Listing, kw_only=True):
    id: UserId


class Blocking(msgspec.Struct, kw_only=True):
    id: UserId


class Blocked(msgspec.Struct, kw_only=True):
    id: str
    blocked: bool
    changed: bool


def user_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads = Routes("/threads/v1/users", tag="threads", auth=access.reading, open_to_any_origin=True)
    writes = Routes("/threads/v1/users", tag="threads", auth=access.writing, open_to_any_origin=True)
    known = (*ACCESS, problems.CommenterNotFound)

    @reads.get("/{id}", errors=known)
    async def read_commenter(call: Call, asked: OfCommenter) -> Commenter:
        """Read the profile of a commenter."""
        return await threads.profiles.get(viewer_of(call), asked.id)

    @reads.get("/{id}/comments", errors=(*known, BadCursor))
    async def comments_of_user(call: Call, asked: CommentsOfUser) -> Page[RecentComment]:
        """List the newest comments of a user on this site."""
        return await threads.profiles.comments(viewer_of(call), asked.id, asked.cursor, asked.limit)

    @writes.post(
        "/{id}/block",
        errors=(*known, Unauthorized, problems.TooManyBlocks, problems.CannotBlockYourself),
    )
    async def block_commenter(call: Call, given: Blocking) -> Blocked:
        """Block a user: hide the user's comments from the caller."""
        changed = await threads.profiles.block(viewer_of(call), given.id)
        return Blocked(id=given.id, blocked=True, changed=changed)

    @writes.delete("/{id}/block", errors=(*known, Unauthorized))
    async def unblock_commenter(call: Call, given: Blocking) -> Blocked:
        """Unblock a user."""
        changed = await threads.profiles.unblock(viewer_of(call), given.id)
        return Blocked(id=given.id, blocked=False, changed=changed)

    return [*reads.endpoints, *writes.endpoints]
