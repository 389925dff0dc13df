"""From ids to what a viewer sees: records in one bulk read, then the rules of bans, blocks and mutes."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from townsquare.keyspace import AnyKey
from townsquare.services.social import records
from townsquare.services.social.cursors import Place, decode, encode
from townsquare.services.social.keys import bookmarked, liked
from townsquare.services.social.models import Item, Page, Post, Profile
from townsquare.services.social.paging import page_down
from townsquare.store.store import Command, Store

AUTHORS_REMEMBERED = 100_000  # who wrote a post does not change: a page read before needs no second look
ROUNDS = 4  # of reading on when a page lost posts to the rules

Read = Callable[[Place | None, int], Awaitable[list[Place]]]  # so many places after this one


class People:
    """Profiles as one viewer sees them: None for those who are gone or hidden."""

    def __init__(self, viewer: str | None, usernames: Sequence[str]) -> None:
        self.usernames = usernames
        self._viewer = viewer

    def reads(self, *, blocks: bool = True, mutes: bool) -> list[Command]:
        if not self.usernames:
            return []
        commands = [records.read_profile(username) for username in self.usernames]
        if self._viewer:
            _, blocking, blocked_by, muting = records.viewer_keys(self._viewer)
            hiding = ((blocking, blocked_by) if blocks else ()) + ((muting,) if mutes else ())
            commands += [("ZMSCORE", key, *self.usernames) for key in hiding]
        return commands

    def profiles(self, replies: Sequence[Any]) -> dict[str, Profile | None]:
        values, hidings = replies[: len(self.usernames)], replies[len(self.usernames) :]
        seen = dict(zip(self.usernames, map(records.profile, values), strict=True))
        for hiding in hidings:
            for username, score in zip(self.usernames, hiding, strict=True):
                if score is not None and username != self._viewer:
                    seen[username] = None
        return seen


class Hydration:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._authors: dict[str, str] = {}

    async def profiles(self, usernames: Sequence[str], viewer: str | None) -> list[Profile]:
        """Public profiles in this order, without those whom the viewer does not see."""
        people = People(viewer, usernames)
        seen = people.profiles(await self._store.pipeline(people.reads(mutes=False)))
        return [profile for profile in seen.values() if profile]

    async def people(self, key: AnyKey, viewer: str | None, cursor: str | None, limit: int) -> Page[Profile]:
        """A page of the profiles whose names a sorted set holds, the highest score first."""
        found = await page_down(self._store, key, decode(cursor), limit + 1)
        profiles = await self.profiles([place.id for place in found[:limit]], viewer)
        return Page(profiles, encode(found[limit - 1]) if len(found) > limit else None)

    async def items(
        self,
        ids: Sequence[str],
        viewer: str | None,
        *,
        blocks: bool = True,
        mutes: bool = True,
        banned: bool = False,
    ) -> list[Item]:
        """Feed items in this order, without what this viewer does not see; one round trip if all is known."""
        if not ids:
            return []
        people = People(viewer, unique(self._authors[id] for id in ids if id in self._authors))
        reads = [records.read_post(id) for id in ids]
        marks: list[Command] = (
            [("ZMSCORE", liked(viewer), *ids), ("ZMSCORE", bookmarked(viewer), *ids)] if viewer else []
        )
        replies = await self._store.pipeline([*reads, *marks, *people.reads(blocks=blocks, mutes=mutes)])
        posts = [records.post_of(values) for values in replies[: len(ids)]]
        likes, bookmarks = replies[len(ids) : len(ids) + 2] if viewer else ([None] * len(ids),) * 2
        profiles = people.profiles(replies[len(ids) + len(marks) :])
        await self._learn(posts, profiles, viewer, blocks=blocks, mutes=mutes)
        return [
            item(post, author, is_liked=like is not None, is_bookmarked=bookmark is not None)
            for post, like, bookmark in zip(posts, likes, bookmarks, strict=True)
            if post and (banned or not post.banned) and (author := profiles[post.user_id])
        ]

    async def _learn(
        self,
        posts: Iterable[Post | None],
        profiles: dict[str, Profile | None],
        viewer: str | None,
        *,
        blocks: bool,
        mutes: bool,
    ) -> None:
        """Add the authors that were not known before the posts were read."""
        names = unique(post.user_id for post in posts if post and post.user_id not in profiles)
        unknown = People(viewer, names)
        if unknown.usernames:
            reads = unknown.reads(blocks=blocks, mutes=mutes)
            profiles.update(unknown.profiles(await self._store.pipeline(reads)))
        if len(self._authors) > AUTHORS_REMEMBERED:
            self._authors.clear()
        for post in posts:
            if post:
                self._authors[post.id] = post.user_id

    async def feed(
        self, read: Read, viewer: str | None, before: Place | None, limit: int, *, mutes: bool = True
    ) -> Page[Item]:
        """A page of items; where the rules took some away, it reads on for a while."""
        items: list[Item] = []
        for _ in range(ROUNDS):
            found = await read(before, limit + 1)
            ended, found = len(found) <= limit, found[:limit]
            items += await self.items([place.id for place in found], viewer, mutes=mutes)
            if len(items) > limit:
                last = items[limit - 1].post.id
                return Page(items[:limit], next(encode(place) for place in found if place.id == last))
            if ended:
                return Page(items, None)
            before = found[-1]
            if len(items) == limit:
                break
        return Page(items, encode(before) if before else None)


def item(post: Post, author: Profile, *, is_liked: bool, is_bookmarked: bool) -> Item:
    """With the author as it is now: the copy in the post may be on its way."""
    now = (author.username, author.display_name, author.avatar, author.role)
    if (post.username, post.display_name, post.avatar, post.user_role) != now:
        username, display_name, avatar, role = now
        post = replace(post, username=username, display_name=display_name, avatar=avatar, user_role=role)
    return Item(post=post, is_liked=is_liked, is_bookmarked=is_bookmarked, author=author)


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
