"""Users who go."""

import asyncio

import httpx
import pytest

from tests.services.social.busy_user import MANY, Life, counts_of, make_busy_user, owned_by
from tests.services.social.crowd import crowd_of
from tests.services.social.killed_job import die_while
from tests.services.social.name_search import keys_naming
from tests.services.social.world import World, ids, open_world, signed_in
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import PostNotFound, ProfileNotFound, UsernameTaken
from townsquare.store.coordination.deletion import CHILDREN_AT_ONCE, SHARE_OF_SCRIPTS
from townsquare.store.keys import LEASE_SECONDS


@pytest.fixture
async def life(world: World) -> Life:
    return await make_busy_user(world)


async def test_nothing_anywhere_has_the_name_of_who_was_deleted(world: World, life: Life) -> None:
    only_with_account = {"user:Zelda:notices", "user:Zelda:notices:unread"}
    unused = {"user:Zelda:reported", *only_with_account}
    assert set(owned_by(life.name)) <= await keys_naming(world.store, life.name) | unused
    await world.social.users.delete(life.name)
    assert await keys_naming(world.store, life.name) == set()
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_counters_of_others_follow(world: World, life: Life) -> None:
    await world.social.users.delete(life.name)
    assert await counts_of(world, "ann") == {"postCount": MANY - 1, "followerCount": 0, "followingCount": 0}
    assert await counts_of(world, "cyd") == {"postCount": 0, "followerCount": 0, "followingCount": 0}
    liked = await world.social.posts.get(life.liked[0])
    assert (liked.likes_count, liked.bookmarks_count) == (0, 0)
    assert await world.members(keys.liked("bob")) == []


async def test_who_is_deleted_is_gone_at_once(world: World, life: Life) -> None:
    social = world.social
    post = await world.post("bob")
    await social.users.begin_delete(life.name)
    with pytest.raises(ProfileNotFound):
        await social.profiles.get(life.name)
    with pytest.raises(ProfileNotFound):
        await social.posts.create(life.name, "still here")
    with pytest.raises(ProfileNotFound):
        await social.follows.follow("dan", life.name)
    with pytest.raises(ProfileNotFound):
        await social.posts.like(post.id, life.name)
    with pytest.raises(UsernameTaken):
        await social.profiles.register(life.name)
    with pytest.raises(PostNotFound):
        await social.posts.see(life.posts[0], "bob")
    assert not set(ids(await social.feeds.explore("bob", limit=100))) & set(life.posts)
    assert (await social.search.users("zel", None)).items == []
    assert (await social.search.top_models(None)).items == []


async def test_progress_can_be_seen(world: World, life: Life) -> None:
    job = await world.social.users.begin_delete(life.name)
    (seen,) = await world.jobs.list()
    assert (seen.id, seen.kind, seen.state, seen.done) == (job, "social.delete_user", "open", 0)
    reports, bans, blocks, mutes = 1, 1, 2, 2
    others = 2 + 3 + 2 + reports + bans + blocks + mutes
    assert seen.total == len(life.posts) + len(life.liked) + others


async def test_deleting_twice_is_one_deletion(world: World, life: Life) -> None:
    begun = await asyncio.gather(*(world.social.users.begin_delete(life.name) for _ in range(5)))
    assert len(set(begun)) == 1
    await asyncio.gather(*(world.social.users.delete(life.name) for _ in range(3)))
    with pytest.raises(ProfileNotFound):
        await world.social.users.begin_delete(life.name)
    assert await keys_naming(world.store, life.name) == set()


