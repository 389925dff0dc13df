"""Profiles of commenters on a site, their comments, and blocks."""

from townsquare.kit.paging import Cursor, Page, PageSize, cut, page_down
from townsquare.services.threads import keys
from townsquare.services.threads.models.comments import Author, Commenter, RecentComment
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import CannotBlockYourself, CommenterNotFound
from townsquare.services.threads.scripts import BlockUser, UnblockUser
from townsquare.services.threads.service.commenters import SSO, Commenters
from townsquare.services.threads.service.comments import signed_in
from townsquare.services.threads.service.lists import Lists
from townsquare.services.threads.service.moderation import checked_user
from townsquare.services.threads.service.visibility import authors_of
from townsquare.store.store import Store


class CommenterProfiles:
    def __init__(self, store: Store, commenters: Commenters, lists: Lists) -> None:
        self._store = store
        self._commenters = commenters
        self._lists = lists

    async def get(self, viewer: Viewer, user_id: str) -> Commenter:
        """A commenter, with the number of comments that the viewer sees on this site."""
        record = await self._store.get(keys.user(checked_user(user_id)))
        if record is None or record.deleting:
            raise CommenterNotFound()
        if record.provider.startswith(SSO) and record.provider != f"{SSO}{viewer.site_id}":
            raise CommenterNotFound()
        own = viewer.user_id == user_id
        public, hidden = await self._store.pipeline(
            [
                ("ZCARD", keys.user_public(user_id, viewer.site_id)),
                ("ZCARD", keys.user_hidden(user_id, viewer.site_id)),
            ]
        )
        blocked = viewer.user_id is not None and await self._store.call(
            "SISMEMBER", keys.user_blocks(viewer.user_id), user_id
        )
        return Commenter(
            id=user_id,
            name=record.name,
            avatar_url=record.avatar_url,
            karma=record.karma,
            total_comments=public + hidden if own or viewer.moderates else public,
            created_at=record.created_at,
            blocked=bool(blocked),
        )

    async def comments(
        self, viewer: Viewer, user_id: str, cursor: str | None = None, limit: PageSize = 20
    ) -> Page[RecentComment]:
        """The newest comments of a user on this site. Hidden ones only for the user and moderators."""
        after = Cursor.decode(cursor)
        lists = [keys.user_public(checked_user(user_id), viewer.site_id)]
        if viewer.moderates or viewer.user_id == user_id:
            lists.append(keys.user_hidden(user_id, viewer.site_id))
        found = [one for key in lists for one in await page_down(self._store, key, after, limit + 1)]
        places, next = cut(sorted(found, reverse=True), limit)
        return Page(await self._lists.placed(viewer, [one.member for one in places]), next)

    async def block(self, viewer: Viewer, other_id: str) -> bool:
        """Block a user. Returns False if the user was blocked already."""
        user_id = signed_in(viewer)
        if checked_user(other_id) == user_id:
            raise CannotBlockYourself()
        await self._commenters.get(user_id)
        return await self._store.run(BlockUser(user_id=user_id, other_id=other_id))

    async def blocked(self, viewer: Viewer) -> list[Author]:
        """The users that the viewer has blocked."""
        # bounded: the limit on blocks
        found = await self._store.call("SMEMBERS", keys.user_blocks(signed_in(viewer)))
        return list((await authors_of(self._store, sorted(id.decode() for id in found))).values())

    async def unblock(self, viewer: Viewer, other_id: str) -> bool:
        """Unblock a user. Returns False if the user was not blocked."""
        user_id = signed_in(viewer)
        return await self._store.run(UnblockUser(user_id=user_id, other_id=checked_user(other_id)))
