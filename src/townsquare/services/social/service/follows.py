"""Follows, blocks and mutes."""

from typing import Literal

from townsquare.kit.paging import Page, PageSize
from townsquare.services.social import keys
from townsquare.services.social.models import Change, CountedChange, Profile
from townsquare.services.social.scripts import BlockOrMuteUser, FollowUser, UnblockOrUnmuteUser, UnfollowUser
from townsquare.services.social.service.page_pipeline import PagePipeline
from townsquare.services.social.service.profiles import Profiles
from townsquare.services.social.usernames import two_users, valid_username
from townsquare.store.store import Store

FOLLOWING_LIMIT = 10_000  # a following feed is merged from so many authors at most

BlockOrMute = Literal["block", "mute"]


class Follows:
    def __init__(self, store: Store, profiles: Profiles, pipeline: PagePipeline) -> None:
        self._store = store
        self._profiles = profiles
        self._pipeline = pipeline

    async def follow(self, username: str, other: str) -> CountedChange:
        two_users(username, other)
        done = await self._store.run(FollowUser(username=username, other=other, limit=FOLLOWING_LIMIT))
        return CountedChange(done.changed, done.count)

    async def unfollow(self, username: str, other: str) -> CountedChange:
        two_users(username, other)
        done = await self._store.run(UnfollowUser(username=username, other=other))
        return CountedChange(done.changed, done.count)

    async def block(self, username: str, other: str) -> Change:
        """Neither sees the other any more; follows between them end."""
        return await self._block_or_mute(username, other, "block")

    async def unblock(self, username: str, other: str) -> Change:
        return await self._unblock_or_unmute(username, other, "block")

    async def mute(self, username: str, other: str) -> Change:
        """Hide the other user's posts from this user's feeds, without a notification."""
        return await self._block_or_mute(username, other, "mute")

    async def unmute(self, username: str, other: str) -> Change:
        return await self._unblock_or_unmute(username, other, "mute")

    async def _block_or_mute(self, username: str, other: str, kind: BlockOrMute) -> Change:
        two_users(username, other)
        return Change(await self._store.run(BlockOrMuteUser(username=username, other=other, kind=kind)))

    async def _unblock_or_unmute(self, username: str, other: str, kind: BlockOrMute) -> Change:
        two_users(username, other)
        return Change(await self._store.run(UnblockOrUnmuteUser(username=username, other=other, kind=kind)))

    async def followers(
        self, username: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Profile]:
        """Who follows a user, the latest first."""
        await self._profiles.see(username, viewer)
        return await self._pipeline.profile_page(keys.followers_since(username), viewer, cursor, limit)

    async def following(
        self, username: str, viewer: str | None, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[Profile]:
        """The users that a user follows, the latest first."""
        await self._profiles.see(username, viewer)
        return await self._pipeline.profile_page(keys.following_since(username), viewer, cursor, limit)

    async def blocked(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[Profile]:
        """The users that this user blocks; private."""
        return await self._pipeline.profile_page(keys.blocking(valid_username(username)), None, cursor, limit)

    async def muted(self, username: str, cursor: str | None = None, limit: PageSize = 20) -> Page[Profile]:
        """The users that this user mutes; private."""
        return await self._pipeline.profile_page(keys.muting(valid_username(username)), None, cursor, limit)