@pytest.mark.faults
@pytest.mark.parametrize("steps", [0, 1, 2, 4])
async def test_a_deletion_that_was_killed_half_way_is_finished_by_the_next_process(
    world: World, place: Place, clock: PinnedClock, life: Life, steps: int
) -> None:
    await die_while(place, "delete", life.name, steps)
    assert await keys_naming(world.store, life.name)
    (seen,) = await world.jobs.list()
    assert seen.total is not None
    assert seen.done < seen.total
    clock.move(seconds=LEASE_SECONDS + 1)
    async with open_world(place, clock) as next_process:
        await next_process.store.effects.sweep()
        await next_process.jobs.run_open()
    assert await keys_naming(world.store, life.name) == set()
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_a_share_is_bounded(world: World, life: Life) -> None:
    share, user = world.jobs.deletion.share, keys.user(life.name)
    assert await share(user) == CHILDREN_AT_ONCE + 1  # a banned one as well
    left = len(life.posts) - CHILDREN_AT_ONCE - 1
    assert await world.store.call("ZCARD", keys.user_posts(life.name)) == left
    while await world.store.call("ZCARD", keys.user_posts(life.name)):
        assert await share(user) <= CHILDREN_AT_ONCE
    taken = 0
    while done := await share(user):
        assert done <= SHARE_OF_SCRIPTS
        taken += done
    assert taken >= len(life.liked) > SHARE_OF_SCRIPTS


async def test_who_forgets_share_by_share_ends_with_nothing(world: World, life: Life) -> None:
    shares = 0
    while await world.jobs.deletion.share(keys.user(life.name)):
        shares += 1
        assert shares < 30
    assert await keys_naming(world.store, life.name) == set()
    await assert_clean(world.store)


async def test_a_post_with_many_likes_goes_with_its_author(world: World) -> None:
    await world.people("Zelda", *(f"fan{number}" for number in range(120)))
    post = await world.post("Zelda", "famous #hyrule")
    await asyncio.gather(*(world.social.posts.like(post.id, f"fan{number}") for number in range(120)))
    await world.social.users.delete("Zelda")
    assert await keys_naming(world.store, "Zelda") == set()
    assert await keys_naming(world.store, post.id) == set()
    await assert_clean(world.store)


async def test_a_post_that_is_not_there_does_not_keep_a_deletion_from_ending(world: World) -> None:
    await world.people("Zelda")
    post = await world.post("Zelda")
    await world.store.call("DEL", keys.post(post.id))
    await world.social.users.delete("Zelda")
    assert await world.jobs.list() == []


async def test_a_name_is_free_again_after_a_deletion(world: World, life: Life) -> None:
    await world.social.users.delete(life.name)
    fresh = await world.social.profiles.register(life.name)
    assert (fresh.post_count, fresh.follower_count, fresh.role) == (0, 0, "user")
    await assert_clean(world.store)


async def test_a_banned_post_stays_banned_without_its_moderator_and_can_come_back(
    world: World, life: Life
) -> None:
    await world.social.users.delete(life.name)
    assert (await world.social.posts.get(life.liked[2])).banned
    assert (await world.social.moderation.unban(life.liked[2])).changed
    await assert_clean(world.store)


async def test_deletions_in_a_crowd_that_goes_on_leave_nothing_wrong(world: World) -> None:
    """Half of the crowd is deleted while everybody likes, follows, blocks and posts."""
    crowd = await crowd_of(world, 16)
    deleted = crowd.names[::2]
    await asyncio.gather(*crowd.live(turns=12), *(world.social.users.delete(name) for name in deleted))
    for name in deleted:
        assert await keys_naming(world.store, name) == set(), name
    await assert_clean(world.store)


async def test_one_deletes_oneself_and_a_moderator_deletes_anybody(
    world: World, http: httpx.AsyncClient
) -> None:
    await world.people("ann", "bob", "cyd")
    assert (await http.delete("/social/users/bob")).status_code == 401
    assert (await http.delete("/social/users/bob", headers=signed_in("ann"))).status_code == 403
    own = await http.delete("/social/users/me", headers=signed_in("ann"))
    assert own.status_code == 202
    by_a_moderator = await http.delete("/social/users/bob", headers=signed_in("mod/admin"))
    assert by_a_moderator.status_code == 202
    assert {seen.id for seen in await world.jobs.list()} == {own.json()["job"], by_a_moderator.json()["job"]}
    for name in ("ann", "bob"):
        assert (await http.get(f"/social/users/{name}")).status_code == 404
    assert (await http.delete("/social/users/nobody", headers=signed_in("mod/admin"))).status_code == 404
    await world.jobs.run_open()
    await assert_clean(world.store)
