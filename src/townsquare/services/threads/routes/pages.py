"""Pages of a site: counts, newest comments, views and feeds; list, close, move, merge and follow them."""

from typing import Annotated

import msgspec
from msgspec import Meta

from townsquare.api import AnyEndpoint, Call, Content, Nothing
from townsquare.kit.files import tagged
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.comments import Direction, RecentComment
from townsquare.services.threads.models.live import MonthUsage, PageviewCounted, Pageviews
from townsquare.services.threads.models.sites import PageJob, SitePage
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.routes.access import SiteAccess, site_of, site_routes, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, MOST_PAGES, OfPage, OfSite, PageKey, PageUrl
from townsquare.services.threads.routes.moderation import Listing
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.sites import require_admin, require_moderator
from townsquare.services.threads.service.usage import Days

RSS = "application/rss+xml"
RSS_UTF8 = f"{RSS}; charset=utf-8"
HELLO = {"page_url": "/hello"}

ManyPages = Annotated[tuple[str, ...], Meta(max_length=MOST_PAGES)]


class CountsQuery(OfSite, kw_only=True):
    urls: ManyPages = ()
    page_keys: ManyPages = ()


class PageCounts(msgspec.Struct, kw_only=True):
    counts: Annotated[dict[str, int], Meta(description="by the address or key that was asked")]


class MyVotes(msgspec.Struct, kw_only=True):
    votes: Annotated[dict[str, Direction], Meta(description="by comment")]


class PageNamed(msgspec.Struct, kw_only=True):
    page_url: PageUrl = None
    page_key: PageKey = None


class PageviewsQuery(OfPage, kw_only=True):
    days: Days = 30


class SiteUsage(msgspec.Struct, kw_only=True):
    months: list[MonthUsage]  # newest first


class FeedToken(msgspec.Struct, kw_only=True):
    token: str


class FeedAddress(msgspec.Struct, kw_only=True):
    url: str


class PageFollowed(msgspec.Struct, kw_only=True):
    page_id: str
    following: bool
    changed: bool


class PageClosed(msgspec.Struct, kw_only=True):
    closed: bool
    changed: bool


class PageMove(PageNamed, kw_only=True):
    to_url: PageUrl = None
    to_key: PageKey = None


class PrefixMove(msgspec.Struct, kw_only=True):
    old_prefix: str
    new_prefix: str


