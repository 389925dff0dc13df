"""RSS feeds of a page, of a site, and by a secret URL of the replies to a user."""

from typing import Annotated

import msgspec

from townsquare.api import AnyEndpoint, Call, Content, Nothing
from townsquare.kit.files import tagged
from townsquare.problems import Unauthorized
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfPage
from townsquare.services.threads.service import Threads

RSS = "application/rss+xml"
RSS_UTF8 = f"{RSS}; charset=utf-8"
CACHE = "public, max-age=300"
PRIVATE = "private, max-age=300"


class FeedToken(msgspec.Struct, kw_only=True):
    token: str


class FeedAddress(msgspec.Struct, kw_only=True):
    url: str


def rss_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    of_site = Routes("/threads/v1", tag="threads", auth=access.reading, open_to_any_origin=True)
    of_user = Routes("/threads/v1/feed", tag="threads")

    @of_site.get("/feed.xml", errors=(*ACCESS, problems.BadPage))
    async def read_feed(call: Call, asked: OfPage) -> Annotated[Content, RSS]:
        """The newest comments of a page, or of the site if no page is given."""
        site = site_of(call)
        if asked.page_url or asked.page_key:
            page = await threads.pages.find(site, asked.page_url, asked.page_key)
            feed = await threads.rss.of_page(site, page)
        else:
            feed = await threads.rss.of_site(site)
        return tagged(call, feed.encode(), RSS_UTF8, CACHE)

    @of_user.get("/replies.xml", errors=(problems.CommenterNotFound, problems.SiteNotFound))
    async def read_replies_feed(call: Call, asked: FeedToken) -> Annotated[Content, RSS]:
        """Replies to a user and mentions, by the secret URL."""
        return tagged(call, (await threads.rss.of_replies(asked.token)).encode(), RSS_UTF8, PRIVATE)

    @of_user.post("/token", auth=access.writing, open_to_any_origin=True, errors=(*ACCESS, Unauthorized))
    async def new_feed_address(call: Call, given: Nothing) -> FeedAddress:
        """Create a secret URL for the feed of replies to the caller. The previous one becomes invalid."""
        token = await threads.rss.new_token(viewer_of(call))
        return FeedAddress(url=f"{call.base_url}/threads/v1/feed/replies.xml?token={token}")

    return [*of_site.endpoints, *of_user.endpoints]
