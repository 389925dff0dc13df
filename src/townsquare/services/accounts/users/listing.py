"""Users in pages, newest first, by opaque cursors."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from townsquare.keyspace import Key
from townsquare.problems import BadCursor, Problem
from townsquare.services.accounts.ids import USER_ID
from townsquare.services.accounts.keys import city_users, non_registered_users, province_users, users_by
from townsquare.services.accounts.models import AccountStatus, UserRole
from townsquare.services.accounts.scripts import ListedUser, PageUsers
from townsquare.services.accounts.users.normalise import bad_field, line
from townsquare.store.store import Store

LONGEST_PAGE = 200

By = Literal["status", "role", "province", "city"]


class Cursor(NamedTuple):
    created: int
    id: str

    @classmethod
    def read(cls, text: str) -> "Cursor":
        try:
            created, _, id = base64.urlsafe_b64decode(text.encode() + b"==").decode().partition(".")
            if USER_ID.matches(id) and created.isdecimal() and len(created) <= 15:
                return cls(int(created), id)
        except (binascii.Error, ValueError):
            pass
        raise BadCursor()

    def write(self) -> str:
        return base64.urlsafe_b64encode(f"{self.created}.{self.id}".encode()).decode().rstrip("=")


class IdPage(NamedTuple):
    ids: list[str]
    cursor: str | None  # of the next page; None: there is none


class Listing:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, by: By | None, value: str, limit: int, cursor: str | None) -> IdPage:
        """Ids of one group, or of everybody: the newest of every status, merged."""
        if not 1 <= limit <= LONGEST_PAGE:
            raise bad_field("limit", f"use 1 to {LONGEST_PAGE}")
        after = Cursor.read(cursor) if cursor else None
        groups = [(by, checked_value(by, value))] if by else [("status", status) for status in AccountStatus]
        calls = [
            PageUsers(
                by=group,
                value=name,
                limit=limit + 1,
                created=after.created if after else None,
                after=after.id if after else None,
            )
            for group, name in groups
        ]
        pages = await self._store.run_many(calls)
        found = newest(pages)
        last = found[limit - 1] if len(found) > limit else None
        return IdPage(
            [one.id for one in found[:limit]], Cursor(last.created, last.id).write() if last else None
        )

    async def count(self, by: By | None, value: str) -> int:
        if by == "province":
            return await self._cardinality("SCARD", province_users(checked_value(by, value)))
        if by == "city":
            return await self._cardinality("SCARD", city_users(checked_value(by, value)))
        if by:
            return await self._cardinality("ZCARD", users_by(by, checked_value(by, value)))
        counts = await self._store.pipeline(
            [("ZCARD", users_by("status", status)) for status in AccountStatus]
        )
        return sum(counts)

    async def count_unregistered(self) -> int:
        return await self._cardinality("SCARD", non_registered_users())

    async def _cardinality(self, command: str, key: Key[Any]) -> int:
        return int(await self._store.call(command, key))


def newest(pages: Sequence[list[ListedUser] | Problem]) -> list[ListedUser]:
    """One list of several, without those that moved from one to another between two reads."""
    found: dict[str, ListedUser] = {}
    for page in pages:
        if isinstance(page, Problem):
            raise page
        found |= {one.id: one for one in page}
    return sorted(found.values(), key=lambda one: (one.created, one.id), reverse=True)


def checked_value(by: By, value: str) -> str:
    if by == "status" and value not in list(AccountStatus):
        raise bad_field("status", f"use one of {', '.join(AccountStatus)}")
    if by == "role" and value not in list(UserRole):
        raise bad_field("role", f"use one of {', '.join(UserRole)}")
    text = line(value, by)
    if text is None:
        raise bad_field(by, "say which")
    return text
