"""Who follows, blocks and mutes whom."""

from typing import Literal

from townsquare.services.social.keys import (
    blocking,
    followers_since,
    following_since,
    muting,
)
from townsquare.services.social.models import Followed, Outcome, Page, Profile
from townsquare.services.social.problems import NotYourself
from townsquare.services.social.scripts.users import FollowUser, ShunUser, UnfollowUser, UnshunUser
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.profiles import Profiles, known
from townsquare.store.store import Store

FOLLOWING_LIMIT = 10_000  # a following feed is merged from so many authors at most

Shun = Literal["block", "mute"]
SHUNNED = {"block": blocking, "mute": muting}
LISTED = {"followers": followers_since, "following": following_since}


class Follows:
    def __init__(self, store: Store, profiles: Profiles, hydration: Hydration) -> None:
        self._store = store
        self._profiles = profiles
        self._hydration = hydration

    async def follow(self, username: str, other: str) -> Followed:
        others(username, other)
        done = await self._store.run(
            FollowUser(username=username, other=other, limit=FOLLOWING_LIMIT, now=self._store.clock.now_ms())
        )
        return Followed(done.changed, done.count)

    async def unfollow(self, username: str, other: str) -> Followed:
        others(username, other)
        done = await self._store.run(UnfollowUser(username=username, other=other))
        return Followed(done.changed, done.count)

    async def block(self, username: str, other: str) -> Outcome:
        """Neither sees the other any more; follows between them end."""
        return await self._shun(username, other, "block")

    async def unblock(self, username: str, other: str) -> Outcome:
        return await self._unshun(username, other, "block")

    async def mute(self, username: str, other: str) -> Outcome:
        """Posts of the other are hidden from this user's feeds; nobody is told."""
        return await self._shun(username, other, "mute")

    async def unmute(self, username: str, other: str) -> Outcome:
        return await self._unshun(username, other, "mute")

    async def _shun(self, username: str, other: str, kind: Shun) -> Outcome:
        others(username, other)
        now = self._store.clock.now_ms()
        changed = await self._store.run(ShunUser(username=username, other=other, kind=kind, now=now))
        return Outcome(changed)

    async def _unshun(self, username: str, other: str, kind: Shun) -> Outcome:
        others(username, other)
        return Outcome(await self._store.run(UnshunUser(username=username, other=other, kind=kind)))

    async def listed(
        self,
        username: str,
        which: Literal["followers", "following"],
        viewer: str | None,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Page[Profile]:
        """Followers or followed, the newest first."""
        await self._profiles.see(username, viewer)
        return await self._hydration.people(LISTED[which](username), viewer, cursor, limit)

    async def shunned(
        self, username: str, kind: Shun, cursor: str | None = None, limit: int = 20
    ) -> Page[Profile]:
        """Whom this user blocks or mutes, for nobody else to see."""
        return await self._hydration.people(SHUNNED[kind](known(username)), None, cursor, limit)


def others(username: str, other: str) -> None:
    known(username)
    known(other)
    if username == other:
        raise NotYourself()