def page_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    """For readers: counts, newest comments, votes, views, feeds, and following a page by mail."""
    reads, writes = site_routes(access, "/threads/v1")
    replies_feed = Routes("/threads/v1/feed", tag="threads")
    found = (*ACCESS, problems.BadPage)
    followed = (*found, Unauthorized, problems.CommenterNotFound)

    @reads.get("/counts", errors=found)
    async def count_comments(call: Call, asked: CountsQuery) -> PageCounts:
        """Count the comments of many pages in one call."""
        counts = await threads.lists.counts(viewer_of(call), site_of(call), asked.urls, asked.page_keys)
        return PageCounts(counts=counts)

    @reads.get("/recent", errors=(*ACCESS, BadCursor))
    async def recent_comments(call: Call, asked: Listing) -> Page[RecentComment]:
        """List the newest comments of the site."""
        return await threads.lists.recent(viewer_of(call), asked.cursor, asked.limit)

    @reads.get("/pages/my_votes", errors=(*found, Unauthorized))
    async def my_votes(call: Call, asked: OfPage) -> MyVotes:
        """List the caller's votes on the comments of a page."""
        page = await threads.pages.find(site_of(call), asked.page_url, asked.page_key)
        return MyVotes(votes=await threads.lists.my_votes(viewer_of(call), page.id))

    @writes.post("/pageviews", errors=found, example=HELLO)
    async def count_pageview(call: Call, given: PageNamed) -> PageviewCounted:
        """Count a view of a page, once per visitor in half an hour."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url, given.page_key)
        return await threads.pageviews.count(site, page, ip=call.ip, user_agent=call.user_agent)

    @reads.get("/pageviews", errors=(*found, problems.ModeratorsOnly))
    async def read_pageviews(call: Call, asked: PageviewsQuery) -> Pageviews:
        """Views of a page, in total and per day; public if the site shows them."""
        site = site_of(call)
        if not site.settings.display.pageviews:
            require_moderator(viewer_of(call))
        page = await threads.pages.find(site, asked.page_url, asked.page_key)
        return await threads.pageviews.read(page, asked.days)

    @reads.get("/feed.xml", errors=found)
    async def read_feed(call: Call, asked: OfPage) -> Annotated[Content, RSS]:
        """The newest comments of a page, or of the site if no page is given."""
        site = site_of(call)
        if asked.page_url or asked.page_key:
            page = await threads.pages.find(site, asked.page_url, asked.page_key)
            feed = await threads.rss.of_page(site, page)
        else:
            feed = await threads.rss.of_site(site)
        return tagged(call, feed.encode(), RSS_UTF8, "public, max-age=300")

    @replies_feed.get("/replies.xml", errors=(problems.CommenterNotFound, problems.SiteNotFound))
    async def read_replies_feed(call: Call, asked: FeedToken) -> Annotated[Content, RSS]:
        """Replies to a user and mentions, by the secret URL."""
        feed = await threads.rss.of_replies(asked.token)
        return tagged(call, feed.encode(), RSS_UTF8, "private, max-age=300")

    @writes.post("/feed/token", errors=(*ACCESS, Unauthorized))
    async def new_feed_address(call: Call, given: Nothing) -> FeedAddress:
        """Create a secret URL for the feed of replies to the caller. The previous one becomes invalid."""
        token = await threads.rss.new_token(viewer_of(call))
        return FeedAddress(url=f"{call.base_url}/threads/v1/feed/replies.xml?token={token}")

    @writes.post(
        "/pages/follow",
        errors=(*followed, problems.PageNotFound, problems.OtherSite, problems.TooManyFollows),
        example=HELLO,
    )
    async def follow_page(call: Call, given: PageNamed) -> PageFollowed:
        """Follow a page: get mail about new comments."""
        page = await threads.pages.find(site_of(call), given.page_url, given.page_key)
        changed = await threads.mailing.follow(viewer_of(call), page.id)
        return PageFollowed(page_id=page.id, following=True, changed=changed)

    @writes.delete("/pages/follow", errors=followed, example=HELLO)
    async def unfollow_page(call: Call, given: PageNamed) -> PageFollowed:
        """Unfollow a page."""
        page = await threads.pages.find(site_of(call), given.page_url, given.page_key)
        changed = await threads.mailing.unfollow(viewer_of(call), page.id)
        return PageFollowed(page_id=page.id, following=False, changed=changed)

    return [*reads.endpoints, *writes.endpoints, *replies_feed.endpoints]


def site_page_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    """For moderators and administrators: `/threads/v1/site/pages`, and the usage of the site."""
    reads, writes = site_routes(access, "/threads/v1/site")
    moderated = (*ACCESS, problems.ModeratorsOnly)
    found = (problems.BadPage, problems.PageNotFound)
    administered = (*ACCESS, *found, problems.AdminsOnly)
    moved = {**HELLO, "to_url": "/hello-again"}

    @reads.get("/usage", errors=(*ACCESS, problems.AdminsOnly))
    async def read_usage(call: Call, asked: OfSite) -> SiteUsage:
        """Usage of the site in the last months, for its administrators."""
        require_admin(viewer_of(call))
        return SiteUsage(months=await threads.usage.read(site_of(call).site_id))

    @reads.get("/pages", errors=(*moderated, BadCursor))
    async def list_pages(call: Call, asked: Listing) -> Page[SitePage]:
        """List the pages with comments, newest first."""
        return await threads.pages.list(viewer_of(call), asked.cursor, asked.limit)

    async def set_closed(call: Call, given: PageNamed, closed: bool) -> PageClosed:
        page = await threads.pages.find(site_of(call), given.page_url, given.page_key)
        changed = await threads.pages.set_closed(viewer_of(call), page, closed)
        return PageClosed(closed=closed, changed=changed)

    @writes.post("/pages/close", errors=(*moderated, *found), example=HELLO)
    async def close_page(call: Call, given: PageNamed) -> PageClosed:
        """Close a page for comments."""
        return await set_closed(call, given, True)

    @writes.post("/pages/open", errors=(*moderated, *found), example=HELLO)
    async def open_page(call: Call, given: PageNamed) -> PageClosed:
        """Open a closed page for comments."""
        return await set_closed(call, given, False)

    @writes.post("/pages/move", errors=(*administered, problems.PageTaken), example=moved)
    async def move_page(call: Call, given: PageMove) -> PageJob:
        """Change the URL of a page. The old URL still works."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url, given.page_key)
        to = page_address(site, given.to_url, given.to_key)
        return await threads.pages.move(viewer_of(call), page, to)

    @writes.post("/pages/merge", errors=(*administered, problems.PageMerging), example=moved)
    async def merge_page(call: Call, given: PageMove) -> PageJob:
        """Move all comments of a page to another one. Both URLs lead there."""
        site = site_of(call)
        page = await threads.pages.find(site, given.page_url, given.page_key)
        into = await threads.pages.find(site, given.to_url, given.to_key)
        return await threads.merging.merge(viewer_of(call), page, into)

    @writes.post(
        "/pages/move_all",
        errors=(*administered, problems.SiteNotFound),
        example={"old_prefix": "/blog/", "new_prefix": "/articles/"},
    )
    async def move_pages(call: Call, given: PrefixMove) -> PageJob:
        """Replace a prefix of the URLs of all pages."""
        viewer, site = viewer_of(call), site_of(call)
        return await threads.pages.move_all(viewer, site, given.old_prefix, given.new_prefix)

    return [*reads.endpoints, *writes.endpoints]
