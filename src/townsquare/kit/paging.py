"""Collections in parts. Pages of sorted sets by opaque cursors: nothing twice and nothing missing, whatever
moves in between.

A page is one command, which reads a few members more than the page has: those that share the score of the
cursor and stand before it. Only where more share it, `page.lua` looks up the place where the page before
ended, in O(log² n + count) among however many equals. By the script alone every later page would take half
as long again.
"""

import base64
import binascii
import operator
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec

from townsquare.keyspace import AnyKey
from townsquare.problems import BadCursor
from townsquare.store.scripts.assembly import LuaText
from townsquare.store.scripts.folder import SHARED
from townsquare.store.store import Store

T = TypeVar("T")

PageSize = Annotated[int, msgspec.Meta(ge=1, le=100)]

LONGEST_CURSOR = 4_096
_new = tuple.__new__  # a page makes dozens, in half the time

TIES = 4  # members with the score of the cursor that are read besides the page
SCAN_COUNT = 200  # what is read for each of them stays a small pipeline
LARGEST_SCORE = 2**53  # above it a double skips numbers

PAGE = LuaText(
    (SHARED / "include" / "page.lua").read_text()
    + "return page(KEYS[1], ARGV[1] == 'down', tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]))"
)


class Cursor(NamedTuple):
    """A member of a sorted set and its score, where a page can end. They compare as Redis orders them."""

    score: float
    member: str

    def encode(self) -> str:
        """A form that clients hand back without looking into it."""
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str | None) -> "Cursor | None":
        """None: from the beginning. Raises BadCursor."""
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
    """Part of a list; `next` leads to the part after it, null at the end."""

    items: list[T]
    next: str | None


class Way(NamedTuple):
    """One of the two ways through a sorted set."""

    name: str
    by_rank: str
    by_score: str
    end: str
    follows: Callable[[Cursor, Cursor], bool]


DOWN = Way("down", "ZREVRANGE", "ZREVRANGEBYSCORE", "-inf", operator.lt)
UP = Way("up", "ZRANGE", "ZRANGEBYSCORE", "+inf", operator.gt)


async def page_down(store: Store, key: AnyKey, after: Cursor | None, count: int) -> list[Cursor]:
    """The highest `count` members below a cursor, the highest first."""
    return await page(store, key, DOWN, after, count)


async def page_up(store: Store, key: AnyKey, after: Cursor | None, count: int) -> list[Cursor]:
    """The lowest `count` members above a cursor, the lowest first; `Cursor(score, "")` begins at a score."""
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
    """All members of a set in batches, however many; one may come twice."""
    place = b"0"
    while True:
        place, members = await store.call("SSCAN", key, place, "COUNT", SCAN_COUNT)
        if members:
            yield [member.decode() for member in members]
        if place == b"0":
            return


def cut(found: Sequence[Cursor], limit: int) -> tuple[Sequence[Cursor], str | None]:
    """The page of what was found, which is one more than `limit` if there is another page; and its cursor."""
    if len(found) <= limit:
        return found, None
    return found[:limit], found[limit - 1].encode()


def cursors(pairs: Iterable[Sequence[Any]]) -> list[Cursor]:
    """Members with scores, as a command answers them."""
    return [_new(Cursor, (float(score), member.decode())) for member, score in pairs]
