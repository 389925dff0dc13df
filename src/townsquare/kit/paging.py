"""Pages of sorted sets with opaque cursors, without duplicates or gaps when the set changes between pages.

A page is one command that reads a few extra members: those before the cursor with the same score. If there
are more of them, `page.lua` finds the end of the previous page in O(log² n + count). Using the script for
every page would take half as long again.
"""

import base64
import binascii
import operator
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec

from townsquare.keyspace import AnyKey
from townsquare.keyspace.kinds import SORTED_SET
from townsquare.problems import BadCursor
from townsquare.store.scripts.assembly import LuaText
from townsquare.store.scripts.folder import SHARED
from townsquare.store.store import Store

T = TypeVar("T")

PageSize = Annotated[int, msgspec.Meta(ge=1, le=100)]

LONGEST_CURSOR = 4_096
_new = tuple.__new__  # half the time of the constructor; a page creates dozens

TIES = 4  # extra members that a page reads
SCAN_COUNT = 200  # a read for each of them is still a small pipeline
LARGEST_SCORE = 2**53  # above it a double does not represent every integer

PAGE = LuaText(
    (SHARED / "include" / "page.lua").read_text()
    + "return page(KEYS[1], ARGV[1] == 'down', tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]))"
)


class Cursor(NamedTuple):
    """A member of a sorted set and its score, compared in the order of Redis."""

    score: float
    member: str

    def encode(self) -> str:
        """The opaque text for clients."""
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str | None) -> "Cursor | None":
        """None means the beginning. Raises BadCursor."""
        if not text:
            return None
        try:
            if len(text) > LONGEST_CURSOR:
                raise ValueError
            padded = text + "=" * (-len(text) % 4)
            json = base64.b64decode(padded, altchars=b"-_", validate=True)
            score, member = msgspec.json.decode(json, type=tuple[float, str])
            if not member or not abs(score) <= LARGEST_SCORE:
                raise ValueError
        except (ValueError, binascii.Error, msgspec.MsgspecError):
            raise BadCursor() from None
        return cls(score, member)


class Page(msgspec.Struct, Generic[T]):
    """A page of a list; `next` is the cursor of the next page, null on the last page."""

    items: list[T]
    next: str | None


class Way(NamedTuple):
    name: str
    by_rank: str
    by_score: str
    end: str
    follows: Callable[[Cursor, Cursor], bool]


DOWN = Way("down", "ZREVRANGE", "ZREVRANGEBYSCORE", "-inf", operator.lt)
UP = Way("up", "ZRANGE", "ZRANGEBYSCORE", "+inf", operator.gt)


async def page_down(store: Store, key: AnyKey, after: Cursor | None, count: int) -> list[Cursor]:
    """The `count` highest members below a cursor, in descending order."""
    return await page(store, key, DOWN, after, count)


async def page_up(store: Store, key: AnyKey, after: Cursor | None, count: int) -> list[Cursor]:
    """The `count` lowest members above a cursor, ascending; `Cursor(score, "")` starts at a score."""
    return await page(store, key, UP, after, count)


async def page(store: Store, key: AnyKey, way: Way, after: Cursor | None, count: int) -> list[Cursor]:
    if after is None:
        return cursors(await store.call(way.by_rank, key, 0, count - 1, "WITHSCORES"))
    asked = count + TIES
    reply = await store.call(way.by_score, key, after.score, way.end, "WITHSCORES", "LIMIT", 0, asked)
    found = [one for one in cursors(reply) if way.follows(one, after)]
    if len(found) >= count or len(reply) < asked:
        return found[:count]
    reply = await store.evaluate(PAGE, key, way.name, repr(after.score), after.member, count)
    return cursors(zip(reply[::2], reply[1::2], strict=True))


async def set_members(store: Store, key: AnyKey) -> AsyncIterator[list[str]]:
    """All members of a set or sorted set in batches; a scan may return a member twice."""
    is_sorted = key.declared.kind is SORTED_SET
    cursor = b"0"
    while True:
        cursor, found = await store.call("ZSCAN" if is_sorted else "SSCAN", key, cursor, "COUNT", SCAN_COUNT)
        if members := found[::2] if is_sorted else found:
            yield [member.decode() for member in members]
        if cursor == b"0":
            return


def cut(found: Sequence[Cursor], limit: int) -> tuple[Sequence[Cursor], str | None]:
    """The first `limit` items and the cursor of the next page, if there are more items."""
    if len(found) <= limit:
        return found, None
    return found[:limit], found[limit - 1].encode()


def cursors(pairs: Iterable[Sequence[Any]]) -> list[Cursor]:
    return [_new(Cursor, (float(score), member.decode())) for member, score in pairs]
