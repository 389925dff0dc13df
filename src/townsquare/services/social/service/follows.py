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
from townsquare.services.social.scripts.users import (
    BlockOrMuteUser,
    FollowUser,
    UnblockOrUnmuteUser,
    UnfollowUser,
)
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.profiles import Profiles, valid_username
from townsquare.store.store import Store

FOLLOWING_LIMIT = 10_000  # a following feed is merged from so many authors at most

BlockOrMute = Literal["block", "mute"]
BLOCKED_OR_MUTED = {"block": blocking, "mute": muting}
LISTED = {"followers": followers_since, "following": following_since}


class Follows:
    def __init__(self, store: Store, profiles: Profiles, hydration: Hydration) -> None:
        self._store = store
        self._profiles = profiles
        self._hydration = hydration

    async def follow(self, username: str, other: str) -> Followed:
        two_users(username, other)
        done = await self._store.run(
            FollowUser(username=username, other=other, limit=FOLLOWING_LIMIT, now=self._store.clock.now_ms())
        )
        return Followed(done.changed, done.count)

    async def unfollow(self, username: str, other: str) -> Followed:
        two_users(username, other)
        done = await self._store.run(UnfollowUser(username=username, other=other))
        return Followed(done.changed, done.count)

    async def block(self, username: str, other: str) -> Outcome:
        """Neither sees the other any more; follows between them end."""
        return await self._block_or_mute(username, other, "block")

    async def unblock(self, username: str, other: str) -> Outcome:
        return await self._unblock_or_unmute(username, other, "block")

    async def mute(self, username: str, other: str) -> Outcome:
        """Posts of the other are hidden from this user's feeds; nobody is told."""
        return await self._block_or_mute(username, other, "mute")

    async def unmute(self, username: str, other: str) -> Outcome:
        return await self._unblock_or_unmute(username, other, "mute")

    async def _block_or_mute(self, username: str, other: str, kind: BlockOrMute) -> Outcome:
        two_users(username, other)
        now = self._store.clock.now_ms()
        changed = await self._store.run(BlockOrMuteUser(username=username, other=other, kind=kind, now=now))
        return Outcome(changed)

    async def _unblock_or_unmute(self, username: str, other: str, kind: BlockOrMute) -> Outcome:
        two_users(username, other)
        return Outcome(await self._store.run(UnblockOrUnmuteUser(username=username, other=other, kind=kind)))

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

    async def blocked_or_muted(
        self, username: str, kind: BlockOrMute, cursor: str | None = None, limit: int = 20
    ) -> Page[Profile]:
        """Whom this user blocks or mutes, for nobody else to see."""
        return await self._hydration.people(
            BLOCKED_OR_MUTED[kind](valid_username(username)), None, cursor, limit
        )


def two_users(username: str, other: str) -> None:
    valid_username(username)
    valid_username(other)
    if username == other:
        raise NotYourself()
