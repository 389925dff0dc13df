"""Export of all data of a user."""

from collections.abc import AsyncIterator
from typing import Any

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, page_down
from townsquare.services.social import keys, records
from townsquare.services.social.models import Post
from townsquare.services.social.problems import ProfileNotFound
from townsquare.services.social.service.profiles import Profiles
from townsquare.store.store import Store

PAGE = 500

LISTS = {
    "liked": keys.liked,
    "bookmarked": keys.bookmarked,
    "reported": keys.reported,
    "following": keys.following_since,
    "followers": keys.followers_since,
    "blocking": keys.blocking,
    "muting": keys.muting,
}


class ProfileExport:
    def __init__(self, store: Store, profiles: Profiles) -> None:
        self._store = store
        self._profiles = profiles

    async def export(self, username: str) -> dict[str, Any]:
        """The profile, the posts and the lists of a user; empty if there is none."""
        try:
            profile = await self._profiles.own(username)
        except ProfileNotFound:
            return {}
        written = (keys.user_posts(username), keys.banned_posts(username))
        return {
            "profile": profile,
            "posts": [post for key in written async for post in self._posts(key)],
            **{
                name: [place.member async for page in self._pages(declared(username)) for place in page]
                for name, declared in LISTS.items()
            },
        }

    async def _posts(self, key: AnyKey) -> AsyncIterator[Post]:
        async for page in self._pages(key):
            for post in await self._store.read_all(records.POST, [place.member for place in page]):
                if post:
                    yield post

    async def _pages(self, key: AnyKey) -> AsyncIterator[list[Cursor]]:
        after: Cursor | None = None
        while page := await page_down(self._store, key, after, PAGE):
            yield page
            after = page[-1]
