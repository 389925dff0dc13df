import pytest

from tests.services.social.world import World, ids
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import PostBanned, ProfileNotFound


async def test_liking_twice_counts_once(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#tag")
    first, again = (
        await world.social.posts.like(post.id, "bob"),
        await world.social.posts.like(post.id, "bob"),
    )
    assert (first.changed, first.count, again.changed, again.count) == (True, 1, False, 1)
    assert await world.members(keys.post_likes(post.id)) == ["bob"]
    assert await world.score(keys.liked("bob"), post.id) == clock.now_ms()
    back, twice = (
        await world.social.posts.unlike(post.id, "bob"),
        await world.social.posts.unlike(post.id, "bob"),
    )
    assert (back.changed, back.count, twice.changed, twice.count) == (True, 0, False, 0)
    assert await world.members(keys.liked("bob")) == []
    await assert_clean(world.store)


async def test_bookmarks_are_listed_the_latest_first(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    posts = [await world.post("alice") for _ in range(3)]
    for post in posts:
        clock.move(ms=1)
        assert (await world.social.posts.bookmark(post.id, "bob")).changed
    assert not (await world.social.posts.bookmark(posts[0].id, "bob")).changed
    page = await world.social.feeds.bookmarked("bob")
    assert ids(page) == [post.id for post in posts[::-1]]
    assert all(item.is_bookmarked and not item.is_liked for item in page.items)
    await world.social.posts.unbookmark(posts[1].id, "bob")
    assert await world.field(keys.post(posts[1].id), "bookmarksCount") == "0"
    await assert_clean(world.store)


async def test_each_viewer_sees_its_own_marks(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice")
    await world.social.posts.like(post.id, "bob")
    for viewer, liked in (("bob", True), ("alice", False), (None, False)):
        (item,) = (await world.social.feeds.explore(viewer)).items
        assert (item.is_liked, item.post.likes_count) == (liked, 1)


async def test_the_dead_do_not_like(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#tag")
    await world.vanish("bob")
    for username in ("nobody", "bob"):
        for refused in (
            world.social.posts.like(post.id, username),
            world.social.posts.bookmark(post.id, username),
        ):
            with pytest.raises(ProfileNotFound):
                await refused
    assert await world.field(keys.post(post.id), "likesCount") == "0"
    assert await world.members(keys.post_likes(post.id)) == []
    assert await world.score(keys.hashtag_weights("tag"), post.id) is None
    await world.store.call("HDEL", keys.user("bob"), "deleting")
    await assert_clean(world.store)


async def test_a_banned_post_cannot_be_liked_but_a_like_can_be_taken_back(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#tag")
    await world.social.posts.like(post.id, "bob")
    await world.social.moderation.ban(post.id, "alice")
    for refused in (world.social.posts.like(post.id, "alice"), world.social.posts.bookmark(post.id, "alice")):
        with pytest.raises(PostBanned):
            await refused
    assert (await world.social.posts.unlike(post.id, "bob")).changed
    await assert_clean(world.store)


async def test_engagement_is_the_weighted_sum_of_all_posts(world: World) -> None:
    social = world.social
    await world.people("mia", role="model")
    await world.people("alice", "bob")
    first, second = await world.post("mia"), await world.post("mia")
    await social.posts.like(first.id, "alice")
    await social.posts.like(first.id, "bob")
    await social.posts.bookmark(second.id, "bob")
    assert await social.posts.set_comments_count(second.id, 7)
    assert not await social.posts.set_comments_count(second.id, 7)
    assert await world.score(keys.models_top(), "mia") == 2 * 3 + 4 + 7 * 5
    await social.posts.unlike(first.id, "bob")
    assert await world.score(keys.models_top(), "mia") == 3 + 4 + 35
    await social.moderation.ban(second.id, "alice")
    assert await world.score(keys.models_top(), "mia") == 3
    await social.moderation.unban(second.id)
    assert await world.score(keys.models_top(), "mia") == 3 + 4 + 35
    await social.moderation.ban(second.id, "alice")
    await social.posts.delete(second.id, None)
    assert await world.score(keys.models_top(), "mia") == 3
    await social.posts.delete(first.id, None)
    assert await world.score(keys.models_top(), "mia") == 0
    await assert_clean(world.store)
