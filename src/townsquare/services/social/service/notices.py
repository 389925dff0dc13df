"""Notifications about followers, likes, mentions and moderation. Likes of one post are one notification."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from townsquare.kit.paging import Cursor, page_down
from townsquare.kit.text import excerpt
from townsquare.services.accounts.models import User
from townsquare.services.events import Notice, NoticeType
from townsquare.services.social import keys, records
from townsquare.services.social.models import Post, Profile
from townsquare.services.social.scripts import ReadNotices
from townsquare.store.store import Store

EXCERPT = 140
NAMED = 2  # users that a text names


class Notices:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def list(self, account: User, after: Cursor | None, limit: int) -> list[Notice]:
        """Up to `limit` notifications below a cursor, the newest first."""
        name = account.username
        found = await page_down(self._store, keys.notices(name), after, limit) if name else []
        if not name or not found:
            return []
        parts = [one.member.partition(" ")[::2] for one in found]
        ids = list(dict.fromkeys(id for _, id in parts if id))
        posts = dict(zip(ids, await self._store.read_all(records.POST, ids) if ids else [], strict=True))
        people = await asyncio.gather(*(self._people(name, type, posts.get(id)) for type, id in parts))
        names = list(dict.fromkeys(one for _, some in people for one in some))
        read = await self._store.read_all(records.PROFILE, names) if names else []
        profiles = dict(zip(names, read, strict=True))
        unread = await self._store.call(
            "SMISMEMBER", keys.unread_notices(name), *(one.member for one in found)
        )
        return [
            notice(
                name,
                one,
                posts.get(id),
                Causers(total, [profile for person in some if (profile := profiles[person])]),
                read=not new,
            )
            for one, (_, id), (total, some), new in zip(found, parts, people, unread, strict=True)
        ]

    async def _people(self, name: str, type: str, post: Post | None) -> tuple[int, Sequence[str]]:
        """How many users are behind a notification, and some of them."""
        if type == "mention":
            return (1, [post.user_id]) if post else (1, [])
        if type == "moderation" or (type == "like" and post is None):
            return 0, []
        if type == "like" and post:
            likes = keys.post_likes(post.id)
            total, found = await self._store.pipeline([("SCARD", likes), ("SRANDMEMBER", likes, NAMED + 1)])
        else:
            newest = ("ZREVRANGE", keys.followers_since(name), 0, NAMED - 1)
            total, found = await self._store.pipeline([("SCARD", keys.followers(name)), newest])
        others = [one.decode() for one in found if one.decode() != name]
        own = type == "like" and len(others) < len(found)
        return total - own, others[:NAMED]

    async def unread(self, account: User) -> int:
        if not account.username:
            return 0
        return int(await self._store.call("SCARD", keys.unread_notices(account.username)))

    async def read(self, account: User, ids: Sequence[str]) -> int:
        """Mark these as read, or all. Returns the number of changed ones."""
        if not account.username:
            return 0
        return await self._store.run(ReadNotices(username=account.username, named=list(ids)))


TEXTS: dict[str, tuple[NoticeType, str]] = {
    "follow": ("follow", "{} followed you"),
    "like": ("like", "{} liked your post"),
    "mention": ("mention", "{} mentioned you"),
    "moderation": ("moderation", "A moderator removed your post"),
}


class Causers(NamedTuple):
    """The users behind a notification."""

    total: int
    some: Sequence[Profile]


def notice(name: str, place: Cursor, post: Post | None, causers: Causers, *, read: bool) -> Notice:
    type, text = TEXTS[place.member.partition(" ")[0]]
    first = causers.some[0] if causers.some else None
    if type != "follow":
        url = f"/social?post={post.id}" if post else "/social"
    elif first and causers.total == 1:
        url = f"/social?user={first.username}"
    else:
        url = f"/social?user={name}&list=followers"
    return Notice(
        id=place.member,
        type=type,
        text=text.format(named(causers)),
        excerpt=excerpt(post.content, EXCERPT) if post else "",
        url=url,
        actor=display_name(first) if first else None,
        actor_id=first.username if first else None,
        avatar=first.avatar if first else None,
        created_at=int(place.score),
        read=read,
    )


def display_name(person: Profile) -> str:
    return person.display_name or person.username


def named(causers: Causers) -> str:
    """Anna; Anna and Ben; Anna, Ben and 3 others."""
    names = [display_name(one) for one in causers.some] or ["Somebody"]
    others = causers.total - len(names)
    if others > 0:
        return f"{', '.join(names)} and {others} {'other' if others == 1 else 'others'}"
    return " and ".join(names)
