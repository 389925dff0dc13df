"""Feeds, and search for users and hashtags."""

from typing import Annotated, Literal

import msgspec
from msgspec import Raw

from townsquare.api import AnyEndpoint, Auth, Call
from townsquare.kit.field_aliases import field_aliases
from townsquare.kit.paging import Page
from townsquare.problems import BadCursor, Forbidden, Unauthorized
from townsquare.routes import Routes
from townsquare.services.social.models import Item, ModelRank, Profile, TagPosts, Trend
from townsquare.services.social.problems import BadHashtag, ProfileNotFound
from townsquare.services.social.routes.common import Paged, acting, viewer
from townsquare.services.social.service import Social
from townsquare.services.social.service.presentation import page_json
from townsquare.services.social.service.search import PostsOfTag, TrendCount


class TagPaged(Paged, kw_only=True):
    tag: str


class NewestUsersQuery(Paged, kw_only=True):
    role: Literal["user", "model"] = "user"


class UserSearchQuery(Paged, kw_only=True):
    q: Annotated[str, msgspec.Meta(min_length=1, max_length=30, description="the start of the name")]


class TopPostsQuery(msgspec.Struct):
    hashtags: Annotated[list[str], msgspec.Meta(min_length=1, max_length=12)]
    limit: Annotated[PostsOfTag, field_aliases("postsPerHashtag")] = 3


class TrendsQuery(msgspec.Struct):
    limit: TrendCount = 10


class Tops(msgspec.Struct):
    items: list[TagPosts]


class Trends(msgspec.Struct):
    items: list[Trend]


def feed_endpoints(social: Social) -> list[AnyEndpoint]:
    search = Routes("/social/search", tag="social", other_prefixes=("/search",), auth=Auth.OPTIONAL)
    feeds = Routes("/social/feed", tag="social", other_prefixes=("/feed",), auth=Auth.OPTIONAL)
    paged, tagged = (BadCursor,), (BadHashtag, BadCursor)

    @feeds.get("/explore", output=Page[Item], errors=paged)
    async def explore_feed(call: Call, given: Paged) -> Raw:
        """All posts, the newest first."""
        return page_json(await social.feeds_json.explore(viewer(call), given.cursor, given.limit))

    @feeds.get(
        "/following",
        output=Page[Item],
        auth=Auth.USER,
        errors=(Unauthorized, Forbidden, ProfileNotFound, BadCursor),
    )
    async def following_feed(call: Call, given: Paged) -> Raw:
        """Posts of the users that the caller follows, the newest first."""
        return page_json(await social.feeds_json.home(acting(call), given.cursor, given.limit))

    @feeds.get("/hashtag/{tag}", output=Page[Item], errors=tagged)
    async def hashtag_feed(call: Call, given: TagPaged) -> Raw:
        """Posts with a hashtag, the newest first."""
        return page_json(await social.feeds_json.hashtag(given.tag, viewer(call), given.cursor, given.limit))

    @feeds.get("/hashtag/{tag}/ranked", output=Page[Item], errors=tagged)
    async def ranked_hashtag_feed(call: Call, given: TagPaged) -> Raw:
        """Posts of the last two weeks with a hashtag, by engagement and age."""
        return page_json(await social.feeds_json.ranked(given.tag, viewer(call), given.cursor, given.limit))

    @search.get("/users/newest", errors=paged)
    async def newest_users(call: Call, given: NewestUsersQuery) -> Page[Profile]:
        """Users or models, the newest first."""
        return await social.search.newest_users(given.role, viewer(call), given.cursor, given.limit)

    @search.get("/models/top", errors=paged)
    async def top_models(call: Call, given: Paged) -> Page[ModelRank]:
        """Models by the engagement of all their posts."""
        return await social.search.top_models(viewer(call), given.cursor, given.limit)

    @search.get("/hashtags/top-posts", errors=(BadHashtag,))
    async def top_posts_of_hashtags(call: Call, given: TopPostsQuery) -> Tops:
        """The best posts of each of up to 12 hashtags."""
        return Tops(await social.search.top_posts(given.hashtags, viewer(call), given.limit))

    @search.get("/hashtags/trending")
    async def trending_hashtags(call: Call, given: TrendsQuery) -> Trends:
        """Hashtags by their posts of the last 24 hours."""
        return Trends(await social.search.trending(given.limit))

    @search.get("/users", errors=paged)
    async def search_users(call: Call, given: UserSearchQuery) -> Page[Profile]:
        """Users whose name starts with `q`."""
        return await social.search.users(given.q, viewer(call), given.cursor, given.limit)

    return [*feeds.endpoints, *search.endpoints]
