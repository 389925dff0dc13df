"""Every row of the seed's quick reference table, read directly from Redis under its own name."""

from tests.services.social.world import World
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.services.social import keys
from townsquare.services.social.keys import (
    BOOKMARK_WEIGHT,
    COMMENT_WEIGHT,
    LIKE_WEIGHT,
    name_rank,
    weight,
)


async def test_every_key_of_the_quick_reference_table(world: World, place: Place, clock: PinnedClock) -> None:
    social = world.social
    await world.people("alice", "bob")
    await world.people("mia", role="model")
    await social.follows.follow("bob", "alice")
    post = await world.post("alice", "#travel")
    await social.posts.like(post.id, "bob")
    await social.posts.bookmark(post.id, "bob")
    liked = await world.post("mia")
    await social.posts.like(liked.id, "bob")
    await social.feeds.home("bob")
    now = clock.now_ms()

    table = {
        "user:alice": ("hash", keys.user("alice")),
        "user:alice:posts": ({post.id: now}, keys.user_posts("alice")),
        "user:alice:followers": ({"bob"}, keys.followers("alice")),
        "user:bob:following": ({"alice"}, keys.following("bob")),
        "user:bob:bookmarked": ({post.id: now}, keys.bookmarked("bob")),
        f"post:{post.id}": ("hash", keys.post(post.id)),
        f"post:{post.id}:likes": ({"bob"}, keys.post_likes(post.id)),
        f"post:{post.id}:bookmarks": ({"bob"}, keys.post_bookmarks(post.id)),
        "explore:feed": ({post.id: now, liked.id: now}, keys.explore_feed()),
        "hashtag:travel:posts": ({post.id: now}, keys.hashtag_posts("travel")),
        "hashtag:travel:ranked": ({post.id: 7}, keys.hashtag_ranked("travel")),
        "users:regular": ({"alice": now, "bob": now}, keys.users_regular()),
        "users:models": ({"mia": now}, keys.users_models()),
        "models:top:engagement": ({"mia": 3}, keys.models_top()),
        "tmp:home:bob": ({post.id: now}, keys.home_feed("bob")),
    }
    for pattern, (holds, key) in table.items():
        tag = f"{{{key.bucket}}}:" if place.name == "cluster" else ""
        name = f"test:social:{tag}{pattern}"
        assert world.store.name(key) == name
        side = world.store.role_store(key)
        slot = side.layout.slot(key)
        kind = await side.nodes.execute(slot, "TYPE", name)
        left = await side.nodes.execute(slot, "TTL", name)
        assert (left > 0) == pattern.startswith("tmp:"), pattern
        if holds == "hash":
            assert kind == b"hash"
        elif isinstance(holds, set):
            assert {one.decode() for one in await side.nodes.execute(slot, "SMEMBERS", name)} == holds
        else:
            found = await side.nodes.execute(slot, "ZRANGE", name, 0, -1, "WITHSCORES")
            assert {member.decode(): score for member, score in found} == holds


def test_the_weights_are_the_seeds() -> None:
    assert (LIKE_WEIGHT, COMMENT_WEIGHT, BOOKMARK_WEIGHT) == (3, 5, 4)
    assert weight({"likesCount": "1", "commentsCount": "10", "bookmarksCount": "100"}) == 453


def test_names_are_ordered_by_the_alphabet() -> None:
    names = ["-", ".", "_", "0", "9", "a", "A.", "a0", "aa", "B", "zz", "zzzzzzzzz"]
    assert sorted(names, key=name_rank) == names
    assert name_rank("Alice") == name_rank("aLICE")
    assert name_rank("zzzzzzzzzzzz") < 2**53
