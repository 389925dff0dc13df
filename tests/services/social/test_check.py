"""What the checker makes of a social store that somebody has damaged by hand."""

import pytest

from tests.services.social.world import World
from tests.support.squares import assert_clean
from townsquare.integrity.check import check
from townsquare.integrity.findings import FindingKind
from townsquare.services.social import keys

STRAY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
async def post_id(world: World) -> str:
    social = world.social
    await world.people("alice", role="model", given={"display_name": "Alice"})
    await world.people("bob", "carol")
    await social.follows.follow("bob", "alice")
    await social.follows.mute("carol", "bob")
    post = await world.post("alice", "hi #tag")
    await social.posts.like(post.id, "bob")
    await social.posts.bookmark(post.id, "carol")
    await social.moderation.report(post.id, "carol", "spam")
    return post.id


async def test_a_moderator_without_a_profile_is_removed_from_the_posts(world: World, post_id: str) -> None:
    await world.social.moderation.ban(post_id, None)
    banned_at = await world.field(keys.post(post_id), "banned_at")
    await world.store.call("HSET", keys.post(post_id), "banned_by", "ghost")
    await world.store.call("ZADD", keys.moderated("ghost"), str(banned_at), post_id)
    findings = (await check(world.store)).findings
    orphans = {world.store.name(key) for key in (keys.moderated("ghost"), keys.post(post_id))}
    assert {(found.kind, found.key) for found in findings} == {(FindingKind.OWNS, key) for key in orphans}
    assert (await check(world.store, repair=True)).clean
    await assert_clean(world.store)
    assert await world.field(keys.post(post_id), "banned_by") is None
    assert await world.field(keys.post(post_id), "banned") == "true"


DAMAGES: dict[str, tuple[str | int, ...]] = {
    "likesCount": ("HSET", "post", "likesCount", 9),
    "followerCount": ("HSET", "user", "followerCount", 9),
    "postCount": ("HSET", "user", "postCount", 9),
    "display_name": ("HSET", "post", "display_name", "Malice"),
    "explore lacks": ("DEL", "explore_feed"),
    "explore has a stray": ("ZADD", "explore_feed", 1, STRAY),
    "tag lacks": ("DEL", "hashtag_posts"),
    "weight": ("ZADD", "hashtag_weights", 99, "{id}"),
    "engagement of a post": ("ZADD", "user_engagement", 99, "{id}"),
    "leaderboard": ("ZADD", "models_top", 99, "alice"),
    "registry": ("ZREM", "users_models", "alice"),
    "names": ("ZADD", "users_names", 1, "alice"),
    "likes lack": ("DEL", "post_likes"),
    "likes have a stray": ("SADD", "post_likes", "carol"),
    "followers lack": ("SREM", "followers", "bob"),
    "following lacks": ("DEL", "following"),
    "followers since": ("DEL", "followers_since"),
    "muted by": ("DEL", "muted_by"),
    "reports": ("ZREM", "reports_open", "{id}"),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damage_is_found_and_repaired(world: World, post_id: str, damage: str) -> None:
    await assert_clean(world.store)
    whole = {
        "post": keys.post(post_id),
        "user": keys.user("alice"),
        "explore_feed": keys.explore_feed(),
        "hashtag_posts": keys.hashtag_posts("tag"),
        "hashtag_weights": keys.hashtag_weights("tag"),
        "user_engagement": keys.user_engagement("alice"),
        "models_top": keys.models_top(),
        "users_models": keys.users_models(),
        "users_names": keys.users_names(),
        "post_likes": keys.post_likes(post_id),
        "followers": keys.followers("alice"),
        "following": keys.following("bob"),
        "followers_since": keys.followers_since("alice"),
        "muted_by": keys.muted_by("bob"),
        "reports_open": keys.reports_open(),
    }
    verb, name, *words = DAMAGES[damage]
    await world.store.call(
        str(verb), whole[str(name)], *(post_id if word == "{id}" else word for word in words)
    )
    assert (await check(world.store)).findings
    assert (await check(world.store, repair=True)).findings
    await assert_clean(world.store)
    assert await world.members(keys.post_likes(post_id)) == ["bob"]
