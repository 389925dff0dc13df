"""Many at once, with deletes and bans mixed in: then every counter equals its set and every feed is right."""

import asyncio
import contextlib
import itertools
import random

import pytest

from tests.services.social.world import World, ids, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.problems import Problem
from townsquare.services.social import keys
from townsquare.services.social.keys import hashtags, is_shown
from townsquare.services.social.problems import PostBanned, PostNotFound, ProfileNotFound

USERS = [f"user{number}" for number in range(200)]
MODELS = set(USERS[::10])
TAGS = ["a", "b", "c"]
STEPS = 12


async def live(world: World, username: str, posts: list[str]) -> None:
    chance = random.Random(username)
    social = world.social
    for _ in range(STEPS):
        other = chance.choice(USERS)
        id = chance.choice(posts) if posts else ""
        try:
            match chance.randrange(12):
                case 0 | 1:
                    tags = " ".join(f"#{tag}" for tag in chance.sample(TAGS, 2))
                    posts.append((await world.post(username, f"hello {tags}")).id)
                case 2 | 3:
                    await social.posts.like(id, username)
                case 4:
                    await social.posts.unlike(id, username)
                case 5:
                    await social.posts.bookmark(id, username)
                case 6:
                    await social.posts.unbookmark(id, username)
                case 7 if other != username:
                    await social.follows.follow(username, other)
                case 8 if other != username:
                    await social.follows.unfollow(username, other)
                case 9:
                    await (
                        social.moderation.ban(id, username)
                        if chance.random() < 0.5
                        else social.moderation.unban(id)
                    )
                case 10 if chance.random() < 0.4:
                    await social.posts.delete(id, None)
                case 11 if other != username:
                    await social.feeds.home(username)
                    if chance.random() < 0.2:
                        await social.follows.block(username, other)
        except (PostNotFound, PostBanned, ProfileNotFound):
            pass


async def assert_everything_holds(world: World, posts: list[str]) -> None:
    alive = {id: record for id in posts if (record := await world.record(keys.post(id)))}
    for id, record in alive.items():
        likes, bookmarks = (
            await world.members(keys.post_likes(id)),
            await world.members(keys.post_bookmarks(id)),
        )
        assert (int(record["likesCount"]), int(record["bookmarksCount"])) == (len(likes), len(bookmarks))
    shown = {id: record for id, record in alive.items() if is_shown(record)}
    assert set(await world.members(keys.explore_feed())) == set(shown)
    for tag in TAGS:
        tagged = {id for id, record in shown.items() if tag in hashtags(record)}
        assert set(await world.members(keys.hashtag_posts(tag))) == tagged
        assert set(await world.members(keys.hashtag_ranked(tag))) == tagged
    for username in USERS:
        own = {id for id, record in shown.items() if record["user_id"] == username}
        assert set(await world.members(keys.user_posts(username))) == own
        assert await world.count(username, "postCount") == len(own)
        followers, following = (
            await world.members(keys.followers(username)),
            await world.members(keys.following(username)),
        )
        assert await world.count(username, "followerCount") == len(followers)
        assert await world.count(username, "followingCount") == len(following)
        weight = sum(
            int(record["likesCount"]) * 3 + int(record["bookmarksCount"]) * 4
            for record in shown.values()
            if record["user_id"] == username
        )
        assert await world.count(username, "engagement") == weight
        if username in MODELS:
            assert await world.score(keys.models_top(), username) == weight
    for reader in USERS[:20]:
        followed = {reader, *await world.members(keys.following(reader))}
        right = {id for id, record in shown.items() if record["user_id"] in followed}
        seen: list[str] = []
        cursor = None
        while True:
            page = await world.social.feeds.home(reader, cursor, 50)
            seen += ids(page)
            cursor = page.next
            if cursor is None:
                break
        assert (set(seen), len(seen)) == (right, len(right))
    await assert_clean(world.store)


@pytest.mark.slow
async def test_two_hundred_users_at_once(place: Place, clock: PinnedClock) -> None:
    async with open_world(place, clock) as world, open_world(place, clock) as elsewhere:
        for username in USERS:
            await world.people(username, role="model" if username in MODELS else "user")
        posts = [(await world.post(username, "first #a")).id for username in USERS[:10]]
        async with asyncio.TaskGroup() as tasks:
            for number, username in enumerate(USERS):
                tasks.create_task(live((world, elsewhere)[number % 2], username, posts))
        await world.store.effects.sweep()
        await assert_everything_holds(world, posts)


async def test_a_hundred_like_and_unlike_one_post(world: World) -> None:
    fans = USERS[:100]
    await world.people(*fans)
    post = await world.post(fans[0], "#a")

    async def waver(username: str) -> None:
        for _ in range(3):
            await world.social.posts.like(post.id, username)
            await world.social.posts.unlike(post.id, username)
        await world.social.posts.like(post.id, username)

    await asyncio.gather(*(waver(fan) for fan in fans))
    assert await world.field(keys.post(post.id), "likesCount") == "100"
    assert await world.score(keys.hashtag_weights("a"), post.id) == 300
    await assert_clean(world.store)


