"""The following feed.

Its head is merged when somebody reads it, kept for five minutes, and pushed to by the followed authors as
long as it lives. Authors with very many followers do not push: their posts are merged into each page.
"""

import heapq
import secrets
from collections.abc import Sequence
from functools import partial

from townsquare.services.social.cursors import Place, decode
from townsquare.services.social.keys import HOME_SECONDS, big_authors, following
from townsquare.services.social.models import Item, Options, Page
from townsquare.services.social.scripts.feeds import BeginHomeFeed, FillHomeFeed, HomeShown, ReadHomeFeed
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.merge_posts import Watch, merge
from townsquare.services.social.service.profiles import valid_username
from townsquare.store.store import Store

MERGED_AT_ONCE = 200  # posts: ten pages, so that a reader who scrolls merges once in ten
LIFETIME_MS = HOME_SECONDS * 1000
BUILDING_MS = 5_000  # a build that takes longer was abandoned
NO_FLOOR = Place(0, "")
TRIES = 5  # a feed may be begun again while it is read: a follow, a second reader


class Home:
    def __init__(self, store: Store, hydration: Hydration, options: Options) -> None:
        self._store = store
        self._hydration = hydration
        self._options = options

    async def following(self, username: str, cursor: str | None = None, limit: int = 20) -> Page[Item]:
        """Posts of whom this user follows, the newest first."""
        read = partial(self._places, valid_username(username))
        return await self._hydration.feed(read, username, decode(cursor), limit)

    async def _places(self, username: str, before: Place | None, count: int) -> list[Place]:
        for _ in range(TRIES):
            shown = await self._show(username, before, count)
            kept = places_of(shown)
            if not shown.ready:
                if not await self._build(username):
                    break
            elif len(kept) < count and not shown.complete:
                await self._extend(username, shown)
            elif shown.big:
                big = await merge(self._store, shown.big.split(), before, count)
                return heapq.nlargest(count, {*kept, *big})
            else:
                return kept
        authors = await self._followed(username)
        return await merge(self._store, authors, before, count)

    async def _show(self, username: str, before: Place | None, count: int) -> HomeShown:
        return await self._store.run(
            ReadHomeFeed(
                username=username,
                before=before.score if before else None,
                before_id=before.id if before else None,
                count=count,
                now=self._store.clock.now_ms(),
            )
        )

    async def _build(self, username: str) -> bool:
        """Merge the head of the feed and keep it, unless another reader is at it."""
        token, now = secrets.token_hex(8), self._store.clock.now_ms()
        begun = await self._store.run(
            BeginHomeFeed(username=username, token=token, build_timeout=BUILDING_MS, now=now)
        )
        if not begun.begun:
            return False
        authors = self._with_own(username, begun.followed)
        big = await self._big_ones(authors)
        pushing = [author for author in authors if author not in big]
        watch = Watch(username, now + LIFETIME_MS)
        found = await merge(self._store, pushing, None, MERGED_AT_ONCE, watch)
        return await self._fill(username, token, "", found, " ".join(sorted(big)))

    async def _extend(self, username: str, shown: HomeShown) -> None:
        """Merge the part below what is kept."""
        big = shown.big.split()
        authors = [author for author in await self._followed(username) if author not in big]
        floor = Place(shown.floor, shown.floor_id)
        found = await merge(self._store, authors, floor, MERGED_AT_ONCE)
        await self._fill(username, shown.token, shown.floor_id, found, shown.big, floor)

    async def _fill(
        self,
        username: str,
        token: str,
        since: str,
        found: Sequence[Place],
        big: str,
        floor: Place = NO_FLOOR,
    ) -> bool:
        floor = found[-1] if found else floor
        return await self._store.run(
            FillHomeFeed(
                username=username,
                token=token,
                since=since,
                posts=[word for place in found for word in (place.id, str(place.score))],
                floor=floor.score,
                floor_id=floor.id,
                complete=len(found) < MERGED_AT_ONCE,
                big=big,
            )
        )

    async def _followed(self, username: str) -> list[str]:
        names = await self._store.call("SMEMBERS", following(username))  # bounded by the limit on follows
        return self._with_own(username, [name.decode() for name in names])

    def _with_own(self, username: str, followed: Sequence[str]) -> list[str]:
        return [*followed, username] if self._options.own_posts_in_home else list(followed)

    async def _big_ones(self, authors: Sequence[str]) -> set[str]:
        if not authors:
            return set()
        scores = await self._store.call("ZMSCORE", big_authors(), *authors)
        return {author for author, score in zip(authors, scores, strict=True) if score is not None}


def places_of(shown: HomeShown) -> list[Place]:
    words = shown.posts
    return [Place(int(words[place + 1]), words[place]) for place in range(0, len(words), 2)]
