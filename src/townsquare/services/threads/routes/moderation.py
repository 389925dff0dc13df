"""Moderation over HTTP: of the site of the key, for who is its moderator at this moment."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page, PageSize
from townsquare.problems import BadCursor
from townsquare.routes import Routes
from townsquare.services.accounts.problems import UserNotFound
from townsquare.services.threads import problems
from townsquare.services.threads.models.moderation import (
    BanDays,
    BannedUser,
    BanOutcome,
    LogEntry,
    QueuedComment,
    ReportedComment,
)
from townsquare.services.threads.routes.access import SiteAccess, viewer_of
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


class BanWanted(msgspec.Struct, kw_only=True):
    user_id: UserId
    until: Annotated[str | None, Meta(description="ISO 8601; without it and days: for good")] = None
    days: BanDays | None = None
    remove_comments: bool = False


class Decided(msgspec.Struct, kw_only=True):
    id: str
    status: str
    changed: bool


class Dismissed(msgspec.Struct, kw_only=True):
    changed: bool


class BanList(msgspec.Struct, kw_only=True):
    items: list[BannedUser]


def moderation_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    prefix = "/threads/v1/moderation"
    reads = Routes(prefix, tag="threads", auth=access.reading, open_to_any_origin=True)
    writes = Routes(prefix, tag="threads", auth=access.writing, open_to_any_origin=True)
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
    async def read_queue(call: Call, asked: Listing) -> Page[QueuedComment]:
        """Comments that wait for a moderator, those that wait longest first."""
        return await moderation.queue(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/reports", errors=listed)
    async def read_reports(call: Call, asked: Listing) -> Page[ReportedComment]:
        """Reports that nobody has seen to, the newest first."""
        return await moderation.reports(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/log", errors=listed)
    async def read_log(call: Call, asked: Listing) -> Page[LogEntry]:
        """What moderators did, the newest first."""
        return await moderation.log(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/bans", errors=refused)
    async def read_bans(call: Call, asked: OfSite) -> BanList:
        """Who is banned from the site, in the open or in the shadow."""
        return BanList(items=await moderation.bans(viewer_of(call)))

    @writes.post("/approve/{id}", errors=(*refused, problems.CommentNotFound))
    async def approve_comment(call: Call, given: OneComment) -> Decided:
        """Everybody sees it; its reports are seen to."""
        changed = await moderation.approve(viewer_of(call), given.id)
        return Decided(id=given.id, status="approved", changed=changed)

    @writes.post("/reject/{id}", errors=(*refused, problems.CommentNotFound))
    async def reject_comment(call: Call, given: OneComment) -> Decided:
        """Nobody but its author and moderators sees it."""
        changed = await moderation.reject(viewer_of(call), given.id)
        return Decided(id=given.id, status="rejected", changed=changed)

    @writes.post(
        "/dismiss/{comment_id}/{reporter_id}",
        errors=(*refused, problems.CommentNotFound, problems.CommenterNotFound),
    )
    async def dismiss_report(call: Call, given: OneReport) -> Dismissed:
        """A report is seen to, and the comment stays as it is."""
        return Dismissed(
            changed=await moderation.dismiss(viewer_of(call), given.comment_id, given.reporter_id)
        )

    @writes.post("/ban/{user_id}", errors=(*banning, problems.BadBanEnd))
    async def ban_user(call: Call, given: BanWanted) -> BanOutcome:
        """The user cannot write on this site, for a while or for good; their comments may be removed."""
        return await moderation.ban(
            viewer_of(call),
            given.user_id,
            until=given.until,
            days=given.days,
            remove_comments=given.remove_comments,
        )

    @writes.post("/unban/{user_id}", errors=banning)
    async def unban_user(call: Call, given: OneCommenter) -> BanOutcome:
        """The user may write again."""
        return await moderation.unban(viewer_of(call), given.user_id)

    @writes.post("/shadowban/{user_id}", errors=banning)
    async def shadowban_user(call: Call, given: OneCommenter) -> BanOutcome:
        """Nobody but the user sees their comments on this site."""
        return await moderation.shadowban(viewer_of(call), given.user_id)

    @writes.post("/unshadowban/{user_id}", errors=banning)
    async def unshadowban_user(call: Call, given: OneCommenter) -> BanOutcome:
        """Everybody sees the user's comments again."""
        return await moderation.unshadowban(viewer_of(call), given.user_id)

    return [*reads.endpoints, *writes.endpoints]
