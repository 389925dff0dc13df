"""The caller on a site, notifications, and other commenters: profiles, comments, blocks."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Unauthorized
from townsquare.services.threads import problems
from townsquare.services.threads.models.comments import Commenter, RecentComment
from townsquare.services.threads.models.notifications import NotificationPage
from townsquare.services.threads.models.sites import SiteRole
from townsquare.services.threads.routes.access import SiteAccess, site_routes, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfSite
from townsquare.services.threads.routes.moderation import Listing, UserId
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import signed_in


class Myself(msgspec.Struct, kw_only=True):
    id: str
    name: str
    avatar_url: str | None
    karma: int
    provider: str
    email_verified: bool
    role: SiteRole


class MyName(msgspec.Struct, kw_only=True):
    name: str | None = None
    avatar_url: Annotated[str | None, Meta(description="an empty one takes the picture off")] = None


class MarkReadInput(msgspec.Struct, kw_only=True):
    ids: list[str] = []
    all: bool = False


class ReadDone(msgspec.Struct, kw_only=True):
    changed: int


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
    reads, writes = site_routes(access, "/threads/v1")
    signed = (*ACCESS, Unauthorized)
    known = (*ACCESS, problems.CommenterNotFound)
    me, other = "/users/me", "/users/{id}"

    async def myself(call: Call) -> Myself:
        viewer = viewer_of(call)
        record = await threads.commenters.get(signed_in(viewer))
        own = {"provider": record.provider.partition(":")[0], "role": viewer.role}
        return msgspec.convert({**msgspec.structs.asdict(record), **own}, Myself)

    @reads.get(me, errors=(*signed, problems.CommenterNotFound))
    async def read_myself(call: Call, asked: OfSite) -> Myself:
        """Read the caller's profile on this site."""
        return await myself(call)

    @writes.put(me, errors=(*signed, problems.BadCommenter, problems.NotYourName))
    async def set_own_name(call: Call, given: MyName) -> Myself:
        """Set the caller's name or picture for comments."""
        await threads.commenters.set_own_name(
            signed_in(viewer_of(call)), name=given.name, avatar_url=given.avatar_url
        )
        return await myself(call)

    @reads.get("/notifications", errors=(*signed, BadCursor))
    async def read_notifications(call: Call, asked: Listing) -> NotificationPage:
        """The notifications of the user on this site, the newest first, and the number of unread ones."""
        return await threads.notifications.list(viewer_of(call), asked.cursor, asked.limit)

    @writes.post("/notifications/read", errors=(*signed, problems.BadNotification), example={"all": True})
    async def mark_notifications_read(call: Call, given: MarkReadInput) -> ReadDone:
        """Mark some notifications as read, by their ids, or all of this site."""
        return ReadDone(changed=await threads.notifications.read(viewer_of(call), given.ids, all=given.all))

    @reads.get(other, errors=known)
    async def read_commenter(call: Call, asked: OfCommenter) -> Commenter:
        """Read the profile of a commenter."""
        return await threads.profiles.get(viewer_of(call), asked.id)

    @reads.get(f"{other}/comments", errors=(*known, BadCursor))
    async def comments_of_user(call: Call, asked: CommentsOfUser) -> Page[RecentComment]:
        """List the newest comments of a user on this site."""
        return await threads.profiles.comments(viewer_of(call), asked.id, asked.cursor, asked.limit)

    @writes.post(
        f"{other}/block",
        errors=(*known, Unauthorized, problems.TooManyBlocks, problems.CannotBlockYourself),
    )
    async def block_commenter(call: Call, given: Blocking) -> Blocked:
        """Block a user: hide the user's comments from the caller."""
        changed = await threads.profiles.block(viewer_of(call), given.id)
        return Blocked(id=given.id, blocked=True, changed=changed)

    @writes.delete(f"{other}/block", errors=(*known, Unauthorized))
    async def unblock_commenter(call: Call, given: Blocking) -> Blocked:
        """Unblock a user."""
        changed = await threads.profiles.unblock(viewer_of(call), given.id)
        return Blocked(id=given.id, blocked=False, changed=changed)

    return [*reads.endpoints, *writes.endpoints]
