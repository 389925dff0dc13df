"""Views of pages, and the usage of a site."""

import msgspec

from townsquare.api import AnyEndpoint, Call
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.live import MonthUsage, PageviewCounted, Pageviews
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfPage, OfSite, PageKey, PageUrl
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.pageviews import Days
from townsquare.services.threads.service.sites import require_admin, require_moderator


class PageOpened(msgspec.Struct, kw_only=True):
    page_url: PageUrl = None
    page_key: PageKey = None


class PageviewsQuery(OfPage, kw_only=True):
    days: Days = 30


class SiteUsage(msgspec.Struct, kw_only=True):
    months: list[MonthUsage]  # newest first


def pageview_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads = Routes("/threads/v1", tag="threads", auth=access.reading, open_to_any_origin=True)
    writes = Routes("/threads/v1", tag="threads", auth=access.writing, open_to_any_origin=True)

    @writes.post("/pageviews", errors=(*ACCESS, problems.BadPage), example={"page_url": "/hello"})
    async def count_pageview(call: Call, given: PageOpened) -> PageviewCounted:
        """Count a view of a page, once per visitor in half an hour."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url, given.page_key)
        return await threads.pageviews.count(site, page, ip=call.ip, user_agent=call.user_agent)

    @reads.get("/pageviews", errors=(*ACCESS, problems.BadPage, problems.ModeratorsOnly))
    async def read_pageviews(call: Call, asked: PageviewsQuery) -> Pageviews:
        """Views of a page, in total and per day; public if the site shows them."""
        site = site_of(call)
        if not site.settings.display.pageviews:
            require_moderator(viewer_of(call))
        return await threads.pageviews.read(
            await threads.pages.find(site, asked.page_url, asked.page_key), asked.days
        )

    @reads.get("/site/usage", errors=(*ACCESS, problems.AdminsOnly))
    async def read_usage(call: Call, asked: OfSite) -> SiteUsage:
        """Usage of the site in the last months, for its administrators."""
        require_admin(viewer_of(call))
        return SiteUsage(months=await threads.usage.read(site_of(call).site_id))

    return [*reads.endpoints, *writes.endpoints]
