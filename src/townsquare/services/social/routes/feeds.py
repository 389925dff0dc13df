"""Feeds."""

from townsquare.api import AnyEndpoint, Auth, Call, Routes
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.services.social.models import Item
from townsquare.services.social.problems import BadHashtag, ProfileNotFound
from townsquare.services.social.routes.common import Paged, acting, viewer
from townsquare.services.social.service import Social

HASHTAG = "/social/feed/hashtag/{tag}"


class TagPaged(Paged, kw_only=True):
    tag: str


def feed_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.OPTIONAL)
    tagged = (BadHashtag, BadCursor)

    @routes.get("/social/feed/explore", errors=(BadCursor,))
    async def explore_feed(call: Call, given: Paged) -> Page[Item]:
        """All posts, the newest first."""
        return await social.explore_feed(viewer(call), given.cursor, given.limit)

    @routes.get(
        "/social/feed/following", auth=Auth.USER, errors=(Unauthorized, Forbidden, ProfileNotFound, BadCursor)
    )
    async def following_feed(call: Call, given: Paged) -> Page[Item]:
        """Posts of whom one follows, the newest first."""
        return await social.home_feed(acting(call), given.cursor, given.limit)

    @routes.get(HASHTAG, errors=tagged)
    async def hashtag_feed(call: Call, given: TagPaged) -> Page[Item]:
        """Posts with a hashtag, the newest first."""
        return await social.hashtag_feed(given.tag, viewer(call), given.cursor, given.limit)

    @routes.get(f"{HASHTAG}/ranked", errors=tagged)
    async def ranked_hashtag_feed(call: Call, given: TagPaged) -> Page[Item]:
        """Posts of two weeks with a hashtag, by engagement over age."""
        return await social.ranked_feed(given.tag, viewer(call), given.cursor, given.limit)

    return routes.endpoints
