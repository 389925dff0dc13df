"""Feeds in the order of time, and those that are ranked."""

import re
from functools import partial

from townsquare.keyspace import AnyKey
from townsquare.problems import BadCursor
from townsquare.services.social import hashtags
from townsquare.services.social.cursors import Place, decode
from townsquare.services.social.keys import bookmarked, explore_feed, hashtag_posts, user_posts
from townsquare.services.social.models import Item, Page
from townsquare.services.social.paging import page_down
from townsquare.services.social.scripts.feeds import RankTag
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.profiles import Profiles, valid_username
from townsquare.store.store import Store

MOMENT = re.compile(r"[0-9]{1,15}")  # in ms


class Feeds:
    def __init__(self, store: Store, profiles: Profiles, hydration: Hydration) -> None:
        self._store = store
        self._profiles = profiles
        self._hydration = hydration

    async def explore(self, viewer: str | None, cursor: str | None = None, limit: int = 20) -> Page[Item]:
        """All posts, the newest first."""
        return await self._by_time(explore_feed(), viewer, cursor, limit)

    async def hashtag(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: int = 20
    ) -> Page[Item]:
        """Posts with a hashtag, the newest first."""
        return await self._by_time(hashtag_posts(hashtags.normalised(tag)), viewer, cursor, limit)

    async def user_posts(
        self, username: str, viewer: str | None, cursor: str | None = None, limit: int = 20
    ) -> Page[Item]:
        """One user's posts, the newest first; also of somebody whom the viewer mutes."""
        await self._profiles.see(username, viewer)
        return await self._by_time(user_posts(username), viewer, cursor, limit, mutes=False)

    async def bookmarked(self, username: str, cursor: str | None = None, limit: int = 20) -> Page[Item]:
        """What this user has bookmarked, the latest first."""
        return await self._by_time(bookmarked(valid_username(username)), username, cursor, limit, mutes=False)

    async def _by_time(
        self, key: AnyKey, viewer: str | None, cursor: str | None, limit: int, *, mutes: bool = True
    ) -> Page[Item]:
        read = partial(page_down, self._store, key)
        return await self._hydration.feed(read, viewer, decode(cursor), limit, mutes=mutes)

    async def ranked(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: int = 20
    ) -> Page[Item]:
        """Posts of two weeks with a hashtag, by their engagement over their age."""
        scored, before = decode_ranked(cursor)
        ranking = Ranking(self._store, hashtags.normalised(tag), scored)
        page = await self._hydration.feed(ranking.read, viewer, before, limit)
        return Page(page.items, page.next and f"{ranking.scored}.{page.next}")


class Ranking:
    """One reader's way through the ranked posts of a tag: on and on in the order that page one was from."""

    def __init__(self, store: Store, tag: str, scored: int | None = None) -> None:
        self._store = store
        self._tag = tag
        self.scored = scored

    async def read(self, before: Place | None, count: int) -> list[Place]:
        """The next posts; the score of a place is where it stands in the order."""
        page = await self._store.run(
            RankTag(
                tag=self._tag,
                now=self._store.clock.now_ms(),
                scored=self.scored,
                after=before.id if before else None,
                position=before.score if before else -1,
                count=count,
            )
        )
        self.scored = page.scored
        return [Place(position, id) for position, id in zip(page.positions, page.ids, strict=True)]


def decode_ranked(cursor: str | None) -> tuple[int | None, Place | None]:
    """The moment of an order, and a place in it."""
    if not cursor:
        return None, None
    scored, _, place = cursor.partition(".")
    if not MOMENT.fullmatch(scored) or not place:
        raise BadCursor()
    return int(scored), decode(place)
