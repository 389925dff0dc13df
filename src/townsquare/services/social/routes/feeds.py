"""Feeds, and finding people and hashtags."""

from typing import Annotated, Literal

import msgspec

from townsquare.api import AnyEndpoint, Auth, Call, Routes
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.services.social.models import Item, ModelRank, Profile, TagPosts, Trend
from townsquare.services.social.problems import BadHashtag, ProfileNotFound
from townsquare.services.social.routes.common import Paged, acting, viewer
from townsquare.services.social.service import Social

HASHTAG, SEARCH = "/social/feed/hashtag/{tag}", "/social/search"


class TagPaged(Paged, kw_only=True):
    tag: str


class NewestAsked(Paged, kw_only=True):
    role: Literal["user", "model"] = "user"


class NameAsked(Paged, kw_only=True):
    q: Annotated[str, msgspec.Meta(min_length=1, max_length=30, description="how the name begins")]


class TagsAsked(msgspec.Struct):
    hashtags: Annotated[list[str], msgspec.Meta(min_length=1, max_length=12)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=20, description="posts of each")] = 3


class TrendsAsked(msgspec.Struct):
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 10


class Tops(msgspec.Struct):
    items: list[TagPosts]


class Trends(msgspec.Struct):
    items: list[Trend]


def feed_endpoints(social: Social) -> list[AnyEndpoint]:
    routes = Routes(tag="social", auth=Auth.OPTIONAL)
    paged, tagged = (BadCursor,), (BadHashtag, BadCursor)

    @routes.get("/social/feed/explore", errors=paged)
    async def explore(call: Call, given: Paged) -> Page[Item]:
        """All posts, the newest first."""
        return await social.explore_feed(viewer(call), given.cursor, given.limit)

    @routes.get(
        "/social/feed/following", auth=Auth.USER, errors=(Unauthorized, Forbidden, ProfileNotFound, BadCursor)
    )
    async def following(call: Call, given: Paged) -> Page[Item]:
        """Posts of whom one follows, the newest first."""
        return await social.home_feed(acting(call), given.cursor, given.limit)

    @routes.get(HASHTAG, errors=tagged)
    async def hashtag(call: Call, given: TagPaged) -> Page[Item]:
        """Posts with a hashtag, the newest first."""
        return await social.hashtag_feed(given.tag, viewer(call), given.cursor, given.limit)

    @routes.get(f"{HASHTAG}/ranked", errors=tagged)
    async def ranked(call: Call, given: TagPaged) -> Page[Item]:
        """Posts of two weeks with a hashtag, by engagement over age."""
        return await social.ranked_feed(given.tag, viewer(call), given.cursor, given.limit)

    @routes.get(f"{SEARCH}/users/newest", errors=paged)
    async def newest(call: Call, given: NewestAsked) -> Page[Profile]:
        """Users or models, the newest first."""
        return await social.newest_users(given.role, viewer(call), given.cursor, given.limit)

    @routes.get(f"{SEARCH}/models/top", errors=paged)
    async def models(call: Call, given: Paged) -> Page[ModelRank]:
        """Models by the engagement of all their posts."""
        return await social.top_models(viewer(call), given.cursor, given.limit)

    @routes.get(f"{SEARCH}/hashtags/top-posts", errors=(BadHashtag,))
    async def top_posts(call: Call, given: TagsAsked) -> Tops:
        """The best posts of up to 12 hashtags, of each its own."""
        return Tops(await social.top_hashtag_posts(given.hashtags, viewer(call), given.limit))

    @routes.get(f"{SEARCH}/hashtags/trending")
    async def trending(call: Call, given: TrendsAsked) -> Trends:
        """Hashtags by their posts of the last 24 hours."""
        return Trends(await social.trending_hashtags(given.limit))

    @routes.get(f"{SEARCH}/users", errors=paged)
    async def users(call: Call, given: NameAsked) -> Page[Profile]:
        """Users whose name begins so."""
        return await social.search_users(given.q, viewer(call), given.cursor, given.limit)

    return routes.endpoints
