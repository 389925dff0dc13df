"""From ids to records: posts, their authors, and the authors whom the viewer does not see."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from townsquare.keyspace import AnyKey
from townsquare.services.social import records
from townsquare.services.social.models import Post, Profile
from townsquare.store.store import Store


class People(NamedTuple):
    profiles: dict[str, Profile | None]  # by username; None: no such user any more
    hidden: frozenset[str] = frozenset()  # a block is between them and the viewer, or the viewer mutes them


class PostRecords(NamedTuple):
    posts: list[Post | None]  # as requested; None: no such post any more
    authors: People


class Hydration:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def posts(
        self, ids: Sequence[str], viewer: str | None, *, blocks: bool = True, mutes: bool = True
    ) -> PostRecords:
        """Without a viewer nobody is hidden."""
        posts = await self._store.read_all(records.POST, ids)
        names = unique([post.user_id for post in posts if post])
        return PostRecords(posts, await self.people(names, viewer, blocks=blocks, mutes=mutes))

    async def people(
        self, usernames: Sequence[str], viewer: str | None, *, blocks: bool = True, mutes: bool = False
    ) -> People:
        if viewer is None or not usernames:
            return People(
                dict(zip(usernames, await self._store.read_all(records.PROFILE, usernames), strict=True))
            )
        lists = [records.BLOCKING, records.BLOCKED_BY] if blocks else []
        lists += [records.MUTING] if mutes else []
        reads = [*map(records.PROFILE, usernames), *[one(viewer) for one in lists]]
        replies = await self._store.read(reads)
        profiles, found = replies[: len(usernames)], replies[len(usernames) :]
        if all(one.complete for one in found):
            hidden = {name for one in found for name in one.members.intersection(usernames)}
        else:
            hidden = await self._found_in([one.declared(viewer) for one in lists], usernames)
        return People(dict(zip(usernames, profiles, strict=True)), frozenset(hidden - {viewer}))

    async def _found_in(self, lists: Sequence[AnyKey], usernames: Sequence[str]) -> set[str]:
        """The users who are in one of these lists, which are too long to be cached."""
        found = await self._store.pipeline([("ZMSCORE", one, *usernames) for one in lists])
        return {
            name
            for scores in found
            for name, score in zip(usernames, scores, strict=True)
            if score is not None
        }


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
