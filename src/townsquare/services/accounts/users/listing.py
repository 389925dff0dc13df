"""Pages of users, newest first, and their number."""

import asyncio
from typing import Any, Literal

from townsquare.keyspace import Key
from townsquare.kit.paging import Cursor, cut, page_down
from townsquare.services.accounts.keys import users_by
from townsquare.services.accounts.models import AccountStatus, UserRole
from townsquare.services.accounts.users.normalise import bad_field, line
from townsquare.store.store import Store

LONGEST_PAGE = 200

By = Literal["status", "role", "province", "city"]


async def page(
    store: Store, by: By | None, value: str, limit: int, cursor: str | None
) -> tuple[list[str], str | None]:
    """Ids of one group or of all users (merged from the statuses), and the next cursor."""
    if not 1 <= limit <= LONGEST_PAGE:
        raise bad_field("limit", f"use 1 to {LONGEST_PAGE}")
    after = Cursor.decode(cursor)
    pages = await asyncio.gather(*(page_down(store, group, after, limit + 1) for group in groups(by, value)))
    # a user whose status changes between two reads is in both
    found = sorted({one for page in pages for one in page}, reverse=True)
    members, following = cut(found, limit)
    return [one.member for one in members], following


async def count(store: Store, by: By | None, value: str) -> int:
    return sum(await store.pipeline([("ZCARD", group) for group in groups(by, value)]))


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
