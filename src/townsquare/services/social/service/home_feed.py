"""The following feed.

Its head is merged when somebody reads it, kept for `HOME_SECONDS`, and pushed to by the followed authors as
long as it lives. Authors with very many followers do not push: their posts are merged into each page.
"""

import heapq
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from townsquare.kit.paging import Cursor
from townsquare.services.social.keys import HOME_SECONDS, big_authors, following
from townsquare.services.social.scripts import BeginHomeFeed, FillHomeFeed, ReadHomeFeed
from townsquare.services.social.service.merge_posts import Watch, merge
from townsquare.services.social.service.skeletons import Skeleton, ViewerState, read_viewer_state
from townsquare.store.store import Store

MERGED_AT_ONCE = 200  # posts: ten pages, so that a reader who scrolls merges once in ten
LIFETIME_MS = HOME_SECONDS * 1000
NO_FLOOR = Cursor(0, "")
TRIES = 5  # a feed may be begun again while it is read: a follow, a second reader


class HomeShown(NamedTuple):
    """A part of the stored feed."""

    ready: bool
    token: str
    complete: bool
    floor: int
    floor_id: str
    big: str  # usernames, with spaces between
    posts: Skeleton


class HomeFeed:
    """The skeleton of one user's following feed."""

    def __init__(self, store: Store, username: str, *, own_posts: bool) -> None:
        self._store = store
        self._username = username
        self._own_posts = own_posts

    async def read(self, after: Cursor | None, count: int) -> Skeleton:
        for _ in range(TRIES):
            shown = await self._kept(after, count)
            posts = shown.posts
            if not shown.ready:
                if not await self._build():
                    break
            elif not shown.complete and posts.size < count:
                await self._extend(shown)
            elif shown.big:
                kept = map(Cursor, map(int, posts.scores_text.split()), posts.ids)
                big = await merge(self._store, shown.big.split(), after, count)
                return await self._with_state(heapq.nlargest(count, {*kept, *big}))
            else:
                return posts
        authors = await self._followed()
        return await self._with_state(await merge(self._store, authors, after, count))

    async def _with_state(self, found: Sequence[Cursor]) -> Skeleton:
        ids = [one.member for one in found]
        return Skeleton.of(found, await read_viewer_state(self._store, self._username, ids))

    async def _kept(self, after: Cursor | None, count: int) -> HomeShown:
        reply = await self._store.run(
            ReadHomeFeed(
                username=self._username,
                before=int(after.score) if after else None,
                before_id=after.member if after else None,
                count=count,
            )
        )
        ready, token, complete, floor, floor_id, big, ids, times, state = reply
        posts = Skeleton(ids, times, ViewerState.of(state or None))
        return HomeShown(
            bool(ready), token.decode(), bool(complete), floor, floor_id.decode(), big.decode(), posts
        )

    async def _build(self) -> bool:
        """Merge the head of the feed and keep it, unless another reader is at it."""
        token, now = secrets.token_hex(8), self._store.clock.now_ms()
        begun = await self._store.run(BeginHomeFeed(username=self._username, token=token, now=now))
        if not begun.begun:
            return False
        authors = self._with_own(begun.followed)
        big = await self._big_ones(authors)
        pushing = [author for author in authors if author not in big]
        watch = Watch(self._username, now + LIFETIME_MS)
        found = await merge(self._store, pushing, None, MERGED_AT_ONCE, watch)
        return await self._fill(token, "", found, " ".join(sorted(big)))

    async def _extend(self, shown: HomeShown) -> None:
        """Merge the part below the stored one."""
        big = shown.big.split()
        authors = [author for author in await self._followed() if author not in big]
        floor = Cursor(shown.floor, shown.floor_id)
        found = await merge(self._store, authors, floor, MERGED_AT_ONCE)
        await self._fill(shown.token, shown.floor_id, found, shown.big, floor)

    async def _fill(
        self,
        token: str,
        since: str,
        found: Sequence[Cursor],
        big: str,
        floor: Cursor = NO_FLOOR,
    ) -> bool:
        floor = found[-1] if found else floor
        return await self._store.run(
            FillHomeFeed(
                username=self._username,
                token=token,
                since=since,
                posts=[word for one in found for word in (one.member, str(int(one.score)))],
                floor=int(floor.score),
                floor_id=floor.member,
                complete=len(found) < MERGED_AT_ONCE,
                big=big,
            )
        )

    async def _followed(self) -> list[str]:
        names = await self._store.call("SMEMBERS", following(self._username))  # bounded: the limit on follows
        return self._with_own([name.decode() for name in names])

    def _with_own(self, followed: Sequence[str]) -> list[str]:
        return [*followed, self._username] if self._own_posts else list(followed)

    async def _big_ones(self, authors: Sequence[str]) -> set[str]:
        if not authors:
            return set()
        scores = await self._store.call("ZMSCORE", big_authors(), *authors)
        return {author for author, score in zip(authors, scores, strict=True) if score is not None}
