"""Feeds."""

from townsquare.api import AnyEndpoint, Call
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.services.social.models import Item
from townsquare.services.social.problems import BadHashtag, ProfileNotFound
from townsquare.services.social.routes.common import Paged, acting, read, read_own, viewer
from townsquare.services.social.service import Social

HASHTAG = "/social/feed/hashtag/{tag}"


class TagPaged(Paged, kw_only=True):
    tag: str


def feed_endpoints(social: Social) -> list[AnyEndpoint]:
    async def explore(call: Call, given: Paged) -> Page[Item]:
        """All posts, the newest first."""
        return await social.explore_feed(viewer(call), given.cursor, given.limit)

    async def following(call: Call, given: Paged) -> Page[Item]:
        """Posts of whom one follows, the newest first."""
        return await social.home_feed(acting(call), given.cursor, given.limit)

    async def hashtag(call: Call, given: TagPaged) -> Page[Item]:
        """Posts with a hashtag, the newest first."""
        return await social.hashtag_feed(given.tag, viewer(call), given.cursor, given.limit)

    async def ranked(call: Call, given: TagPaged) -> Page[Item]:
        """Posts of two weeks with a hashtag, by engagement over age."""
        return await social.ranked_feed(given.tag, viewer(call), given.cursor, given.limit)

    tagged = (BadHashtag, BadCursor)
    return [
        read(path="/social/feed/explore", run=explore, input=Paged, output=Page[Item], errors=(BadCursor,)),
        read_own(
            path="/social/feed/following",
            run=following,
            input=Paged,
            output=Page[Item],
            errors=(Unauthorized, Forbidden, ProfileNotFound, BadCursor),
        ),
        read(path=HASHTAG, run=hashtag, input=TagPaged, output=Page[Item], errors=tagged),
        read(path=f"{HASHTAG}/ranked", run=ranked, input=TagPaged, output=Page[Item], errors=tagged),
    ]
