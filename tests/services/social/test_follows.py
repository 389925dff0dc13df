import pytest

from tests.services.social.world import World, ids
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import FollowingTooMany, NotYourself, PostNotFound, ProfileNotFound


async def test_following_twice_counts_once(world: World) -> None:
    await world.people("alice", "bob")
    assert (await world.social.follows.follow("alice", "bob")).changed
    again = await world.social.follows.follow("alice", "bob")
    assert (again.changed, again.count) == (False, 1)
    assert await world.members(keys.following("alice")) == ["bob"]
    assert await world.members(keys.followers("bob")) == ["alice"]
    assert (await world.count("alice", "followingCount"), await world.count("bob", "followerCount")) == (1, 1)
    await assert_clean(world.store)


async def test_unfollowing_twice_changes_once(world: World) -> None:
    await world.people("alice", "bob")
    await world.social.follows.follow("alice", "bob")
    assert (await world.social.follows.unfollow("alice", "bob")).changed
    assert not (await world.social.follows.unfollow("alice", "bob")).changed
    assert (await world.count("alice", "followingCount"), await world.count("bob", "followerCount")) == (0, 0)
    await assert_clean(world.store)


async def test_nobody_cannot_be_followed_and_no_ghost_appears(world: World) -> None:
    await world.people("alice")
    with pytest.raises(ProfileNotFound):
        await world.social.follows.follow("alice", "nobody")
    with pytest.raises(ProfileNotFound):
        await world.social.follows.follow("nobody", "alice")
    with pytest.raises(NotYourself):
        await world.social.follows.follow("alice", "alice")
    assert await world.count("alice", "followingCount") == 0
    assert await world.store.call("EXISTS", keys.user("nobody")) == 0
    await assert_clean(world.store)


async def test_who_is_being_deleted_is_nobody(world: World) -> None:
    await world.people("alice", "bob")
    await world.vanish("bob")
    with pytest.raises(ProfileNotFound):
        await world.social.follows.follow("alice", "bob")
    assert await world.members(keys.following("alice")) == []


async def test_there_is_a_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.follows.FOLLOWING_LIMIT", 2)
    await world.people("alice", "b", "c", "d")
    await world.social.follows.follow("alice", "b")
    await world.social.follows.follow("alice", "c")
    with pytest.raises(FollowingTooMany):
        await world.social.follows.follow("alice", "d")
    assert not (await world.social.follows.follow("alice", "c")).changed


async def test_lists_are_paged_the_latest_first(world: World, clock: PinnedClock) -> None:
    names = [f"user{number}" for number in range(7)]
    await world.people("star", *names)
    for name in names:
        clock.move(ms=1)
        await world.social.follows.follow(name, "star")
    seen: list[str] = []
    cursor = None
    while True:
        page = await world.social.follows.followers("star", None, cursor, 3)
        seen += [profile.username for profile in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert seen == names[::-1]
    page = await world.social.follows.following("user1", None)
    assert [profile.username for profile in page.items] == ["star"]


async def test_a_block_hides_both_from_each_other(world: World) -> None:
    social = world.social
    await world.people("alice", "bob", "carol")
    await social.follows.follow("alice", "bob")
    await social.follows.follow("bob", "alice")
    theirs = await world.post("bob", "hi #tag")
    mine = await world.post("alice", "hi #tag")
    assert (await social.follows.block("alice", "bob")).changed
    assert not (await social.follows.block("alice", "bob")).changed
    for one, other, hidden in (("alice", "bob", theirs), ("bob", "alice", mine)):
        assert await world.members(keys.following(one)) == []
        assert hidden.id not in ids(await social.feeds.explore(one))
        assert hidden.id not in ids(await social.feeds.hashtag("tag", one))
        assert hidden.id not in ids(await social.feeds.ranked("tag", one))
        for refused in (social.posts.see(hidden.id, one), social.posts.like(hidden.id, one)):
            with pytest.raises(PostNotFound):
                await refused
        for asked in (
            social.profiles.see(other, one),
            social.feeds.user_posts(other, one),
            social.follows.follow(one, other),
        ):
            with pytest.raises(ProfileNotFound):
                await asked
    assert theirs.id in ids(await social.feeds.explore("carol"))
    assert await world.members(keys.post_likes(theirs.id)) == []
    await assert_clean(world.store)
    assert [one.username for one in (await social.follows.blocked("alice")).items] == ["bob"]
    assert (await social.follows.unblock("alice", "bob")).changed
    assert not (await social.follows.unblock("alice", "bob")).changed
    assert (await social.posts.like(theirs.id, "alice")).changed
    assert (await social.follows.follow("bob", "alice")).changed
    await assert_clean(world.store)


async def test_a_blocked_user_is_missing_from_lists(world: World) -> None:
    await world.people("star", "bob", "carol")
    await world.social.follows.follow("bob", "star")
    await world.social.follows.follow("carol", "star")
    await world.social.follows.block("bob", "carol")
    page = await world.social.follows.followers("star", "bob")
    assert [profile.username for profile in page.items] == ["bob"]


async def test_muted_users_are_hidden_from_feeds_only(world: World) -> None:
    social = world.social
    await world.people("alice", "bob")
    await social.follows.follow("alice", "bob")
    post = await world.post("bob", "hi #tag")
    await social.follows.mute("alice", "bob")
    assert ids(await social.feeds.explore("alice")) == []
    assert ids(await social.feeds.home("alice")) == []
    assert ids(await social.feeds.hashtag("tag", "alice")) == []
    assert ids(await social.feeds.user_posts("bob", "alice")) == [post.id]
    seen = await social.profiles.see("bob", "alice")
    assert (seen.is_muted, seen.is_following) == (True, True)
    assert [one.username for one in (await social.follows.muted("alice")).items] == ["bob"]
    await social.follows.unmute("alice", "bob")
    assert ids(await social.feeds.home("alice")) == [post.id]
    await assert_clean(world.store)


async def test_nobody_cannot_be_blocked_or_muted(world: World) -> None:
    await world.people("alice")
    for refused in (
        world.social.follows.block("alice", "nobody"),
        world.social.follows.mute("alice", "nobody"),
    ):
        with pytest.raises(ProfileNotFound):
            await refused
    assert await world.members(keys.blocking("alice")) == []
    await assert_clean(world.store)


async def test_an_author_with_many_followers_is_known_as_such(world: World) -> None:
    await world.people("star", "last")
    fans = [f"fan{number}" for number in range(keys.BIG_AUTHOR - 1)]
    await world.store.call("SADD", keys.followers("star"), *fans)
    await world.social.follows.follow("last", "star")
    assert await world.score(keys.big_authors(), "star") == keys.BIG_AUTHOR
    await world.social.follows.unfollow("last", "star")
    assert await world.score(keys.big_authors(), "star") is None
