"""On a cluster: what happened between a script and its effects on other homes."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.services.social.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys
from townsquare.services.social.scripts import (
    BanPost,
    BlockOrMuteUser,
    CreatePost,
    DeletePost,
    FollowUser,
    LikeOrBookmarkPost,
    ReportPost,
    UnbanPost,
    lua,
)
from townsquare.store.scripts import Script
from townsquare.store.scripts.folder import BY_STRUCT


@pytest.fixture
async def world(cluster_place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    async with open_world(cluster_place, clock) as world:
        await world.people("alice", "bob")
        yield world


async def begin(world: World, script: Script[Any]) -> None:
    """The script alone: its effects wait in the outbox, as after a crash."""
    known = BY_STRUCT[type(script)]
    await world.store.run_undrained(known, known.values_of(script, world.store.clock))


async def finish(world: World) -> None:
    while await world.store.effects.sweep():
        pass


def mark(world: World, id: str, username: str, kind: str = "like") -> LikeOrBookmarkPost:
    return LikeOrBookmarkPost(id=id, username=username, kind=kind)


async def come_back(world: World, username: str) -> None:
    await world.store.call("HDEL", keys.user(username), "deleting")


async def test_a_like_whose_effects_were_left_is_finished(world: World) -> None:
    post = await world.post("alice", "#tag")
    await begin(world, mark(world, post.id, "bob"))
    assert await world.members(keys.liked("bob")) == []
    await finish(world)
    assert await world.members(keys.liked("bob")) == [post.id]
    assert await world.score(keys.hashtag_weights("tag"), post.id) == 3
    assert await world.count("alice", "engagement") == 3
    await assert_clean(world.store)


@pytest.mark.parametrize("kind", ["like", "bookmark"])
async def test_a_like_of_somebody_who_left_is_taken_back(world: World, kind: str) -> None:
    post = await world.post("alice", "#tag")
    await begin(world, mark(world, post.id, "bob", kind))
    await world.vanish("bob")
    await finish(world)
    assert await world.members(keys.post_likes(post.id)) == []
    assert await world.field(keys.post(post.id), "likesCount") == "0"
    assert await world.field(keys.post(post.id), "bookmarksCount") == "0"
    assert await world.count("alice", "engagement") == 0
    await come_back(world, "bob")
    await assert_clean(world.store)


async def test_a_like_of_somebody_who_was_blocked_meanwhile_is_taken_back(world: World) -> None:
    post = await world.post("alice", "#tag")
    await begin(world, mark(world, post.id, "bob"))
    await world.social.follows.block("bob", "alice")
    await finish(world)
    assert await world.members(keys.post_likes(post.id)) == []
    await assert_clean(world.store)


async def test_a_report_of_somebody_who_left_is_taken_back(world: World) -> None:
    post = await world.post("alice")
    await begin(world, ReportPost(id=post.id, username="bob", reason="spam"))
    await world.vanish("bob")
    await finish(world)
    assert await world.members(keys.reports_open()) == []
    assert await world.store.call("EXISTS", keys.post_reasons(post.id)) == 0
    await come_back(world, "bob")
    await assert_clean(world.store)


@pytest.mark.parametrize("order", ["ban", "delete", "ban unban", "ban delete", "ban unban delete"])
async def test_a_liked_post_that_is_banned_or_deleted_before_the_effects_ends_right(
    world: World, order: str
) -> None:
    post = await world.post("alice", "#tag")
    await begin(world, mark(world, post.id, "bob"))
    await begin(world, mark(world, post.id, "bob", "bookmark"))
    for verb in order.split():
        match verb:
            case "ban":
                await begin(world, BanPost(id=post.id, moderator="bob"))
            case "unban":
                await begin(world, UnbanPost(id=post.id))
            case _:
                job = post.id
                await begin(world, DeletePost(begin=True, id=post.id, username=None, chunk=100, job=job))
    await finish(world)
    shown = [post.id] if order.endswith("unban") else []
    for key in (
        keys.explore_feed(),
        keys.hashtag_posts("tag"),
        keys.hashtag_ranked("tag"),
        keys.user_posts("alice"),
    ):
        assert await world.members(key) == shown
    assert await world.count("alice", "engagement") == (7 if shown else 0)
    assert await world.count("alice", "postCount") == len(shown)
    await assert_clean(world.store)


async def test_a_ban_by_somebody_who_left_stands_without_the_name(world: World) -> None:
    post = await world.post("alice", "#tag")
    await begin(world, BanPost(id=post.id, moderator="bob"))
    assert await world.field(keys.post(post.id), "banned_by") == "bob"
    await world.vanish("bob")
    await finish(world)
    assert await world.field(keys.post(post.id), "banned") == "true"
    assert await world.field(keys.post(post.id), "banned_by") is None
    assert await world.members(keys.moderated("bob")) == []
    await come_back(world, "bob")
    await assert_clean(world.store)


async def test_a_post_made_and_deleted_before_the_effects_leaves_nothing(world: World) -> None:
    now = world.store.clock.now_ms()
    id = f"00000000-0000-4000-8000-000000000{keys.user_bucket('alice')}"
    await begin(
        world, CreatePost(username="alice", id=id, content="#tag", media_url=None, hashtags=["tag"], now=now)
    )
    await begin(world, DeletePost(begin=True, id=id, username="alice", chunk=100, job=id))
    await finish(world)
    for key in (
        keys.explore_feed(),
        keys.hashtag_posts("tag"),
        keys.hashtag_ranked("tag"),
        keys.hashtags_trending(),
    ):
        assert await world.members(key) == []
    await assert_clean(world.store)


async def test_a_copy_that_was_under_way_does_not_cover_a_later_change(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    post = await world.post("alice")
    await world.social.users.change("alice", {"display_name": "first"})
    await world.store.run_undrained(lua.script_of("copy_author"), ("alice", post.id))
    await world.social.users.change("alice", {"display_name": "second"})
    await world.jobs.run_open()
    assert await world.field(keys.post(post.id), "display_name") == "second"
    await assert_clean(world.store)


async def test_a_follow_of_somebody_who_left_is_taken_back(world: World) -> None:
    await begin(world, FollowUser(username="alice", other="bob", limit=10))
    await world.vanish("bob")
    await finish(world)
    assert await world.members(keys.following("alice")) == []
    assert await world.count("alice", "followingCount") == 0
    await come_back(world, "bob")
    await assert_clean(world.store)


async def test_a_follow_and_a_block_that_cross_end_without_a_follow(world: World) -> None:
    await begin(world, FollowUser(username="alice", other="bob", limit=10))
    await begin(world, BlockOrMuteUser(username="bob", other="alice", kind="block"))
    await finish(world)
    assert await world.members(keys.following("alice")) == []
    assert await world.members(keys.followers("bob")) == []
    assert await world.members(keys.blocked_by("alice")) == ["bob"]
    await assert_clean(world.store)


@pytest.mark.parametrize("kind", ["block", "mute"])
async def test_a_block_of_somebody_who_left_is_taken_back(world: World, kind: str) -> None:
    await begin(world, BlockOrMuteUser(username="alice", other="bob", kind=kind))
    await world.vanish("bob")
    await finish(world)
    assert await world.members(keys.blocking("alice")) == []
    assert await world.members(keys.muting("alice")) == []
    await come_back(world, "bob")
    await assert_clean(world.store)
