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
ROUNDS = 20  # reads for one page, if many of the users are excluded

By = Literal["status", "role", "province", "city"]
Groups = list[Key[Any]]


async def page(
    store: Store, by: By | None, value: str, limit: int, cursor: str | None
) -> tuple[list[str], str | None]:
    """Ids of one group or of all users (merged from the statuses), and the next cursor."""
    if not 1 <= limit <= LONGEST_PAGE:
        raise bad_field("limit", f"use 1 to {LONGEST_PAGE}")
    after = Cursor.decode(cursor)
    included, excluded = groups(by, value)
    kept: list[Cursor] = []
    for _ in range(ROUNDS):
        found = await merged(store, included, after, limit + 1)
        kept += await without(store, found, excluded)
        if len(kept) > limit or len(found) <= limit:
            break
        after = found[-1]
    else:  # so many special roles in a row: a short page
        return [one.member for one in kept], after and after.encode()
    members, following = cut(kept, limit)
    return [one.member for one in members], following


async def merged(store: Store, keys: Groups, after: Cursor | None, count: int) -> list[Cursor]:
    pages = await asyncio.gather(*(page_down(store, key, after, count) for key in keys))
    # a user whose status changes between two reads is in both
    return sorted({one for page in pages for one in page}, reverse=True)[:count]


async def without(store: Store, found: list[Cursor], excluded: Groups) -> list[Cursor]:
    if not found or not excluded:
        return found
    ids = [one.member for one in found]
    scores = await store.pipeline([("ZMSCORE", key, *ids) for key in excluded])
    return [one for one, *others in zip(found, *scores, strict=True) if others == [None] * len(excluded)]


async def count(store: Store, by: By | None, value: str) -> int:
    included, excluded = groups(by, value)
    counts: list[int] = await store.pipeline([("ZCARD", key) for key in (*included, *excluded)])
    return sum(counts[: len(included)]) - sum(counts[len(included) :])


def groups(by: By | None, value: str) -> tuple[Groups, Groups]:
    """The sorted sets that have the users, and those whose members are excluded."""
    if by and (by, checked_value(by, value)) != ("role", UserRole.USER):
        return [users_by(by, checked_value(by, value))], []
    others = [users_by("role", role) for role in UserRole if role != UserRole.USER] if by else []
    return [users_by("status", status) for status in AccountStatus], others


def checked_value(by: By, value: str) -> str:
    if by == "status" and value not in list(AccountStatus):
        raise bad_field("status", f"use one of {', '.join(AccountStatus)}")
    if by == "role" and value not in list(UserRole):
        raise bad_field("role", f"use one of {', '.join(UserRole)}")
    text = line(value, by)
    if text is None:
        raise bad_field(by, "say which")
    return text
