"""Users in pages, newest first, and how many there are."""

import asyncio
from typing import Any, Literal

from townsquare.keyspace import Key
from townsquare.kit.paging import Cursor, cut, page_down
from townsquare.services.accounts.keys import city_users, non_registered_users, province_users, users_by
from townsquare.services.accounts.models import AccountStatus, UserRole
from townsquare.services.accounts.users.normalise import bad_field, line
from townsquare.store.store import Store

LONGEST_PAGE = 200

By = Literal["status", "role", "province", "city"]


class Listing:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(
        self, by: By | None, value: str, limit: int, cursor: str | None
    ) -> tuple[list[str], str | None]:
        """Ids of one group, or of everybody: the newest of every status, merged; and the next cursor."""
        if not 1 <= limit <= LONGEST_PAGE:
            raise bad_field("limit", f"use 1 to {LONGEST_PAGE}")
        after = Cursor.decode(cursor)
        pages = await asyncio.gather(
            *(page_down(self._store, group, after, limit + 1) for group in groups(by, value))
        )
        # whoever moved from one status to another between two reads is in both
        found = sorted({one for page in pages for one in page}, reverse=True)
        page, following = cut(found, limit)
        return [one.member for one in page], following

    async def count(self, by: By | None, value: str) -> int:
        if by == "province":
            return await self._cardinality("SCARD", province_users(checked_value(by, value)))
        if by == "city":
            return await self._cardinality("SCARD", city_users(checked_value(by, value)))
        return sum(await self._store.pipeline([("ZCARD", group) for group in groups(by, value)]))

    async def count_unregistered(self) -> int:
        return await self._cardinality("SCARD", non_registered_users())

    async def _cardinality(self, command: str, key: Key[Any]) -> int:
        return int(await self._store.call(command, key))


def groups(by: By | None, value: str) -> list[Key[Any]]:
    if by:
        return [users_by(by, checked_value(by, value))]
    return [users_by("status", status) for status in AccountStatus]


def checked_value(by: By, value: str) -> str:
    if by == "status" and value not in list(AccountStatus):
        raise bad_field("status", f"use one of {', '.join(AccountStatus)}")
    if by == "role" and value not in list(UserRole):
        raise bad_field("role", f"use one of {', '.join(UserRole)}")
    text = line(value, by)
    if text is None:
        raise bad_field(by, "say which")
    return text
