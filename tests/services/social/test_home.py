import asyncio
import random

import pytest

from tests.services.social.world import World, ids, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import ProfileNotFound
from townsquare.services.social.service import home_feed

AUTHORS = [f"author{number}" for number in range(6)]


async def everything(world: World, username: str, limit: int = 7) -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        page = await world.social.feeds.home(username, cursor, limit)
        seen += ids(page)
        cursor = page.next
        if cursor is None:
            return seen


async def expected(world: World, username: str) -> list[str]:
    """By the books: all shown posts of whom one follows, and one's own."""
    places = []
    for author in [*await world.members(keys.following(username)), username]:
        for id, score in await world.store.call("ZRANGE", keys.user_posts(author), 0, -1, "WITHSCORES"):
            places.append((int(score), id.decode()))
    return [id for _, id in sorted(places, reverse=True)]


async def write(world: World, clock: PinnedClock, count: int, seed: int = 1) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        clock.move(ms=chance.choice([0, 0, 1, 7]))
        await world.post(chance.choice(AUTHORS))


@pytest.fixture
async def reader(world: World) -> str:
    await world.people("reader", *AUTHORS)
    for author in AUTHORS[:-1]:
        await world.social.follows.follow("reader", author)
    return "reader"


@pytest.mark.parametrize("merged", [1, 5, 16, 200])
async def test_paging_through_it_all_misses_and_repeats_nothing(
    world: World, clock: PinnedClock, reader: str, merged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_feed, "MERGED_AT_ONCE", merged)
    monkeypatch.setattr(home_feed, "TRIES", 100)
    await write(world, clock, 60)
    await world.post(reader, "my own")
    assert await everything(world, reader) == await expected(world, reader)
    assert await everything(world, reader, 100) == await expected(world, reader)


async def test_a_feed_that_lives_is_pushed_to(world: World, clock: PinnedClock, reader: str) -> None:
    await write(world, clock, 10)
    await world.social.feeds.home(reader)
    assert await world.members(keys.home_feed(reader)) == await expected(world, reader)
    await write(world, clock, 10, seed=2)
    assert await world.members(keys.home_feed(reader)) == await expected(world, reader)
    assert 0 < await world.store.call("PTTL", keys.home_feed(reader)) <= keys.HOME_SECONDS * 1000
    await assert_clean(world.store)


async def test_an_empty_feed_is_pushed_to_as_well(world: World, reader: str) -> None:
    assert await everything(world, reader) == []
    post = await world.post(AUTHORS[0])
    assert await everything(world, reader) == [post.id]
    assert 0 < await world.store.call("PTTL", keys.home_feed(reader)) <= keys.HOME_SECONDS * 1000


async def test_only_feeds_that_live_are_pushed_to(world: World, clock: PinnedClock, reader: str) -> None:
    await world.people("sleeper")
    await world.social.follows.follow("sleeper", AUTHORS[0])
    await world.social.feeds.home(reader)
    assert await world.members(keys.watchers(AUTHORS[0])) == [reader]
    await world.post(AUTHORS[0])
    assert await world.store.call("EXISTS", keys.home_feed("sleeper")) == 0
    clock.move(seconds=keys.HOME_SECONDS + 1)
    await world.post(AUTHORS[0])
    assert await world.members(keys.watchers(AUTHORS[0])) == []
    assert await everything(world, reader) == await expected(world, reader)


async def test_follow_and_unfollow_show_at_once(world: World, clock: PinnedClock, reader: str) -> None:
    await write(world, clock, 20)
    await world.social.feeds.home(reader)
    await world.social.follows.unfollow(reader, AUTHORS[0])
    await world.social.follows.follow(reader, AUTHORS[-1])
    assert await everything(world, reader) == await expected(world, reader)
    assert await world.members(keys.watchers(AUTHORS[0])) == []


async def test_deleted_and_banned_posts_leave_a_feed_and_an_unbanned_one_comes_back(
    world: World, clock: PinnedClock, reader: str
) -> None:
    await write(world, clock, 12)
    seen = await everything(world, reader)
    await world.social.posts.delete(seen[0], None)
    await world.social.moderation.ban(seen[5], "reader")
    assert await world.members(keys.home_feed(reader)) == [*seen[1:5], *seen[6:]]
    await world.social.moderation.unban(seen[5])
    assert await everything(world, reader) == seen[1:]


async def test_an_old_post_that_comes_back_waits_below_the_floor(
    world: World, clock: PinnedClock, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_feed, "MERGED_AT_ONCE", 4)
    await write(world, clock, 12)
    oldest = (await expected(world, reader))[-1]
    await world.social.moderation.ban(oldest, "reader")
    await world.social.feeds.home(reader, None, 2)
    await world.social.moderation.unban(oldest)
    assert oldest not in await world.members(keys.home_feed(reader))
    assert await everything(world, reader, 2) == await expected(world, reader)


async def test_big_authors_are_merged_at_read_time(world: World, clock: PinnedClock, reader: str) -> None:
    await write(world, clock, 30)
    for author in AUTHORS[:2]:
        await world.store.call("ZADD", keys.big_authors(), keys.BIG_AUTHOR, author)
    assert await everything(world, reader) == await expected(world, reader)
    await write(world, clock, 30, seed=3)
    assert await everything(world, reader) == await expected(world, reader)
    assert await world.members(keys.watchers(AUTHORS[0])) == []
    assert await world.members(keys.watchers(AUTHORS[2])) == [reader]


async def test_own_posts_are_left_out_where_the_operator_says_so(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_world(plain_place, clock, own_posts_in_home=False) as world:
        await world.people("reader", "author")
        await world.social.follows.follow("reader", "author")
        await world.post("reader")
        theirs = await world.post("author")
        assert await everything(world, "reader") == [theirs.id]


async def test_readers_that_come_together_all_see_it(world: World, clock: PinnedClock, reader: str) -> None:
    await write(world, clock, 20)
    right = (await expected(world, reader))[:20]
    pages = await asyncio.gather(*(world.social.feeds.home(reader) for _ in range(20)))
    assert [ids(page) for page in pages] == [right] * 20


async def test_nothing_is_missing_while_others_post(
    world: World, clock: PinnedClock, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_feed, "MERGED_AT_ONCE", 10)
    monkeypatch.setattr(home_feed, "TRIES", 100)
    await write(world, clock, 50)
    before = await expected(world, reader)
    writing = asyncio.create_task(write(world, clock, 40, seed=4))
    seen = [await everything(world, reader, 5)]
    while not writing.done():
        seen.append(await everything(world, reader, 5))
    await writing
    for one in seen:
        assert len(set(one)) == len(one)
        assert [id for id in one if id in before] == before
    assert await everything(world, reader) == await expected(world, reader)


async def test_posts_made_while_a_feed_is_built_are_in_it(
    world: World, clock: PinnedClock, reader: str
) -> None:
    for round in range(10):
        clock.move(seconds=keys.HOME_SECONDS + 1)
        await asyncio.gather(
            world.social.feeds.home(reader),
            *(world.post(author) for author in AUTHORS[:-1]),
        )
        assert await everything(world, reader, 50) == await expected(world, reader), round


async def test_nobody_has_no_feed(world: World) -> None:
    with pytest.raises(ProfileNotFound):
        await world.social.feeds.home("nobody")
