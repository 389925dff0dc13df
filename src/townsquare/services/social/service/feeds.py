"""Feeds: each names where its ids come from; what a viewer sees of them is the same for all."""

import re
from functools import partial

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, PageSize, page_down
from townsquare.problems import BadCursor
from townsquare.services.social import hashtags, keys
from townsquare.services.social.models import Item, Options
from townsquare.services.social.scripts.feeds import RankTag
from townsquare.services.social.service.home_feed import HomeFeed
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.service.views import Views
from townsquare.services.social.usernames import valid_username
from townsquare.store.store import Store

MOMENT = re.compile(r"[0-9]{1,15}")  # in ms


class Feeds:
    def __init__(self, store: Store, profiles: Profiles, views: Views, options: Options) -> None:
        self._store = store
        self._profiles = profiles
        self._views = views
        self._options = options

    async def explore(
        self, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Item]:
        """All posts, the newest first."""
        return await self._newest_first(keys.explore_feed(), viewer, cursor, limit)

    async def hashtag(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Item]:
        """Posts with a hashtag, the newest first."""
        return await self._newest_first(keys.hashtag_posts(hashtags.normalised(tag)), viewer, cursor, limit)

    async def ranked(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Item]:
        """Posts of two weeks with a hashtag, by their engagement over their age."""
        scored, after = decode_ranked(cursor)
        ranked = RankedFeed(self._store, hashtags.normalised(tag), scored)
        page = await self._views.feed(ranked.read, viewer, after, limit)
        return Page(page.items, page.next and f"{ranked.scored}.{page.next}")

    async def home(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[Item]:
        """Posts of whom this user follows, the newest first."""
        feed = HomeFeed(self._store, valid_username(username), own_posts=self._options.own_posts_in_home)
        return await self._views.feed(feed.read, username, Cursor.decode(cursor), limit)

    async def user_posts(
        self, username: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Item]:
        """One user's posts, the newest first; also of somebody whom the viewer mutes."""
        key = keys.user_posts(valid_username(username))
        page = await self._newest_first(key, viewer, cursor, limit, mutes=False)
        if not page.items:  # whose posts are seen is there to be seen
            await self._profiles.see(username, viewer)
        return page

    async def bookmarked(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[Item]:
        """What this user has bookmarked, the latest first."""
        key = keys.bookmarked(valid_username(username))
        return await self._newest_first(key, username, cursor, limit, mutes=False)

    async def _newest_first(
        self, key: AnyKey, viewer: str | None, cursor: str | None, limit: int, *, mutes: bool = True
    ) -> Page[Item]:
        skeleton = partial(page_down, self._store, key)
        return await self._views.feed(skeleton, viewer, Cursor.decode(cursor), limit, mutes=mutes)


class RankedFeed:
    """The ranked posts of a tag. All pages of one reader are of the order that the first was from."""

    def __init__(self, store: Store, tag: str, scored: int | None = None) -> None:
        self._store = store
        self._tag = tag
        self.scored = scored

    async def read(self, after: Cursor | None, count: int) -> list[Cursor]:
        """The next posts; the score of a place is its position in the order."""
        page = await self._store.run(
            RankTag(
                tag=self._tag,
                scored=self.scored,
                after=after.member if after else None,
                position=int(after.score) if after else -1,
                count=count,
            )
        )
        self.scored = page.scored
        return [Cursor(position, id) for position, id in zip(page.positions, page.ids, strict=True)]


def decode_ranked(cursor: str | None) -> tuple[int | None, Cursor | None]:
    """The moment of an order, and a place in it."""
    if not cursor:
        return None, None
    scored, _, position = cursor.partition(".")
    if not MOMENT.fullmatch(scored) or not position:
        raise BadCursor()
    return int(scored), Cursor.decode(position)
