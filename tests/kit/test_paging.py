import base64
import random

import pytest

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import LONGEST_CURSOR, Cursor, cut, page_down, page_up, set_members
from townsquare.problems import BadCursor
from townsquare.services.analytics import keys
from townsquare.store.store import Store

MEMBERS = [*(f"m{number}" for number in range(60)), "é", "E", "z", "\U0001f600", "ﬀ", "mm"]


async def fill(store: Store, key: AnyKey, scores: dict[str, float]) -> list[Cursor]:
    for member, score in scores.items():
        await store.call("ZADD", key, score, member)
    return sorted(Cursor(score, member) for member, score in scores.items())


@pytest.mark.parametrize("distinct", [1, 3, 1000])
@pytest.mark.parametrize("count", [1, 7])
async def test_pages_follow_each_other_whatever_shares_a_score(
    store: Store, distinct: int, count: int
) -> None:
    chance = random.Random(distinct)
    key = keys.top("viewed")
    expected = await fill(store, key, {one: chance.randrange(distinct) / 8 - 2 for one in MEMBERS})
    for page, wanted in ((page_down, expected[::-1]), (page_up, expected)):
        found: list[Cursor] = []
        while part := await page(store, key, found[-1] if found else None, count):
            found += part
        assert found == wanted
    await store.call("DEL", key)


async def test_a_page_goes_on_where_the_last_one_ended_although_that_one_is_gone_or_has_moved(
    store: Store,
) -> None:
    key = keys.top("viewed")
    expected = await fill(store, key, dict.fromkeys("abcdef", 1))
    last = expected[3]
    for change in (("ZREM", key, "d"), ("ZADD", key, 9, "d"), ("ZADD", key, 0, "d")):
        await store.call(*change)
        assert [one.member for one in await page_down(store, key, last, 3)] == ["c", "b", "a"]
        assert [one.member for one in await page_up(store, key, last, 2)] == ["e", "f"]
    await store.call("DEL", key)


async def test_a_page_can_begin_at_a_score(store: Store) -> None:
    key = keys.top("viewed")
    await fill(store, key, {"a": 1, "b": 2, "c": 2, "d": 3})
    assert [one.member for one in await page_up(store, key, Cursor(2, ""), 2)] == ["b", "c"]
    assert await page_up(store, key, Cursor(4, ""), 2) == []
    await store.call("DEL", key)


async def test_a_page_is_found_among_thousands_of_equals(store: Store) -> None:
    key = keys.top("viewed")
    names = [f"{number:05}" for number in range(5_000)]
    await store.call("ZADD", key, *(word for name in names for word in (1, name)))
    found = await page_down(store, key, Cursor(1.0, "02500x"), 3)
    assert [one.member for one in found] == ["02500", "02499", "02498"]
    found = await page_up(store, key, Cursor(1.0, "02500x"), 3)
    assert [one.member for one in found] == ["02501", "02502", "02503"]
    await store.call("DEL", key)


async def test_every_member_of_a_large_set_comes(store: Store) -> None:
    key = keys.wishlist_user("usr_1")
    names = {f"product é {number}" for number in range(3_000)}
    await store.call("SADD", key, *names)
    batches = [batch async for batch in set_members(store, key)]
    assert {name for batch in batches for name in batch} == names
    assert len(batches) > 1
    await store.call("DEL", key)
    assert [batch async for batch in set_members(store, key)] == []


def test_what_is_one_more_than_the_page_tells_of_the_next() -> None:
    found = [Cursor(3, "c"), Cursor(2, "b"), Cursor(1, "a")]
    assert cut(found, 3) == (found, None)
    assert cut(found, 2) == (found[:2], Cursor(2, "b").encode())


@pytest.mark.parametrize(
    "cursor", [Cursor(0, "a"), Cursor(-1.5, "ü:{}"), Cursor(2**53, '["x"]'), Cursor(0.1 + 0.2, "\U0001f600")]
)
def test_a_cursor_comes_back_as_it_went(cursor: Cursor) -> None:
    assert Cursor.decode(cursor.encode()) == cursor
    assert "=" not in cursor.encode()


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_cursor_is_the_beginning(nothing: str | None) -> None:
    assert Cursor.decode(nothing) is None


def written(json: str) -> str:
    return base64.urlsafe_b64encode(json.encode("utf-8", "surrogatepass")).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        *("x", "!!!", "é", "e30", "a b", "AAAA=", "\ud800", Cursor(1, "a").encode()[:-3]),
        *(written(json) for json in ('[1,""]', '[1e999,"a"]', '["1","a"]', '[1,"a",2]', "[NaN,1]", "[1,2]")),
        *(written(json) for json in ('[1e300,"a"]', '[1,"\ud800"]', "null", '{"score":1,"member":"a"}')),
        Cursor(1, "a" * LONGEST_CURSOR).encode(),
    ],
)
def test_a_cursor_that_we_did_not_give_is_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        Cursor.decode(text)
