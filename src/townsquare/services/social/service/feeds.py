"""Feeds: each has its own source of ids; `PagePipeline` applies the same rules to all of them."""

import re
from functools import partial
from typing import Generic, TypeVar

from townsquare.kit.paging import Cursor, Page, PageSize
from townsquare.problems import BadCursor
from townsquare.services.social import hashtags
from townsquare.services.social.models import Options
from townsquare.services.social.scripts import RankTag, ReadBookmarks, ReadExplore, ReadHashtag, ReadUserPosts
from townsquare.services.social.service.home_feed import HomeFeed
from townsquare.services.social.service.page_pipeline import ReadPage
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.skeletons import Skeleton, ViewerState, read_sorted
from townsquare.services.social.usernames import valid_username
from townsquare.store.store import Store

T = TypeVar("T")

MILLISECONDS = re.compile(r"[0-9]{1,15}")


class Feeds(Generic[T]):
    """`read_page` reads pages of models or of JSON."""

    def __init__(
        self,
        store: Store,
        profiles: Profiles,
        options: Options,
        read_page: ReadPage[T],
    ) -> None:
        self._store = store
        self._profiles = profiles
        self._options = options
        self._page = read_page

    async def explore(self, viewer: str | None, cursor: str | None = None, limit: PageSize = 20) -> Page[T]:
        """All posts, the newest first."""
        read = partial(read_sorted, self._store, partial(ReadExplore, viewer=viewer))
        return await self._page(read, viewer, Cursor.decode(cursor), limit)

    async def hashtag(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[T]:
        """Posts with a hashtag, the newest first."""
        tag = hashtags.normalised(tag)
        read = partial(read_sorted, self._store, partial(ReadHashtag, tag=tag, viewer=viewer))
        return await self._page(read, viewer, Cursor.decode(cursor), limit)

    async def ranked(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[T]:
        """Posts of two weeks with a hashtag, by their engagement over their age."""
        scored, after = decode_ranked(cursor)
        ranked = RankedFeed(self._store, hashtags.normalised(tag), viewer, scored)
        page = await self._page(ranked.read, viewer, after, limit)
        return Page(page.items, page.next and f"{ranked.scored}.{page.next}")

    async def home(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[T]:
        """Posts of the users that this user follows, the newest first."""
        feed = HomeFeed(self._store, valid_username(username), own_posts=self._options.own_posts_in_home)
        return await self._page(feed.read, username, Cursor.decode(cursor), limit)

    async def user_posts(
        self, username: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[T]:
        """One user's posts, the newest first, even if the viewer mutes the user."""
        valid_username(username)
        read = partial(read_sorted, self._store, partial(ReadUserPosts, username=username, viewer=viewer))
        page = await self._page(read, viewer, Cursor.decode(cursor), limit, mutes=False)
        if not page.items:  # raises if the viewer does not see this user
            await self._profiles.see(username, viewer)
        return page

    async def bookmarked(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[T]:
        """Posts that this user has bookmarked, the latest bookmark first."""
        valid_username(username)
        read = partial(read_sorted, self._store, partial(ReadBookmarks, username=username))
        return await self._page(read, username, Cursor.decode(cursor), limit, mutes=False)


class RankedFeed:
    """The ranked posts of a tag. Every page of one reader uses the order of the first page."""

    def __init__(self, store: Store, tag: str, viewer: str | None, scored: int | None = None) -> None:
        self._store = store
        self._tag = tag
        self._viewer = viewer
        self.scored = scored

    async def read(self, after: Cursor | None, count: int) -> Skeleton:
        """The next posts; the score of each is its position in the order."""
        self.scored, ids, positions, state = await self._store.run(
            RankTag(
                tag=self._tag,
                viewer=self._viewer,
                scored=self.scored,
                after=after.member if after else None,
                position=int(after.score) if after else -1,
                count=count,
            )
        )
        return Skeleton(ids, positions, ViewerState.of(state))


def decode_ranked(cursor: str | None) -> tuple[int | None, Cursor | None]:
    """The time at which the order was computed, and a cursor in it."""
    if not cursor:
        return None, None
    scored, _, position = cursor.partition(".")
    if not MILLISECONDS.fullmatch(scored) or not position:
        raise BadCursor()
    return int(scored), Cursor.decode(position)
