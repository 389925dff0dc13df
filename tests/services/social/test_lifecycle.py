"""The lifecycle section of the seed, line by line: each test is named by the lines that it holds."""

import pytest

from tests.services.social.world import World
from tests.support.clock import PinnedClock
from townsquare.keyspace import AnyKey
from townsquare.services.social import keys
from townsquare.services.social.problems import UsernameTaken


async def exists(world: World, *several: AnyKey) -> list[int]:
    return [await world.store.call("EXISTS", key) for key in several]


async def test_user_registration_creates_the_profile_and_its_empty_sets_and_enters_a_registry(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice", given={"display_name": "Alice Smith"})
    await world.people("mia", role="model")
    # `user:<username>` - Created with initial profile data
    assert await world.record(keys.user("alice")) == {
        "username": "alice",
        "display_name": "Alice Smith",
        "role": "user",
        "postCount": "0",
        "followerCount": "0",
        "followingCount": "0",
        "created_at": str(clock.now_ms()),
    }
    # `user:<username>:posts|followers|following|bookmarked` - Created empty: to Redis, an empty set is no key
    empty = (keys.user_posts, keys.followers, keys.following, keys.bookmarked)
    assert await exists(world, *(key("alice") for key in empty)) == [0] * 4
    # `users:regular` or `users:models` - User added based on role
    assert await world.members(keys.users_regular()) == ["alice"]
    assert await world.members(keys.users_models()) == ["mia"]


async def test_post_creation_creates_the_record_and_adds_its_id_to_every_feed(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice", given={"display_name": "Alice", "avatar": "https://a.example/a.png"})
    post = await world.social.posts.create("alice", "Hello #Travel #food", "https://m.example/1.jpg")
    # `post:<id>` - Created with post data and denormalized user info
    assert await world.record(keys.post(post.id)) == {
        "id": post.id,
        "user_id": "alice",
        "content": "Hello #Travel #food",
        "media_url": "https://m.example/1.jpg",
        "created_at": str(clock.now_ms()),
        "hashtags": "travel food",
        "username": "alice",
        "display_name": "Alice",
        "avatar": "https://a.example/a.png",
        "user_role": "user",
        "likesCount": "0",
        "commentsCount": "0",
        "bookmarksCount": "0",
    }
    # `post:<id>:likes|bookmarks` - Created empty
    assert await exists(world, keys.post_likes(post.id), keys.post_bookmarks(post.id)) == [0, 0]
    # `explore:feed` - Post ID added
    assert await world.score(keys.explore_feed(), post.id) == clock.now_ms()
    for tag in ("travel", "food"):
        # `hashtag:<tag>:posts` - Post ID added for each hashtag
        assert await world.score(keys.hashtag_posts(tag), post.id) == clock.now_ms()
        # `hashtag:<tag>:ranked` - Post ID added with engagement score
        assert await world.score(keys.hashtag_ranked(tag), post.id) == 0
    # `user:<username>:posts` - Post ID added to creator's posts
    assert await world.score(keys.user_posts("alice"), post.id) == clock.now_ms()
    assert await world.count("alice", "postCount") == 1


async def test_follow_action_and_unfollow(world: World) -> None:
    await world.people("alice", "bob")
    await world.social.follows.follow("alice", "bob")
    # `user:<follower>:following` - Target username added
    assert await world.members(keys.following("alice")) == ["bob"]
    # `user:<target>:followers` - Follower username added
    assert await world.members(keys.followers("bob")) == ["alice"]
    # `followingCount`, `followerCount` - Incremented
    assert (await world.count("alice", "followingCount"), await world.count("bob", "followerCount")) == (1, 1)
    await world.social.follows.unfollow("alice", "bob")
    # Entry removed from `user:<follower>:following` and `user:<target>:followers`
    assert await exists(world, keys.following("alice"), keys.followers("bob")) == [0, 0]
    # `followingCount`, `followerCount` - decremented
    assert (await world.count("alice", "followingCount"), await world.count("bob", "followerCount")) == (0, 0)


async def test_interaction_like_and_bookmark(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#travel")
    clock.move(hours=1)
    # `post:<id>:likes` - Username added; `likesCount` - Incremented; `ranked` - score recalculated
    await world.social.posts.like(post.id, "bob")
    assert await world.members(keys.post_likes(post.id)) == ["bob"]
    assert await world.field(keys.post(post.id), "likesCount") == "1"
    assert await world.score(keys.hashtag_ranked("travel"), post.id) == 3 / 2
    # `post:<id>:bookmarks` - Username added; `bookmarksCount` - Incremented; `ranked` - score recalculated
    await world.social.posts.bookmark(post.id, "bob")
    assert await world.members(keys.post_bookmarks(post.id)) == ["bob"]
    assert await world.field(keys.post(post.id), "bookmarksCount") == "1"
    assert await world.score(keys.hashtag_ranked("travel"), post.id) == (3 + 4) / 2
    # `user:<username>:bookmarked` - Post ID added (for bookmarks only)
    assert await world.score(keys.bookmarked("bob"), post.id) == clock.now_ms()
    # decremented, recalculated
    await world.social.posts.unlike(post.id, "bob")
    await world.social.posts.unbookmark(post.id, "bob")
    assert await world.field(keys.post(post.id), "likesCount") == "0"
    assert await world.field(keys.post(post.id), "bookmarksCount") == "0"
    assert await world.score(keys.hashtag_ranked("travel"), post.id) == 0
    assert await exists(world, keys.bookmarked("bob")) == [0]


async def test_profile_update_changes_fields_and_the_denormalized_copies_in_all_posts(world: World) -> None:
    await world.people("alice")
    posts = [await world.post("alice") for _ in range(3)]
    await world.social.users.change("alice", {"display_name": "A", "avatar": "https://a.example/b.png"})
    # `user:<username>` - Fields updated
    assert await world.field(keys.user("alice"), "display_name") == "A"
    for post in posts:
        # `post:<id>` - Denormalized fields updated for all user's posts
        assert await world.field(keys.post(post.id), "display_name") == "A"
        assert await world.field(keys.post(post.id), "avatar") == "https://a.example/b.png"


async def test_post_deletion_removes_the_record_its_sets_and_its_id_from_every_feed(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#travel")
    await world.social.posts.like(post.id, "bob")
    await world.social.posts.bookmark(post.id, "bob")
    await world.social.posts.delete(post.id, "alice")
    # `post:<id>`, `post:<id>:likes`, `post:<id>:bookmarks` - Deleted
    gone = (keys.post(post.id), keys.post_likes(post.id), keys.post_bookmarks(post.id))
    assert await exists(world, *gone) == [0] * 3
    # `explore:feed`, `hashtag:<tag>:posts`, `hashtag:<tag>:ranked`, `user:<username>:posts` - Post ID removed
    feeds = (
        keys.explore_feed(),
        keys.hashtag_posts("travel"),
        keys.hashtag_ranked("travel"),
        keys.user_posts("alice"),
    )
    assert [await world.members(feed) for feed in feeds] == [[]] * 4
    assert await world.count("alice", "postCount") == 0


async def test_usernames_are_the_primary_key_and_keys_are_case_sensitive(world: World) -> None:
    await world.people("Alice", "alice")
    with pytest.raises(UsernameTaken):
        await world.people("Alice")
    # `user:Alice` ≠ `user:alice`
    assert world.store.name(keys.user("Alice")) != world.store.name(keys.user("alice"))
    assert await exists(world, keys.user("Alice"), keys.user("alice")) == [1, 1]
