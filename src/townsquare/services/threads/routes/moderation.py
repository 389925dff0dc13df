"""`/threads/v1/moderation`: for moderators of the site of the key."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page, PageSize
from townsquare.problems import BadCursor
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.threads import problems
from townsquare.services.threads.models import moderation as models
from townsquare.services.threads.routes.access import SiteAccess, site_routes, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, CommentId, OfSite
from townsquare.services.threads.service import Threads

UserId = Annotated[str, Meta(examples=["usr_0123456789abcdef0123456789abc1c7"])]


class Listing(OfSite, kw_only=True):
    limit: PageSize = 20
    cursor: str | None = None


class OneComment(msgspec.Struct, kw_only=True):
    id: CommentId


class OneReport(msgspec.Struct, kw_only=True):
    comment_id: CommentId
    reporter_id: UserId


class OneCommenter(msgspec.Struct, kw_only=True):
    user_id: UserId


class BanInput(msgspec.Struct, kw_only=True):
    user_id: UserId
    until: Annotated[
        str | None, Meta(description="ISO 8601; without `until` and `days` the ban is permanent")
    ] = None
    days: models.BanDays | None = None
    remove_comments: bool = False


class Decided(msgspec.Struct, kw_only=True):
    id: str
    status: str
    changed: bool


class Dismissed(msgspec.Struct, kw_only=True):
    changed: bool


class BanList(msgspec.Struct, kw_only=True):
    items: list[models.BannedUser]


def moderation_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads, writes = site_routes(access, "/threads/v1/moderation")
    refused = (*ACCESS, problems.ModeratorsOnly)
    listed = (*refused, BadCursor)
    banning = (
        *refused,
        UserNotFound,
        problems.CommenterNotFound,
        problems.SiteNotFound,
        problems.CannotBanModerator,
    )
    moderation = threads.moderation

    @reads.get("/queue", errors=listed)
    async def read_queue(call: Call, asked: Listing) -> Page[models.QueuedComment]:
        """List held comments, oldest first."""
        return await moderation.queue(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/reports", errors=listed)
    async def read_reports(call: Call, asked: Listing) -> Page[models.ReportedComment]:
        """List open reports, newest first."""
        return await moderation.reports(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/log", errors=listed)
    async def read_log(call: Call, asked: Listing) -> Page[models.LogEntry]:
        """List actions of moderators, newest first."""
        return await moderation.log(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/bans", errors=refused)
    async def read_bans(call: Call, asked: OfSite) -> BanList:
        """List bans and shadow bans of the site."""
        return BanList(items=await moderation.bans(viewer_of(call)))

    @writes.post("/approve/{id}", errors=(*refused, problems.CommentNotFound))
    async def approve_comment(call: Call, given: OneComment) -> Decided:
        """Approve a comment, and close its reports."""
        changed = await moderation.approve(viewer_of(call), given.id)
        return Decided(id=given.id, status="approved", changed=changed)

    @writes.post("/reject/{id}", errors=(*refused, problems.CommentNotFound))
    async def reject_comment(call: Call, given: OneComment) -> Decided:
        """Reject a comment: only its author and moderators see it."""
        changed = await moderation.reject(viewer_of(call), given.id)
        return Decided(id=given.id, status="rejected", changed=changed)

    @writes.post(
        "/dismiss/{comment_id}/{reporter_id}",
        errors=(*refused, problems.CommentNotFound, problems.CommenterNotFound),
    )
    async def dismiss_report(call: Call, given: OneReport) -> Dismissed:
        """Close a report without changing the comment."""
        return Dismissed(
            changed=await moderation.dismiss(viewer_of(call), given.comment_id, given.reporter_id)
        )

    @writes.post("/ban/{user_id}", errors=(*banning, problems.BadBanEnd))
    async def ban_user(call: Call, given: BanInput) -> models.BanOutcome:
        """Ban a user from the site, for a time or permanently, and optionally remove the user's comments."""
        return await moderation.ban(
            viewer_of(call),
            given.user_id,
            until=given.until,
            days=given.days,
            remove_comments=given.remove_comments,
        )

    @writes.post("/unban/{user_id}", errors=banning)
    async def unban_user(call: Call, given: OneCommenter) -> models.BanOutcome:
        """End a ban."""
        return await moderation.unban(viewer_of(call), given.user_id)

    @writes.post("/shadowban/{user_id}", errors=banning)
    async def shadowban_user(call: Call, given: OneCommenter) -> models.BanOutcome:
        """Hide the comments of a user from everyone else."""
        return await moderation.shadowban(viewer_of(call), given.user_id)

    @writes.post("/unshadowban/{user_id}", errors=banning)
    async def unshadowban_user(call: Call, given: OneCommenter) -> models.BanOutcome:
        """End a shadow ban."""
        return await moderation.unshadowban(viewer_of(call), given.user_id)

    return [*reads.endpoints, *writes.endpoints]
