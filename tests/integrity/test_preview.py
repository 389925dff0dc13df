"""A preview tells what a deletion then removes, on both layouts."""

from collections import Counter
from typing import Any

import pytest

from tests.support.squares import assert_clean, raw_names
from townsquare.integrity.preview import DeletionPreview, DeletionWalk, preview_deletion
from townsquare.keyspace import AnyKey, Role
from townsquare.problems import NotFound, Taken
from townsquare.services.accounts import keys as account_keys
from townsquare.services.accounts.models import AccountStatus, Facts, UserProfile
from townsquare.services.analytics import keys as analytics_keys
from townsquare.services.analytics.models import Rating, View, Wishlist
from townsquare.services.social import keys as social_keys
from townsquare.services.social.models import Post
from townsquare.services.social.service import Social
from townsquare.services.widgets import keys as widget_keys
from townsquare.services.widgets.ids import Visitor
from townsquare.square import Square
from townsquare.store.store import Store

TOKEN = "a secret of the owner"
SHORT_LIVED = {"social.hashtag_ranked", "social.hashtags_trending"}  # counted again by their readers


async def contents(store: Store) -> dict[AnyKey, set[Any]]:
    """Every key of a service with its members, if it is a collection."""
    found: dict[AnyKey, set[Any]] = {}
    for name in await raw_names(store):
        key = store.registry.parse(name, store.role_stores[Role.DATA].layout)
        assert key is not None
        if key.declared.service == "system" or key.declared.full_name in SHORT_LIVED:
            continue
        match key.declared.kind.redis_type:
            case "set":
                found[key] = set(await store.call("SMEMBERS", key))
            case "zset":
                found[key] = set(await store.call("ZRANGE", key, 0, -1))
            case _:
                found[key] = set()
    return found


async def assert_preview_is_right(square: Square, key: AnyKey) -> DeletionPreview:
    """Exactly the keys that it tells of go, and exactly those members leave the collections of others."""
    walk = DeletionWalk(square.store)
    await walk.visit(key)
    told = await walk.result()
    before = await contents(square.store)
    await square.deletion.delete(key)
    after = await contents(square.store)

    indexes = [one for one in before if one not in after and one.declared.kind.redis_type == "string"]
    gone = {*walk.going, *indexes}
    assert not gone & set(after)
    assert told.keys == Counter(one.declared.full_name for one in gone)
    lost: Counter[str] = Counter()
    for other, held in before.items():
        if other not in gone:
            lost[other.declared.full_name] += len(held - after.get(other, set()))
    assert told.members == dict(+lost)
    await assert_clean(square.store)
    with pytest.raises(NotFound):
        await preview_deletion(square.store, key)
    return told


@pytest.mark.parametrize("kind", ["counter", "like", "ranking", "bbs"])
async def test_a_widget_of_each_kind(square: Square, kind: str) -> None:
    service: Any = square.widgets.by_kind[kind]
    made = await service.create("https://example.com/page", TOKEN)
    other = await service.create("https://example.com/other", TOKEN)
    if kind == "counter":
        await service.increment(made.id, Visitor("10.0.0.1", "a browser"))
    told = await assert_preview_is_right(square, widget_keys.KINDS[kind].record(made.id))
    assert told.keys[f"widgets.{kind}_url"] == 1
    assert (await preview_deletion(square.store, widget_keys.KINDS[kind].record(other.id))).keys


async def test_a_users_events(square: Square) -> None:
    for who in ("usr_1", "usr_2"):
        await square.analytics.record(
            [View(product="A"), Rating(product="A", stars=4), Wishlist(product="B")], user_id=who
        )
    told = await assert_preview_is_right(square, analytics_keys.forgetting("usr_1"))
    assert told.members == {"analytics.rated_by": 1, "analytics.wishlisted_by": 1}
    assert told.keys["analytics.views_user"] == 1


async def make_alice(social: Social) -> Post:
    """Somebody with posts, likes, bookmarks, reports, follows, blocks and mutes, and a post of hers."""
    for name in ("alice", "bob", "cyd", "dan"):
        await social.profiles.register(name)
    first = await social.posts.create("alice", "about #this and #that")
    second = await social.posts.create("alice", "more")
    theirs = await social.posts.create("bob", "theirs")
    for post in (first, second):
        await social.posts.like(post.id, "bob")
        await social.posts.like(post.id, "alice")
        await social.posts.bookmark(post.id, "cyd")
    for name in ("alice", "cyd"):  # so that the post keeps its places when one of them goes
        await social.posts.like(theirs.id, name)
        await social.moderation.report(theirs.id, name, "spam")
    await social.follows.follow("alice", "bob")
    await social.follows.follow("cyd", "alice")
    await social.follows.block("alice", "dan")
    await social.follows.mute("bob", "alice")
    return first


async def test_a_post(square: Square) -> None:
    post = await make_alice(square.social)
    told = await assert_preview_is_right(square, social_keys.post(post.id))
    assert told.keys == {"social.post": 1, "social.post_likes": 1, "social.post_bookmarks": 1}
    assert told.members["social.hashtag_posts"] == 2


async def test_a_user(square: Square) -> None:
    await make_alice(square.social)
    told = await assert_preview_is_right(square, social_keys.user("alice"))
    assert told.keys["social.post"] == 2
    assert told.members["social.post_likes"] == 1


async def test_an_account_with_what_goes_along(square: Square) -> None:
    profile = UserProfile(email="alice@example.org", username="alice")
    user = await square.accounts.users.create(profile, Facts(), vouched=True)
    await square.social.posts.create("alice", "hello")
    await square.analytics.record([View(product="A")], user_id=user.id)
    key = account_keys.user(user.id)
    told = await preview_deletion(square.store, key, *await square.deletion.goes_along(key))
    assert (told.keys["social.user"], told.keys["social.post"], told.keys["analytics.journey"]) == (1, 1, 1)
    await square.deletion.delete(key)
    left = [one for one in await contents(square.store) if user.id in one.text or "alice" in one.text]
    assert left == []
    await assert_clean(square.store)


async def test_the_name_of_an_account_is_not_free_before_all_is_gone(square: Square) -> None:
    profile = UserProfile(email="alice@example.org", username="alice")
    user = await square.accounts.users.create(profile, Facts(), vouched=True)
    job = await square.deletion.begin(account_keys.user(user.id))
    closed = await square.accounts.users.get(user.id)
    assert (closed.account_status, closed.deleting) == (AccountStatus.DISABLED, job)
    with pytest.raises(Taken):
        await square.accounts.users.create(UserProfile(username="alice"), Facts(), vouched=True)
    await square.jobs.run(job)
    again = await square.accounts.users.create(profile, Facts(), vouched=True)
    assert again.username == "alice"
    await assert_clean(square.store)
