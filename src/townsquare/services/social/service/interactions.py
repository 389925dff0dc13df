"""Likes and bookmarks, both idempotent. A post that is hidden from somebody is not there for them."""

from typing import Literal

from townsquare.services.social.models import Marked
from townsquare.services.social.problems import PostBanned
from townsquare.services.social.scripts.posts import MarkPost, UnmarkPost
from townsquare.services.social.service.posts import Posts, checked_id
from townsquare.services.social.usernames import valid_username
from townsquare.store.store import Store

Kind = Literal["like", "bookmark"]


class Interactions:
    def __init__(self, store: Store, posts: Posts) -> None:
        self._store = store
        self._posts = posts

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
        try:
            done = await self._store.run(
                MarkPost(id=checked_id(id), username=valid_username(username), kind=kind, now=now)
            )
        except PostBanned:
            await self._posts.see(id, username)
            raise
        if not done.changed:
            await self._posts.see(id, username)
        return Marked(done.changed, done.count)

    async def _unmark(self, id: str, username: str, kind: Kind) -> Marked:
        now = self._store.clock.now_ms()
        done = await self._store.run(
            UnmarkPost(id=checked_id(id), username=valid_username(username), kind=kind, now=now)
        )
        if not done.changed:  # what one did can be taken back, whatever is hidden since
            await self._posts.see(id, username)
        return Marked(done.changed, done.count)