async def test_the_last_of_many_changes_at_once_is_in_every_post(place: Place, clock: PinnedClock) -> None:
    async with open_world(place, clock) as world, open_world(place, clock) as elsewhere:
        await world.people("alice")
        posts = [await world.post("alice") for _ in range(100)]
        await world.social.moderation.ban(posts[7].id, "alice")

        async def change(turn: int, number: int) -> None:
            for _ in range(number * (1 + turn % 3)):
                await world.field(keys.user("alice"), "display_name")  # some later than others
            social = (world, elsewhere)[number % 2].social
            await social.users.change("alice", {"display_name": f"turn {turn} name {number}"})

        for turn in range(15):
            await asyncio.gather(*(change(turn, number) for number in range(8)))
            last = await world.field(keys.user("alice"), "display_name")
            assert {await world.field(keys.post(post.id), "display_name") for post in posts} == {last}
        assert await world.jobs.list() == []
        await assert_clean(world.store)


async def test_one_user_likes_once_however_often_at_once(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice")
    marks = await asyncio.gather(*(world.social.posts.like(post.id, "bob") for _ in range(50)))
    assert sum(mark.changed for mark in marks) == 1
    follows = await asyncio.gather(*(world.social.follows.follow("bob", "alice") for _ in range(50)))
    assert sum(follow.changed for follow in follows) == 1
    await assert_clean(world.store)


async def test_a_post_is_deleted_and_banned_once_however_often_at_once(world: World) -> None:
    await world.people("alice", "bob")
    kept, post = await world.post("alice", "#a"), await world.post("alice", "#a")
    await world.social.posts.like(post.id, "bob")

    async def tried(number: int) -> bool:
        operations = (
            world.social.moderation.ban(post.id, "bob"),
            world.social.moderation.unban(post.id),
            world.social.posts.delete(post.id, "alice"),
        )
        for place, operation in enumerate(operations):
            if place != number % 3:
                operation.close()
        try:
            await operations[number % 3]
        except Problem:
            return False
        return number % 3 == 2

    deleted = await asyncio.gather(*(tried(number) for number in range(60)))
    assert sum(deleted) == 1
    assert await world.count("alice", "postCount") == 1
    assert await world.members(keys.explore_feed()) == [kept.id]
    await assert_clean(world.store)


async def test_follows_and_blocks_at_once_end_alike_on_both_sides(world: World) -> None:
    everybody = USERS[:12]
    await world.people(*everybody)

    async def quarrel(number: int) -> None:
        chance = random.Random(number)
        for _ in range(10):
            one, other = chance.sample(everybody, 2)
            social = world.social
            operation = chance.choice(
                [
                    social.follows.follow,
                    social.follows.unfollow,
                    social.follows.block,
                    social.follows.unblock,
                    social.follows.mute,
                    social.follows.unmute,
                ]
            )
            with contextlib.suppress(ProfileNotFound):
                await operation(one, other)

    await asyncio.gather(*(quarrel(number) for number in range(40)))
    await world.store.effects.sweep()
    for one in everybody:
        blocked = set(await world.members(keys.blocking(one)))
        assert not blocked & set(await world.members(keys.following(one)))
        assert not blocked & set(await world.members(keys.followers(one)))
    await assert_clean(world.store)


async def like_and_be_blocked(liking: World, blocking: World) -> tuple[str, dict[str, bool]]:
    """A hundred like a post while its author blocks them; answers the post and whose like was not refused."""
    fans = [f"fan{number}" for number in range(100)]
    await liking.people("alice", *fans)
    post = await liking.post("alice", "#tag")

    async def like(fan: str) -> bool:
        with contextlib.suppress(PostNotFound):
            return (await liking.social.posts.like(post.id, fan)).changed
        return False

    async def block(fan: str) -> None:
        await blocking.social.follows.block("alice", fan)

    likes: dict[str, asyncio.Task[bool]] = {}
    async with asyncio.TaskGroup() as tasks:
        for fan, earlier in zip(fans, itertools.cycle((True, False))):
            if earlier:
                tasks.create_task(block(fan))
            likes[fan] = tasks.create_task(like(fan))
            if not earlier:
                tasks.create_task(block(fan))
    while await liking.store.effects.sweep():
        pass
    return post.id, {fan: task.result() for fan, task in likes.items()}


async def test_a_like_that_races_a_block_stands_on_both_sides_or_is_refused(world: World) -> None:
    id, stands = await like_and_be_blocked(world, world)
    assert await world.members(keys.post_likes(id)) == sorted(fan for fan, kept in stands.items() if kept)
    for fan, kept in stands.items():
        assert await world.members(keys.liked(fan)) == ([id] if kept else [])
    await assert_clean(world.store)


async def test_likes_and_blocks_of_two_processes_end_alike_on_both_sides(
    place: Place, clock: PinnedClock
) -> None:
    async with open_world(place, clock) as here, open_world(place, clock) as there:
        id, stands = await like_and_be_blocked(here, there)
        likes = await here.members(keys.post_likes(id))
        for fan, kept in stands.items():
            assert await here.members(keys.liked(fan)) == ([id] if fan in likes else [])
            assert kept or fan not in likes
        await assert_clean(here.store)
