"""`/threads/v1/site/pages`: list, close, move and merge the pages of a site."""

import msgspec

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.pages import Merged, Moved, SitePage
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, PageKey, PageUrl
from townsquare.services.threads.routes.mail import PageNamed
from townsquare.services.threads.routes.moderation import Listing
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import page_address


class PageClosed(msgspec.Struct, kw_only=True):
    closed: bool
    changed: bool


class PageMove(msgspec.Struct, kw_only=True):
    page_url: PageUrl = None
    page_key: PageKey = None
    to_url: PageUrl = None
    to_key: PageKey = None


class PrefixMove(msgspec.Struct, kw_only=True):
    old_prefix: str
    new_prefix: str


def site_page_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    reads = Routes("/threads/v1/site/pages", tag="threads", auth=access.reading, open_to_any_origin=True)
    writes = Routes("/threads/v1/site/pages", tag="threads", auth=access.writing, open_to_any_origin=True)
    moderated = (*ACCESS, problems.ModeratorsOnly)
    found = (problems.BadPage, problems.PageNotFound)

    @reads.get("", errors=(*moderated, BadCursor))
    async def list_pages(call: Call, asked: Listing) -> Page[SitePage]:
        """List the pages with comments, newest first."""
        return await threads.pages.list(viewer_of(call), asked.cursor, asked.limit)

    async def set_closed(call: Call, given: PageNamed, closed: bool) -> PageClosed:
        page = await threads.pages.find(site_of(call), given.page_url, given.page_key)
        changed = await threads.pages.set_closed(viewer_of(call), page, closed)
        return PageClosed(closed=closed, changed=changed)

    @writes.post("/close", errors=(*moderated, *found), example={"page_url": "/hello"})
    async def close_page(call: Call, given: PageNamed) -> PageClosed:
        """Close a page for comments."""
        return await set_closed(call, given, True)

    @writes.post("/open", errors=(*moderated, *found), example={"page_url": "/hello"})
    async def open_page(call: Call, given: PageNamed) -> PageClosed:
        """Open a closed page for comments."""
        return await set_closed(call, given, False)

    @writes.post(
        "/move",
        errors=(*ACCESS, *found, problems.AdminsOnly, problems.PageTaken),
        example={"page_url": "/hello", "to_url": "/hello-again"},
    )
    async def move_page(call: Call, given: PageMove) -> Moved:
        """Change the URL of a page. The old URL still works."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url, given.page_key)
        to = page_address(site, given.to_url, given.to_key)
        return await threads.pages.move(viewer_of(call), page, to)

    @writes.post(
        "/merge",
        errors=(*ACCESS, *found, problems.AdminsOnly, problems.PageMerging),
        example={"page_url": "/hello", "to_url": "/hello-again"},
    )
    async def merge_page(call: Call, given: PageMove) -> Merged:
        """Move all comments of a page to another one. Both URLs lead there."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url, given.page_key)
        into = await threads.pages.find(site, given.to_url, given.to_key)
        return await threads.merging.merge(viewer_of(call), page, into)

    @writes.post(
        "/move_all",
        errors=(*ACCESS, *found, problems.AdminsOnly, problems.SiteNotFound),
        example={"old_prefix": "/blog/", "new_prefix": "/articles/"},
    )
    async def move_pages(call: Call, given: PrefixMove) -> Moved:
        """Replace a prefix of the URLs of all pages."""
        return await threads.pages.move_all(
            viewer_of(call), site_of(call), given.old_prefix, given.new_prefix
        )

    return [*reads.endpoints, *writes.endpoints]
