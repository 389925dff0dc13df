"""Deletion and rename of somebody whom many know, smaller than in bench/social_deletion.py."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.services.social.name_search import keys_naming
from tests.services.social.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys

POSTS, LIKES, FOLLOWERS = 100, 800, 500
NAME, NEW_NAME = "Zelda", "Sheik"


@pytest.fixture
async def crowd(plain_place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    async with open_world(plain_place, clock) as world:
        social, now = world.social, clock.now_ms()
        fans = [f"fan{number}" for number in range(FOLLOWERS)]

        def written(number: int, author: str) -> dict[str, Any]:
            content = f"number {number} #tag{number % 20}"
            return {"id": number, "username": author, "content": content, "created_at": now - number}

        for load, records in (
            (social.sync.users, [{"username": name} for name in [NAME, *fans]]),
            (social.sync.follows, [{"follower": fan, "followed": NAME} for fan in fans]),
            (social.sync.follows, [{"follower": NAME, "followed": fan} for fan in fans[::3]]),
            (social.sync.posts, [written(number, NAME) for number in range(POSTS)]),
            (
                social.sync.posts,
                [written(POSTS + number, fans[number % FOLLOWERS]) for number in range(LIKES)],
            ),
            (social.sync.likes, [{"post_id": POSTS + number, "username": NAME} for number in range(LIKES)]),
            (social.sync.likes, [{"post_id": 0, "username": fan} for fan in fans]),
        ):
            assert {answer.status for answer in await load(records)} == {"created"}
        yield world


@pytest.mark.slow
async def test_a_deletion_leaves_no_key_and_no_member(crowd: World) -> None:
    await crowd.social.users.delete(NAME)
    assert await keys_naming(crowd.store, NAME) == set()
    assert await crowd.store.call("ZCARD", keys.explore_feed()) == LIKES
    assert await crowd.jobs.list() == []
    await assert_clean(crowd.store)


@pytest.mark.slow
async def test_a_rename_brings_everything_along(crowd: World) -> None:
    await crowd.social.users.rename(NAME, NEW_NAME)
    await crowd.jobs.run_open()
    assert await keys_naming(crowd.store, NAME) == {f"renamed:{NAME}", f"user:{NEW_NAME}:former"}
    profile = await crowd.social.profiles.get(NEW_NAME)
    assert (profile.post_count, profile.follower_count) == (POSTS, FOLLOWERS)
    assert await crowd.store.call("ZCARD", keys.liked(NEW_NAME)) == LIKES
    assert await crowd.store.call("ZSCORE", keys.big_authors(), NEW_NAME) == FOLLOWERS
    await assert_clean(crowd.store)
