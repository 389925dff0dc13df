"""The notification centre: the notifications of all services as one list, with one counter, and their mail.

Each service keeps its own notifications and counts them exactly. The list is merged when it is read.
"""

import asyncio
from collections.abc import Sequence

import msgspec

from townsquare.kit.paging import Cursor
from townsquare.services.accounts.models import User
from townsquare.services.accounts.problems import BadNotification
from townsquare.services.accounts.users import Users
from townsquare.services.events import Notice, NotificationSource

MOST_IDS = 100


class NotificationList(msgspec.Struct):
    """The newest first. `next` is the cursor of the next page, null at the end."""

    items: list[Notice]
    next: str | None
    unread: int


class AccountNotifications:
    def __init__(self, users: Users) -> None:
        self._users = users
        self._sources: dict[str, NotificationSource] = {}

    def register(self, service: str, source: NotificationSource) -> None:
        self._sources[service] = source

    async def list(self, id: str, cursor: str | None = None, limit: int = 20) -> NotificationList:
        """The notifications of a user in all services."""
        user, after = await self._users.get(id), Cursor.decode(cursor)
        lists = await asyncio.gather(
            *(source.list(user, below(name, after), limit + 1) for name, source in self._sources.items())
        )
        every = [
            (Cursor(one.created_at, f"{name}:{one.id}"), one)
            for name, found in zip(self._sources, lists, strict=True)
            for one in found
        ]
        every.sort(key=lambda pair: pair[0], reverse=True)
        shown = every[:limit]
        for place, one in shown:
            one.id = place.member
        following = shown[-1][0].encode() if len(every) > limit else None
        return NotificationList([one for _, one in shown], following, await self._unread(user))

    async def unread(self, id: str) -> int:
        """The number of unread notifications of a user."""
        return await self._unread(await self._users.get(id))

    async def _unread(self, user: User) -> int:
        return sum(await asyncio.gather(*(source.unread(user) for source in self._sources.values())))

    async def read(self, id: str, ids: Sequence[str] = (), *, all: bool = False) -> int:
        """Mark these as read, or all. Returns the number of unread ones that are left."""
        if bool(ids) == all or len(ids) > MOST_IDS:
            raise BadNotification()
        user = await self._users.get(id)
        for name, source in self._sources.items():
            own = [one.partition(":")[2] for one in ids if one.startswith(f"{name}:")]
            if all or own:
                await source.read(user, own)
        return await self._unread(user)


def below(service: str, after: Cursor | None) -> Cursor | None:
    """The cursor of one service: `after` orders notifications of one moment by service, then by id."""
    if after is None:
        return None
    name, _, id = after.member.partition(":")
    if service == name:
        return Cursor(after.score, id)
    return Cursor(after.score, "\U0010ffff" if service < name else "")
