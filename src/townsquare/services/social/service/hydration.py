"""From ids to records: posts, their authors, and what lies between those and the viewer, in one bulk read."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from townsquare.services.social import keys, records
from townsquare.services.social.models import Post, Profile
from townsquare.store.commands import Command
from townsquare.store.near import RecordRead
from townsquare.store.store import Store

AUTHORS_REMEMBERED = 100_000  # who wrote a post does not change: a page read before needs no second look


class People(NamedTuple):
    profiles: dict[str, Profile | None]  # by username; None: there is no such user any more
    hidden: set[str]  # those with whom the viewer has a block, or whom the viewer mutes


class PostRecords(NamedTuple):
    posts: list[Post | None]  # as they were asked for; None: there is no such post any more
    liked: Sequence[float | None]  # when the viewer did, for each of them
    bookmarked: Sequence[float | None]
    authors: People


class Hydration:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._authors: dict[str, str] = {}

    async def people(
        self, usernames: Sequence[str], viewer: str | None, *, blocks: bool = True, mutes: bool = False
    ) -> People:
        reads = people_reads(usernames, viewer, blocks=blocks, mutes=mutes)
        return people_of(await self._store.read(reads), usernames, viewer)

    async def posts(
        self, ids: Sequence[str], viewer: str | None, *, blocks: bool = True, mutes: bool = True
    ) -> PostRecords:
        """One round trip if all authors are remembered, one more for those who are not."""
        names = unique(self._authors[id] for id in ids if id in self._authors)
        commands: list[Command | RecordRead[Any]] = [records.read_post(id) for id in ids]
        if viewer:
            commands += [("ZMSCORE", keys.liked(viewer), *ids), ("ZMSCORE", keys.bookmarked(viewer), *ids)]
        replies = await self._store.read(
            [*commands, *people_reads(names, viewer, blocks=blocks, mutes=mutes)]
        )
        posts: list[Post | None] = replies[: len(ids)]
        liked, bookmarked = replies[len(ids) : len(commands)] if viewer else ([None] * len(ids),) * 2
        authors = people_of(replies[len(commands) :], names, viewer)
        others = unique(post.user_id for post in posts if post and post.user_id not in authors.profiles)
        if others:
            found = await self.people(others, viewer, blocks=blocks, mutes=mutes)
            authors = People(authors.profiles | found.profiles, authors.hidden | found.hidden)
        self._remember_authors(posts)
        return PostRecords(posts, liked, bookmarked, authors)

    def _remember_authors(self, posts: Iterable[Post | None]) -> None:
        if len(self._authors) > AUTHORS_REMEMBERED:
            self._authors.clear()
        for post in posts:
            if post:
                self._authors[post.id] = post.user_id


def people_reads(
    usernames: Sequence[str], viewer: str | None, *, blocks: bool, mutes: bool
) -> list[Command | RecordRead[Any]]:
    if not usernames:
        return []
    commands: list[Command | RecordRead[Any]] = [records.read_profile(username) for username in usernames]
    if viewer:
        _, blocking, blocked_by, muting = records.viewer_keys(viewer)
        hiding = ((blocking, blocked_by) if blocks else ()) + ((muting,) if mutes else ())
        commands += [("ZMSCORE", key, *usernames) for key in hiding]
    return commands


def people_of(replies: Sequence[Any], usernames: Sequence[str], viewer: str | None) -> People:
    """From what Redis answered to `people_reads`."""
    profiles = replies[: len(usernames)]
    hidden = {
        username
        for scores in replies[len(usernames) :]
        if scores.count(None) < len(usernames)  # most often nobody is hidden
        for username, score in zip(usernames, scores, strict=True)
        if score is not None and username != viewer
    }
    return People(dict(zip(usernames, profiles, strict=True)), hidden)


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
