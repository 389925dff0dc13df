"""Bans and reports."""

from typing import Annotated

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, Routes
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.services.social.models import Change, ReportedPost
from townsquare.services.social.problems import BadReport, PostBanned, PostNotFound
from townsquare.services.social.routes.common import OfPost, Paged, PostId, acting, viewer
from townsquare.services.social.service import Social

BAN, REPORT, REPORTS = "/social/posts/{id}/ban", "/social/posts/{id}/report", "/social/reports"


class NewReport(msgspec.Struct):
    id: PostId
    reason: Annotated[str, msgspec.Meta(description="for the moderators, at most 500 characters")]


def moderation_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.ADMIN)
    allowed = (Unauthorized, Forbidden)
    banning = (*allowed, PostNotFound)

    @routes.post(BAN, errors=banning)
    async def ban_post(call: Call, given: OfPost) -> Change:
        """Take a post out of every feed and count (moderators)."""
        return await social.ban_post(given.id, viewer(call))

    @routes.delete(BAN, errors=(*allowed, PostNotFound))
    async def unban_post(call: Call, given: OfPost) -> Change:
        """Bring a banned post back, whole (moderators)."""
        return await social.unban_post(given.id)

    @routes.post(REPORT, auth=Auth.USER, errors=(*allowed, PostNotFound, PostBanned, BadReport))
    async def report_post(call: Call, given: NewReport) -> Change:
        """Tell the moderators about a post."""
        return await social.report_post(given.id, acting(call), given.reason)

    @routes.get(REPORTS, errors=(*allowed, BadCursor))
    async def list_reported_posts(call: Call, given: Paged) -> Page[ReportedPost]:
        """Reported posts, the most reported first (moderators)."""
        return await social.reported_posts(given.cursor, given.limit)

    return routes.endpoints
