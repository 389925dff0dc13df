"""Counts of pages, the newest comments of the site, and the caller's votes."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.comments import Direction, RecentComment
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, MOST_PAGES, OfPage, OfSite
from townsquare.services.threads.routes.moderation import Listing
from townsquare.services.threads.service import Threads

ManyPages = Annotated[tuple[str, ...], Meta(max_length=MOST_PAGES)]


class CountsQuery(OfSite, kw_only=True):
    urls: ManyPages = ()
    page_keys: ManyPages = ()


class PageCounts(msgspec.Struct, kw_only=True):
    counts: Annotated[dict[str, int], Meta(description="by the address or key that was asked")]


class MyVotes(msgspec.Struct, kw_only=True):
    votes: Annotated[dict[str, Direction], Meta(description="by comment")]


def page_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads = Routes("/threads/v1", tag="threads", auth=access.reading, open_to_any_origin=True)

    @reads.get("/counts", errors=(*ACCESS, problems.BadPage))
    async def count_comments(call: Call, asked: CountsQuery) -> PageCounts:
        """Count the comments of many pages in one call."""
        site = site_of(call)
        counts = await threads.lists.counts(viewer_of(call), site, asked.urls, asked.page_keys)
        return PageCounts(counts=counts)

    @reads.get("/recent", errors=(*ACCESS, BadCursor))
    async def recent_comments(call: Call, asked: Listing) -> Page[RecentComment]:
        """List the newest comments of the site."""
        return await threads.lists.recent(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/pages/my_votes", errors=(*ACCESS, Unauthorized, problems.BadPage))
    async def my_votes(call: Call, asked: OfPage) -> MyVotes:
        """List the caller's votes on the comments of a page."""
        page = await threads.pages.find(site_of(call), asked.page_url, asked.page_key)
        return MyVotes(votes=await threads.lists.my_votes(viewer_of(call), page.id))

    return reads.endpoints
