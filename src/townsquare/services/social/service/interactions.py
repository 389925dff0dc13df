"""Likes and bookmarks, both idempotent."""

from typing import Literal

from townsquare.services.social import reading
from townsquare.services.social.keys import post_bookmarks, post_likes
from townsquare.services.social.models import Marked
from townsquare.services.social.problems import PostNotFound, ProfileNotFound
from townsquare.services.social.scripts.posts import MarkPost, UnmarkPost
from townsquare.services.social.service.posts import checked_id
from townsquare.services.social.service.profiles import known
from townsquare.services.social.service.standing import stands
from townsquare.store.store import Store

Kind = Literal["like", "bookmark"]
MARKS = {"like": post_likes, "bookmark": post_bookmarks}


class Interactions:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def like(self, id: str, username: str) -> Marked:
        return await self._mark(id, username, "like")

    async def unlike(self, id: str, username: str) -> Marked:
        return await self._unmark(id, username, "like")

    async def bookmark(self, id: str, username: str) -> Marked:
        return await self._mark(id, username, "bookmark")

    async def unbookmark(self, id: str, username: str) -> Marked:
        return await self._unmark(id, username, "bookmark")

    async def _mark(self, id: str, username: str, kind: Kind) -> Marked:
        now = self._store.clock.now_ms()
        done = await self._store.run(
            MarkPost(id=checked_id(id), username=known(username), kind=kind, now=now)
        )
        if done.changed and not await stands(self._store, MARKS[kind](id), username):
            living = reading.profile(await self._store.call(*reading.read_profile(username)))
            raise PostNotFound() if living else ProfileNotFound()
        return Marked(done.changed, done.count)

    async def _unmark(self, id: str, username: str, kind: Kind) -> Marked:
        now = self._store.clock.now_ms()
        done = await self._store.run(
            UnmarkPost(id=checked_id(id), username=known(username), kind=kind, now=now)
        )
        return Marked(done.changed, done.count)
