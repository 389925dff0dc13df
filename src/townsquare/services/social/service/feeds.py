"""Feeds: each has its own source of ids; `Views` applies the same rules to all of them."""

import re
from functools import partial
from typing import Generic, TypeVar

from townsquare.kit.paging import Cursor, Page, PageSize
from townsquare.problems import BadCursor
from townsquare.services.social import hashtags
from townsquare.services.social.models import Options
from townsquare.services.social.scripts.feed_scripts import (
    RankTag,
    ReadBookmarks,
    ReadExplore,
    ReadHashtag,
    ReadUserPosts,
)
from townsquare.services.social.service.home_feed import HomeFeed
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.skeletons import Marks, Skeleton, read_sorted
from townsquare.services.social.service.views import Show, Views
from townsquare.services.social.usernames import valid_username
from townsquare.store.store import Store

T = TypeVar("T")

MOMENT = re.compile(r"[0-9]{1,15}")  # in ms


class Feeds(Generic[T]):
    """`show` presents the posts of a page as models or as JSON."""

    def __init__(
        self, store: Store, profiles: Profiles, views: Views, options: Options, show: Show[T]
    ) -> None:
        self._store = store
        self._profiles = profiles
        self._views = views
        self._options = options
        self._show = show

    async def explore(self, viewer: str | None, cursor: str | None = None, limit: PageSize = 20) -> Page[T]:
        """All posts, the newest first."""
        read = partial(read_sorted, self._store, partial(ReadExplore, viewer=viewer))
        return await self._views.feed(self._show, read, viewer, Cursor.decode(cursor), limit)

    async def hashtag(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[T]:
        """Posts with a hashtag, the newest first."""
        tag = hashtags.normalised(tag)
        read = partial(read_sorted, self._store, partial(ReadHashtag, tag=tag, viewer=viewer))
        return await self._views.feed(self._show, read, viewer, Cursor.decode(cursor), limit)

    async def ranked(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[T]:
        """Posts of two weeks with a hashtag, by their engagement over their age."""
        scored, after = decode_ranked(cursor)
        ranked = RankedFeed(self._store, hashtags.normalised(tag), viewer, scored)
        page = await self._views.feed(self._show, ranked.read, viewer, after, limit)
        return Page(page.items, page.next and f"{ranked.scored}.{page.next}")

    async def home(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[T]:
        """Posts of whom this user follows, the newest first."""
        feed = HomeFeed(self._store, valid_username(username), own_posts=self._options.own_posts_in_home)
        return await self._views.feed(self._show, feed.read, username, Cursor.decode(cursor), limit)

    async def user_posts(
        self, username: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[T]:
        """One user's posts, the newest first; also of somebody whom the viewer mutes."""
        valid_username(username)
        read = partial(read_sorted, self._store, partial(ReadUserPosts, username=username, viewer=viewer))
        page = await self._views.feed(self._show, read, viewer, Cursor.decode(cursor), limit, mutes=False)
        if not page.items:  # raises if the viewer does not see this user
            await self._profiles.see(username, viewer)
        return page

    async def bookmarked(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[T]:
        """What this user has bookmarked, the latest first."""
        valid_username(username)
        read = partial(read_sorted, self._store, partial(ReadBookmarks, username=username))
        return await self._views.feed(self._show, read, username, Cursor.decode(cursor), limit, mutes=False)


class RankedFeed:
    """The ranked posts of a tag. All pages of one reader are of the order that the first was from."""

    def __init__(self, store: Store, tag: str, viewer: str | None, scored: int | None = None) -> None:
        self._store = store
        self._tag = tag
        self._viewer = viewer
        self.scored = scored

    async def read(self, after: Cursor | None, count: int) -> Skeleton:
        """The next posts; the score of a place is its position in the order."""
        self.scored, positions, ids, marks = await self._store.run(
            RankTag(
                tag=self._tag,
                viewer=self._viewer,
                scored=self.scored,
                after=after.member if after else None,
                position=int(after.score) if after else -1,
                count=count,
            )
        )
        return Skeleton([id.decode() for id in ids], positions, Marks.of(marks))


def decode_ranked(cursor: str | None) -> tuple[int | None, Cursor | None]:
    """The moment of an order, and a place in it."""
    if not cursor:
        return None, None
    scored, _, position = cursor.partition(".")
    if not MOMENT.fullmatch(scored) or not position:
        raise BadCursor()
    return int(scored), Cursor.decode(position)
