"""Loading from an outside source of truth."""

import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.services.social.key_holder import send, with_the_key
from tests.services.social.world import World, ids, signed_in
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.keyspace import Role
from townsquare.services.social import keys
from townsquare.services.social.keys import FIELDS, POST_ID
from townsquare.services.social.sync_records import RECORDS, post_id

DAY_MS = 86_400_000


@pytest.fixture
async def key_holder(world: World, place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with with_the_key(world, place) as client:
        yield client


def statuses(results: list[dict[str, str]]) -> list[str]:
    return [result["status"] for result in results]


async def load_people(http: httpx.AsyncClient, *names: str, **fields: Any) -> None:
    records = [{"username": name, **fields} for name in names]
    assert set(statuses(await send(http, "/social/sync/users", records=records))) == {"created"}


async def everything(world: World) -> dict[str, Any]:
    """The whole store, to see that nothing has changed."""
    side = world.store.role_stores[Role.DATA]
    names = {name async for batch in world.store.scan(Role.DATA) for name in batch}
    found = {}
    for name in names:
        key = world.store.registry.parse(name, side.layout)
        assert key is not None
        if key.declared.service == keys.social.service:
            found[name] = await world.store.call("DUMP", key)
    return found


async def test_users_are_made_with_the_time_and_role_that_they_have_elsewhere(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    joined = clock.now_ms() - 400 * DAY_MS
    records = [
        {"username": "ann", "created_at": joined, "display_name": "Ann", "email": "a@example.org"},
        {"username": "mia", "role": "model", "created_at": joined + 1, "xano_id": "17"},
    ]
    assert statuses(await send(key_holder, "/social/sync/users", records=records)) == ["created"] * 2
    assert await world.score(keys.users_regular(), "ann") == joined
    assert await world.score(keys.users_models(), "mia") == joined + 1
    assert (await world.social.profiles.own("mia")).private == {"xano_id": "17"}
    await assert_clean(world.store)


async def test_loading_users_again_changes_what_is_different_and_nothing_else(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    records: list[dict[str, Any]] = [
        {"username": "ann", "display_name": "Ann"},
        {"username": "bob", "links": ["https://b.example"]},
    ]
    await send(key_holder, "/social/sync/users", records=records)
    post = await world.post("ann", "hi")
    before = await everything(world)
    assert statuses(await send(key_holder, "/social/sync/users", records=records)) == ["unchanged"] * 2
    assert await everything(world) == before

    records[0] |= {"display_name": "Anna", "role": "model"}
    records[1] |= {"links": None}
    assert statuses(await send(key_holder, "/social/sync/users", records=records)) == ["updated"] * 2
    assert (await world.social.posts.get(post.id)).display_name == "Anna"
    assert await world.members(keys.users_models()) == ["ann"]
    assert (await world.social.profiles.get("bob")).links == ()
    await assert_clean(world.store)


async def test_a_bad_record_says_why_and_does_not_stop_the_others(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    records = [
        {"username": "ann"},
        {"username": "a:b"},
        {"username": "bob", "password": "123"},
        {"username": "cyd", "followerCount": 7},
        {"username": "dan", "role": "emperor"},
        {"username": "eve", "created_at": clock.now_ms() + 3 * DAY_MS},
        ["not", "an", "object"],
        {"username": "fay", "avatar": "javascript:alert(1)"},
        {"username": "ann", "bio": "the same once more"},
    ]
    results = await send(key_holder, "/social/sync/users", records=records)
    assert [result.get("code", result["status"]) for result in results] == [
        "created",
        "bad_username",
        "sensitive_field",
        "system_field",
        "invalid",
        "invalid",
        "invalid",
        "bad_profile_field",
        "updated",
    ]
    assert await world.members(keys.users_regular()) == ["ann"]
    await assert_clean(world.store)


@pytest.mark.parametrize(
    "wrong",
    [
        {"avatar": 5},
        {"avatar": ["x"]},
        {"avatar": False},
        {"avatar": "http://["},
        {"links": 5},
        {"links": [5]},
        {"links": [None]},
        {"links": {"a": 1}},
        {"display_name": 5},
        {"display_name": ["a"]},
        {"bio": {}},
        {"email": 5},
        {f"f{number}": "x" for number in range(5_000)},
        {f"f{number}": "x" for number in range(FIELDS)},
    ],
    ids=lambda wrong: str(wrong)[:30],
)
async def test_a_value_of_any_kind_is_refused_by_itself_and_leaves_nothing(
    world: World, key_holder: httpx.AsyncClient, wrong: dict[str, Any]
) -> None:
    await load_people(key_holder, "old", bio="before")
    changed = {"bio": "after", "role": "model", **wrong}
    records = [{"username": "one"}, {"username": "new", **wrong}, {"username": "old", **changed}]
    results = await send(key_holder, "/social/sync/users", records=[*records, {"username": "two"}])
    codes = [result.get("code", result["status"]) for result in results]
    assert codes == ["created", "bad_profile_field", "bad_profile_field", "created"]
    for result in results[1:3]:
        assert "use " in result["detail"] or "at most" in result["detail"]
        assert "argument" not in result["detail"]
    assert await world.store.call("EXISTS", keys.user("new")) == 0
    old = await world.social.profiles.own("old")
    assert (old.bio, old.role, old.private) == ("before", "user", {})
    await assert_clean(world.store)


async def test_a_record_that_removes_very_much_is_done_or_refused_whole(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann", bio="before", f3="x")
    for count, outcome in ((9_000, "bad_profile_field"), (900, "updated")):
        nothing: dict[str, Any] = {f"f{number}": None for number in range(count)}
        record = {"username": "ann", "bio": "after", "role": "model", **nothing}
        (result,) = await send(key_holder, "/social/sync/users", records=[record])
        ann = await world.social.profiles.own("ann")
        assert result.get("code", result["status"]) == outcome
        assert (ann.bio, ann.role) == (("after", "model") if outcome == "updated" else ("before", "user"))
    assert ann.private == {}
    await assert_clean(world.store)


async def test_a_record_without_a_role_keeps_the_one_there_is(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "mia", role="model")
    await load_people(key_holder, "ann")
    mia: dict[str, Any] = {"username": "mia", "bio": "hi"}
    assert statuses(await send(key_holder, "/social/sync/users", records=[mia, mia])) == [
        "updated",
        "unchanged",
    ]
    mia["role"] = None
    assert statuses(await send(key_holder, "/social/sync/users", records=[mia])) == ["unchanged"]
    assert await world.members(keys.users_models()) == ["mia"]
    assert await world.members(keys.models_top()) == ["mia"]
    assert await world.members(keys.users_regular()) == ["ann"]
    await assert_clean(world.store)


async def test_posts_keep_their_time_and_are_found_everywhere(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann", display_name="Ann")
    written = clock.now_ms() - 3 * DAY_MS
    outside = str(uuid.UUID(int=0xF123456789ABCDEF123456789ABCDEF1, version=4))
    records = [
        {"id": outside, "username": "ann", "content": "one #Travel", "created_at": written},
        {"id": 4711, "username": "ann", "content": "two #travel", "created_at": written + 5},
    ]
    results = await send(key_holder, "/social/sync/posts", records=records)
    assert statuses(results) == ["created", "created"]
    one, two = (result["id"] for result in results)
    assert one[:-3] == outside[:-3]
    assert ids(await world.social.feeds.hashtag("travel", None)) == [two, one]
    assert ids(await world.social.feeds.explore(None)) == [two, one]
    assert ids(await world.social.feeds.user_posts("ann", None)) == [two, one]
    post = await world.social.posts.get(one)
    assert (post.created_at, post.display_name, post.user_role) == (written, "Ann", "user")
    assert (await world.social.profiles.get("ann")).post_count == 2
    await assert_clean(world.store)


async def test_loading_posts_again_changes_what_is_different_and_nothing_else(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann", "bob")
    post = {"id": "p1", "username": "ann", "content": "one #travel", "created_at": clock.now_ms() - 5}
    (made,) = await send(key_holder, "/social/sync/posts", records=[post])
    await world.social.posts.like(made["id"], "bob")
    before = await everything(world)
    assert (
        await send(key_holder, "/social/sync/posts", records=[post, post])
        == [{"status": "unchanged", "id": made["id"]}] * 2
    )
    assert await everything(world) == before

    changed = {**post, "content": "one #food", "media_url": "https://example.org/a.jpg"}
    assert statuses(await send(key_holder, "/social/sync/posts", records=[changed])) == ["updated"]
    assert ids(await world.social.feeds.hashtag("travel", None)) == []
    (item,) = (await world.social.feeds.ranked("food", None)).items
    assert (item.post.likes_count, item.post.media_url) == (1, "https://example.org/a.jpg")
    somebody_elses = {**post, "username": "bob"}
    (refused,) = await send(key_holder, "/social/sync/posts", records=[somebody_elses])
    assert refused["code"] == "not_yours"
    await assert_clean(world.store)


async def test_a_banned_post_stays_banned_when_it_is_loaded_again(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann")
    post = {"id": "p1", "username": "ann", "content": "bad #travel", "created_at": clock.now_ms()}
    (made,) = await send(key_holder, "/social/sync/posts", records=[post])
    await world.social.moderation.ban(made["id"], "mod")
    await send(key_holder, "/social/sync/posts", records=[{**post, "content": "worse #food"}])
    assert ids(await world.social.feeds.explore(None)) == []
    assert ids(await world.social.feeds.hashtag("food", None)) == []
    await assert_clean(world.store)
    await world.social.moderation.unban(made["id"])
    assert ids(await world.social.feeds.hashtag("food", None)) == [made["id"]]
    await assert_clean(world.store)


async def test_a_post_of_nobody_leaves_nothing(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "gone")
    await world.vanish("gone")
    records = [
        {"id": name, "username": name, "content": "hi #travel", "created_at": clock.now_ms()}
        for name in ("nobody", "gone")
    ]
    before = await everything(world)
    results = await send(key_holder, "/social/sync/posts", records=records)
    for record in records:
        assert await world.store.call("EXISTS", keys.post(post_id(record["id"]))) == 0
    assert await everything(world) == before
    assert [result.get("code") for result in results] == ["profile_not_found"] * 2


async def test_follows_count_on_both_sides_and_keep_their_time(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    names = [f"user{number}" for number in range(60)]
    await load_people(key_holder, "ann", *names)
    since = clock.now_ms() - DAY_MS
    records = [{"follower": "ann", "followed": name, "created_at": since} for name in names]
    records += [{"follower": name, "followed": "ann", "created_at": since} for name in names[:10]]
    assert set(statuses(await send(key_holder, "/social/sync/follows", records=records))) == {"created"}
    before = await everything(world)
    assert set(statuses(await send(key_holder, "/social/sync/follows", records=records))) == {"unchanged"}
    assert await everything(world) == before
    assert (await world.count("ann", "followingCount"), await world.count("ann", "followerCount")) == (60, 10)
    assert await world.score(keys.followers_since("ann"), "user3") == since
    await assert_clean(world.store)


async def test_follows_that_cannot_be_are_refused_one_by_one(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann", "bob", "cyd")
    await world.social.follows.block("cyd", "ann")
    records = [
        {"follower": "ann", "followed": "bob"},
        {"follower": "ann", "followed": "nobody"},
        {"follower": "ann", "followed": "ann"},
        {"follower": "ann", "followed": "cyd"},
        {"follower": "nobody", "followed": "ann"},
        {"follower": "ann"},
    ]
    results = await send(key_holder, "/social/sync/follows", records=records)
    assert [result.get("code", result["status"]) for result in results] == [
        "created",
        "profile_not_found",
        "not_yourself",
        "profile_not_found",
        "profile_not_found",
        "invalid",
    ]
    assert await world.members(keys.following("ann")) == ["bob"]
    await assert_clean(world.store)


async def test_likes_count_and_rank(world: World, clock: PinnedClock, key_holder: httpx.AsyncClient) -> None:
    fans = [f"fan{number}" for number in range(70)]
    await load_people(key_holder, *fans)
    await load_people(key_holder, "mia", role="model")
    posts = [
        {"id": number, "username": "mia", "content": "hi #travel", "created_at": clock.now_ms() - 1000}
        for number in (1, 2)
    ]
    one, two = [result["id"] for result in await send(key_holder, "/social/sync/posts", records=posts)]
    likes = [{"post_id": 2, "username": fan} for fan in fans] + [{"post_id": one, "username": "fan0"}]
    results = await send(key_holder, "/social/sync/likes", records=likes)
    assert set(statuses(results)) == {"created"}
    assert results[-1]["id"] == one
    assert set(statuses(await send(key_holder, "/social/sync/likes", records=likes))) == {"unchanged"}
    assert (await world.social.posts.get(two)).likes_count == 70
    assert ids(await world.social.feeds.ranked("travel", None)) == [two, one]
    (first,) = (await world.social.search.top_models(None)).items
    assert first.engagement == 71 * 3
    await assert_clean(world.store)


async def test_likes_that_cannot_be_are_refused_one_by_one(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann", "bob", "cyd")
    post = await world.post("ann")
    banned = await world.post("ann")
    await world.social.moderation.ban(banned.id, "mod")
    await world.social.follows.block("ann", "cyd")
    likes = [
        {"post_id": post.id, "username": "bob"},
        {"post_id": post.id, "username": "nobody"},
        {"post_id": post.id, "username": "cyd"},
        {"post_id": "unheard of", "username": "bob"},
        {"post_id": banned.id, "username": "bob"},
    ]
    results = await send(key_holder, "/social/sync/likes", records=likes)
    codes = [result.get("code", result["status"]) for result in results]
    hidden = "post_not_found" if codes[2] == "post_not_found" else "profile_not_found"
    assert codes == ["created", "profile_not_found", hidden, "post_not_found", "post_banned"]
    assert await world.members(keys.post_likes(post.id)) == ["bob"]
    await assert_clean(world.store)


async def test_a_post_is_the_same_after_its_author_was_renamed(
    world: World, clock: PinnedClock, key_holder: httpx.AsyncClient
) -> None:
    await load_people(key_holder, "ann")
    post = {"id": 1, "username": "ann", "content": "hi", "created_at": clock.now_ms()}
    await send(key_holder, "/social/sync/posts", records=[post])
    await world.social.users.rename("ann", "anna")
    await world.jobs.run_open()
    again = {**post, "username": "anna"}
    assert statuses(await send(key_holder, "/social/sync/posts", records=[again])) == ["unchanged"]
    assert (await world.social.profiles.get("anna")).post_count == 1


async def test_at_most_a_thousand_records(world: World, key_holder: httpx.AsyncClient) -> None:
    records = [{"username": f"user{number}"} for number in range(RECORDS + 1)]
    assert (await key_holder.post("/social/sync/users", json={"records": records})).status_code == 422
    assert (await key_holder.post("/social/sync/users", json={"records": []})).status_code == 422
    assert await world.store.call("ZCARD", keys.users_regular()) == 0
    results = await send(key_holder, "/social/sync/users", records=records[:RECORDS])
    assert statuses(results) == ["created"] * RECORDS


@pytest.mark.parametrize("path", ["users", "posts", "follows", "likes"])
async def test_loading_takes_the_api_key(http: httpx.AsyncClient, path: str) -> None:
    body = {"records": [{"username": "ann"}]}
    assert (await http.post(f"/social/sync/{path}", json=body)).status_code == 401
    for who in ("ann", "root/admin"):
        answer = await http.post(f"/social/sync/{path}", json=body, headers=signed_in(who))
        assert answer.status_code == 403


@pytest.mark.parametrize("given", [1, "1", "abc", "x" * 200, "F123456789abcdef", "  spaces "])
def test_every_foreign_id_has_one_of_ours(given: str | int) -> None:
    assert POST_ID.matches(post_id(given))
    assert post_id(post_id(given)) == post_id(given)


def test_a_uuid_stays_the_same_but_for_its_place() -> None:
    ours = "550e8400-e29b-41d4-a716-446655440123"
    assert post_id(ours) == ours
    assert post_id("550E8400-E29B-41D4-A716-446655440FFF") == "550e8400-e29b-41d4-a716-4466554403ff"
