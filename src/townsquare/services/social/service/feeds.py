"""Feeds in the order of time, and those that are ranked."""

from functools import partial

from townsquare.keyspace import AnyKey
from townsquare.services.social import hashtags
from townsquare.services.social.cursors import Place, decode
from townsquare.services.social.keys import bookmarked, explore_feed, hashtag_posts, user_posts
from townsquare.services.social.models import Item, Page
from townsquare.services.social.paging import page_down
from townsquare.services.social.scripts.feeds import RankTag
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.profiles import Profiles, known
from townsquare.store.store import Store


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
        return await self._by_time(bookmarked(known(username)), username, cursor, limit, mutes=False)

    async def _by_time(
        self, key: AnyKey, viewer: str | None, cursor: str | None, limit: int, *, mutes: bool = True
    ) -> Page[Item]:
        read = partial(page_down, self._store, key)
        return await self._hydration.feed(read, viewer, decode(cursor), limit, mutes=mutes)

    async def ranked(
        self, tag: str, viewer: str | None, cursor: str | None = None, limit: int = 20
    ) -> Page[Item]:
        """Posts of two weeks with a hashtag, by their engagement over their age."""
        read = partial(self.ranked_places, hashtags.normalised(tag))
        return await self._hydration.feed(read, viewer, decode(cursor), limit)

    async def ranked_places(self, tag: str, before: Place | None, count: int) -> list[Place]:
        """The best posts of a tag; the score of a place is where it stands."""
        page = await self._store.run(
            RankTag(
                tag=tag,
                now=self._store.clock.now_ms(),
                after=before.id if before else None,
                position=before.score + 1 if before else 0,
                count=count,
            )
        )
        return [Place(page.position + offset, id) for offset, id in enumerate(page.ids)]
