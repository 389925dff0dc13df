"""Redis commands from outside: a short list is allowed, and only whole."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from msgspec import UNSET

from tests.services.social.key_holder import API_KEY, send, with_the_key
from tests.services.social.test_sync import everything
from tests.services.social.world import World, open_world, signed_in
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys
from townsquare.services.social.redis_gateway import hints
from townsquare.services.social.redis_gateway.reads import SMALL
from townsquare.services.social.scripts import WriteFields

POST = "550e8400-e29b-41d4-a716-446655440000"


@pytest.fixture
async def key_holder(world: World, place: Place) -> AsyncIterator[httpx.AsyncClient]:
    await world.people("alice", "bob", given={"display_name": "Alice", "email": "a@example.org"})
    await world.post("alice", "hi #travel")
    async with with_the_key(world, place) as client:
        yield client


async def write(http: httpx.AsyncClient, *commands: Any) -> Any:
    return await send(http, "/redis/write", commands=list(commands))


async def read(http: httpx.AsyncClient, *commands: Any) -> Any:
    return await send(http, "/redis/read", commands=list(commands))


async def refused(http: httpx.AsyncClient, *commands: Any, path: str = "/redis/write") -> dict[str, Any]:
    answer = await http.post(path, json={"commands": list(commands)})
    assert answer.status_code in (403, 404, 409, 422), answer.text
    problem: dict[str, Any] = answer.json()
    return problem


async def test_custom_fields_are_written_and_stay_private(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    results = await write(
        key_holder,
        ["HSET", "user:alice", "favourite_colour", "green", "visits", "3"],
        ["hincrby", "user:alice", "visits", 4],
        ["HSET", "user:bob", "visits", 1],
        ["HDEL", "user:alice", "favourite_colour", "never_there"],
    )
    assert results == [2, 7, 1, 1]
    own = await world.social.profiles.own("alice")
    assert own.private == {"email": "a@example.org", "visits": "7"}
    assert (await world.social.profiles.see("alice", "bob")).private is UNSET
    await assert_clean(world.store)


async def test_the_original_sends_its_key_in_a_header_and_commands_without_an_object(
    world: World, place: Place
) -> None:
    await world.people("alice", "bob")
    key = {"X-API-Key": API_KEY}
    async with with_the_key(world, place) as http:
        del http.headers["Authorization"]
        fields = ["bio", "New bio", "links", "https://example.com", "phone", "+1-555-0123"]
        sent: list[tuple[list[Any], list[int]]] = [
            ([["HSET", "user:alice", "bio", "Updated bio"], ["HDEL", "user:alice", "phone"]], [1, 0]),
            ([["HSET", "user:bob", *fields]], [3]),
            ([["HINCRBY", "user:alice", "profile_views", "1"]], [1]),
            (["HSET", "user:alice", "theme", "dark"], [1]),  # one command without a list around it
        ]
        for commands, results in sent:
            answer = await http.post("/redis/write", json=commands, headers=key)
            assert (answer.status_code, answer.json()) == (200, {"results": results}), answer.text
        wrong = await http.post("/redis/write", json=[], headers={"X-API-Key": "guess"})
        assert (wrong.status_code, wrong.json()["code"]) == (401, "unauthorized")
        assert (await http.post("/social/sync/users", json=[], headers=key)).status_code == 400
    alice, bob = await world.social.profiles.own("alice"), await world.social.profiles.own("bob")
    assert (alice.bio, alice.private) == ("Updated bio", {"profile_views": "1", "theme": "dark"})
    assert (bob.bio, bob.links) == ("New bio", ("https://example.com",))
    assert bob.private == {"phone": "+1-555-0123"}
    await assert_clean(world.store)


async def test_links_are_urls_alone_or_in_a_list_and_can_be_emptied(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    urls = ("https://a.example", "https://b.example")
    for given, stored in (('["https://a.example","https://b.example"]', urls), (urls[1], urls[1:]), ("", ())):
        await write(key_holder, ["HSET", "user:alice", "links", given])
        assert (await world.social.profiles.get("alice")).links == stored
    deep = "[" * 5_000 + "]" * 5_000
    for bad in ("javascript:alert(1)", "[1]", '{"a":1}', "[", "mail me", deep):
        problem = await refused(key_holder, ["HSET", "user:alice", "links", bad])
        assert (problem["code"], problem["at"]) == ("bad_command", 0), bad
    await assert_clean(world.store)


SEED = [  # what the seed says is blocked, with the endpoint that it names
    (["ZADD", "explore:feed", "1", POST], hints.POSTS),
    (["ZREM", "explore:feed", POST], hints.POSTS),
    (["ZADD", "hashtag:travel:posts", "1", POST], hints.POSTS),
    (["ZREM", "hashtag:travel:posts", POST], hints.POSTS),
    (["ZADD", "hashtag:travel:ranked", "99", POST], hints.LIKE),
    (["ZADD", "user:alice:posts", "1", POST], hints.POSTS),
    (["ZREM", "user:alice:posts", POST], hints.POSTS),
    (["SADD", "user:alice:followers", "bob"], hints.FOLLOW),
    (["SREM", "user:alice:followers", "bob"], hints.FOLLOW),
    (["SADD", "user:alice:following", "bob"], hints.FOLLOW),
    (["SREM", "user:alice:following", "bob"], hints.FOLLOW),
    (["SADD", f"post:{POST}:likes", "bob"], hints.LIKE),
    (["SREM", f"post:{POST}:likes", "bob"], hints.LIKE),
    (["SADD", f"post:{POST}:bookmarks", "bob"], hints.BOOKMARK),
    (["ZADD", "user:alice:bookmarked", "1", POST], hints.BOOKMARK),
    (["HINCRBY", "user:alice", "postCount", "1"], hints.POSTS),
    (["HINCRBY", "user:alice", "followerCount", "1"], hints.FOLLOW),
    (["HINCRBY", "user:alice", "followingCount", "1"], hints.FOLLOW),
    (["HINCRBY", f"post:{POST}", "likesCount", "1"], hints.LIKE),
    (["HINCRBY", f"post:{POST}", "bookmarksCount", "1"], hints.BOOKMARK),
    (["HINCRBY", f"post:{POST}", "commentsCount", "1"], hints.COMMENT),
    (["HINCRBY", "user:alice", "likesCount", "1"], hints.LIKE),
    (["HSET", "user:alice", "role", "admin"], hints.BY_FIELD["role"]),
    (["HSET", "user:alice", "username", "eve"], hints.RENAME),
    (["HSET", "user:alice", "display_name", "Eve"], hints.PROFILE),
    (["HSET", "user:alice", "avatar", "https://example.org/eve.png"], hints.PROFILE),
    (["HDEL", "user:alice", "display_name"], hints.PROFILE),
    (["HINCRBY", "user:alice", "phone", "1"], hints.PROFILE),
    (["HSET", f"post:{POST}", "content", "mine now"], hints.EDIT_POST),
    (["HSET", f"post:{POST}", "banned", "true"], hints.BAN),
    (["ZADD", "models:top:engagement", "9", "alice"], hints.LIKE),
    (["ZADD", "users:models", "9", "alice"], hints.LOAD_USERS),
    (["ZADD", "tmp:home:alice", "9", POST], hints.READ_HOME),
    (["DEL", "user:alice"], hints.DELETE_USER),
    (["RENAME", "user:alice", "user:eve"], hints.RENAME),
    (["DEL", f"post:{POST}"], hints.POSTS),
    (["HGETALL", "user:alice"], hints.READ),
    (["FLUSHALL"], hints.CUSTOM_ONLY),
    (["EVAL", "return 1", "0"], hints.CUSTOM_ONLY),
    (["CONFIG", "SET", "dir", "/"], hints.CUSTOM_ONLY),
    (["SET", "anything", "goes"], hints.CUSTOM_ONLY),
    (["HSET", "prod:social:user:alice", "colour", "red"], hints.CUSTOM_ONLY),
]


@pytest.mark.parametrize(
    ("command", "hint"), SEED, ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else ""
)
async def test_what_only_the_service_writes_is_refused_with_the_name_of_its_endpoint(
    world: World, key_holder: httpx.AsyncClient, command: list[str], hint: str
) -> None:
    before = await everything(world)
    for spelled in (command, [command[0].lower(), *command[1:]], [command[0].title(), *command[1:]]):
        problem = await refused(key_holder, spelled)
        assert (problem["code"], problem["hint"], problem["at"]) == ("command_blocked", hint, 0)
        assert hint in problem["detail"]
    assert await everything(world) == before


@pytest.mark.parametrize(
    "command",
    [
        [],
        "HSET user:alice a b",
        {"HSET": "user:alice"},
        [["HSET", "user:alice", "a", "b"]],
        ["HSET", ["user:alice"], "a", "b"],
        ["HSET", 17, "a", "b"],
        ["HSET", None, "a", "b"],
        ["HSET", "user:alice", ["a"], "b"],
        ["HSET", "user:alice", "a", {"b": 1}],
        ["HSET", "user:alice", "a", None],
        ["HSET", "user:alice", "a", True],
        ["HSET", "user:alice", "a", 1.5],
        ["HSET", "user:alice"],
        ["HSET", "user:alice", "a"],
        ["HSET", "user:alice", "a", "b", "c"],
        ["HDEL", "user:alice"],
        ["HINCRBY", "user:alice", "a"],
        ["HINCRBY", "user:alice", "a", "many"],
        ["HINCRBY", "user:alice", "a", "1" * 16],
        ["HSET", "user:alice", "a b", "c"],
        ["HSET", "user:alice", "a" * 65, "c"],
        ["HSET", "user:alice", "a", "x" * 2_001],
        ["HSET\r\nFLUSHALL", "user:alice", "a", "b"],
        [7, "user:alice", "a", "b"],
        ["HSET", "user:alice", *("a", "b") * 100, "c", "d"],
    ],
)
async def test_what_is_not_a_command_is_refused(
    world: World, key_holder: httpx.AsyncClient, command: Any
) -> None:
    before = await everything(world)
    good = ["HSET", "user:alice", "colour", "red"]
    problem = await refused(key_holder, good, command, good)
    assert problem["code"] == "bad_command"
    assert problem["at"] == 1
    assert await everything(world) == before


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (["SADD", "user:alice:followers", "bob"], "command_blocked"),
        (["HINCRBY", "user:alice", "followerCount", "1"], "command_blocked"),
        (["HSET", "user:nobody", "colour", "red"], "profile_not_found"),
        (["HINCRBY", "user:nobody", "visits", "1"], "profile_not_found"),
        (["HSET", "user:alice", "password", "123"], "sensitive_field"),
        (["HSET", "user:alice", "Credit_Card", "123"], "sensitive_field"),
        (["HINCRBY", "user:alice", "colour", "1"], "not_a_number"),
        (["FLUSHALL"], "command_blocked"),
    ],
)
async def test_one_bad_command_keeps_all_of_them_from_being_sent(
    world: World, key_holder: httpx.AsyncClient, bad: list[str], code: str
) -> None:
    before = await everything(world)
    good = ["HSET", "user:alice", "colour", "red"]
    for commands in ([bad, good], [good, bad], [good, bad, good]):
        if code == "not_a_number" and commands[0] is bad:
            continue  # nothing is there yet: it would count from nought
        problem = await refused(key_holder, *commands)
        assert problem["code"] == code
        assert await everything(world) == before


@pytest.mark.parametrize(
    "field", ["postcount", "POSTCOUNT", "FollowerCount", "Role", "displayName", "e_mail"]
)
async def test_a_field_of_ours_is_known_however_it_is_written(
    key_holder: httpx.AsyncClient, field: str
) -> None:
    assert (await refused(key_holder, ["HSET", "user:alice", field, "1"]))["code"] == "command_blocked"


async def test_commands_cannot_fill_a_profile_without_end(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    def fill(turn: int) -> list[str]:
        return ["HSET", "user:alice", *(word for n in range(90) for word in (f"m{turn}_{n}", "x"))]

    await write(key_holder, fill(0))
    before = await everything(world)
    problem = await refused(key_holder, ["HSET", "user:alice", "colour", "red"], fill(1))
    assert (problem["code"], problem["key"], problem["done"]) == ("bad_profile_field", "user:alice", [])
    assert await everything(world) == before
    taken_back = [["HDEL", "user:alice", f"m1_{number}"] for number in range(80)]
    assert len(await write(key_holder, fill(1), *taken_back, fill(0))) == 82
    assert (await world.social.users.change("alice", {"bio": "still"})).bio == "still"


async def test_a_command_that_is_not_possible_changes_nothing_for_anybody(
    world: World, key_holder: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def change_links(username: str, links: list[str] | None) -> bool:
        raise AssertionError("the links of the account are changed")

    monkeypatch.setattr(world.social.redis_writes, "_change_links", change_links)
    before = await everything(world)
    problem = await refused(
        key_holder,
        ["HSET", "user:bob", "one", "1"],
        ["HSET", "user:alice", "links", "https://new.example"],
        ["HSET", "user:alice", "colour", "red"],
        ["HINCRBY", "user:bob", "one", "1"],
        ["HINCRBY", "user:alice", "colour", "1"],
    )
    assert (problem["code"], problem["at"], problem["key"]) == ("not_a_number", 4, "user:alice")
    assert problem["done"] == []
    assert problem["detail"].endswith("Nothing is written for user:alice")
    assert await everything(world) == before


async def test_what_was_written_before_another_request_made_a_command_impossible_is_named(
    world: World, key_holder: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(script: Any) -> Any:
        if isinstance(script, WriteFields) and script.dry_run:
            return []
        return await store_run(script)

    async def change_links(username: str, links: list[str] | None) -> bool:
        return True

    monkeypatch.setattr(world.social.redis_writes, "_change_links", change_links)
    store_run = world.store.run
    monkeypatch.setattr(world.store, "run", run)
    problem = await refused(
        key_holder,
        ["HSET", "user:bob", "one", "1"],
        ["HSET", "user:alice", "links", "https://new.example"],
        ["HSET", "user:alice", "colour", "red"],
        ["HINCRBY", "user:bob", "one", "1"],
        ["HINCRBY", "user:alice", "colour", "1"],
    )
    assert (problem["code"], problem["at"], problem["done"]) == ("not_a_number", 4, [0, 3])
    assert problem["detail"].endswith("Only the links are written for user:alice; commands 0, 3 are done")
    assert (await world.social.profiles.own("bob")).private == {"email": "a@example.org", "one": "2"}
    assert (await world.social.profiles.own("alice")).private == {"email": "a@example.org"}


@pytest.mark.parametrize("value", ["007", "-0", "+1", "1.0"])
async def test_a_value_that_redis_cannot_increment_changes_nothing(
    world: World, key_holder: httpx.AsyncClient, value: str
) -> None:
    await write(key_holder, ["HSET", "user:alice", "level", value])
    before = await everything(world)
    steps = ["HSET", "user:alice", "before", "x"], ["HINCRBY", "user:alice", "level", "1"]
    assert (await refused(key_holder, *steps))["code"] == "not_a_number"
    assert await everything(world) == before


async def test_a_number_cannot_leave_what_counts_exactly(key_holder: httpx.AsyncClient) -> None:
    await write(key_holder, ["HSET", "user:alice", "visits", str(2**53 - 5)])
    problem = await refused(key_holder, ["HINCRBY", "user:alice", "visits", "100"])
    assert problem["code"] == "not_a_number"
    assert await write(key_holder, ["HINCRBY", "user:alice", "visits", "-5"]) == [2**53 - 10]
    assert await write(key_holder, ["HINCRBY", "user:alice", "visits", "9"]) == [2**53 - 1]
    for value in (2**53 - 1, 2**53, 2**53 + 1):
        await write(key_holder, ["HSET", "user:alice", "visits", str(value)])
        problem = await refused(key_holder, ["HINCRBY", "user:alice", "visits", "1"])
        assert problem["code"] == "not_a_number", value


async def test_a_user_who_is_being_deleted_is_not_written_to(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    await world.social.users.begin_delete("alice")
    assert (await refused(key_holder, ["HSET", "user:alice", "colour", "red"]))["code"] == "profile_not_found"


async def test_sensitive_fields_are_for_the_operator_to_enable(place: Place, clock: PinnedClock) -> None:
    async with open_world(place, clock, sensitive_fields=True) as world, with_the_key(world, place) as http:
        await world.people("alice")
        assert (await refused(http, ["HSET", "user:alice", "password", "1"]))["code"] == "command_blocked"
        assert await write(http, ["HSET", "user:alice", "iban", "DE00"]) == [1]
        assert await read(http, ["HGETALL", "user:alice"]) != []
        (record,) = await read(http, ["HGETALL", "user:alice"])
        assert "iban" not in record
        assert (await refused(http, ["HGET", "user:alice", "iban"], path="/redis/read"))["code"]


async def test_every_key_of_ours_has_an_endpoint_to_use_instead() -> None:
    assert set(hints.BY_KEY) == set(keys.social.keys)


async def test_declared_keys_are_read(world: World, key_holder: httpx.AsyncClient) -> None:
    (post,) = await world.members(keys.user_posts("alice"))
    await world.social.posts.like(post, "bob")
    await world.social.follows.follow("bob", "alice")
    now = world.store.clock.now_ms()
    results = await read(
        key_holder,
        ["hget", "user:alice", "display_name"],
        ["HMGET", "user:alice", "postCount", "email", "never_there"],
        ["ZREVRANGE", "explore:feed", 0, 9, "withscores"],
        ["ZCARD", "hashtag:travel:posts"],
        ["ZREVRANGEBYSCORE", "user:alice:posts", "+inf", "-inf", "LIMIT", 0, 10],
        ["SISMEMBER", f"post:{post}:likes", "bob"],
        ["SSCAN", "user:alice:followers", "0", "COUNT", "100"],
        ["EXISTS", "user:nobody"],
        ["TYPE", "user:alice:posts"],
        ["ZSCORE", "users:regular", "alice"],
    )
    assert results == [
        "Alice",
        ["1", "a@example.org", None],
        [post, str(now)],
        1,
        [post],
        1,
        ["0", ["bob"]],
        0,
        "zset",
        now,
    ]


async def test_the_examples_of_the_seed_are_answered_as_it_shows_them(
    world: World, key_holder: httpx.AsyncClient
) -> None:
    social, now = world.social, world.store.clock.now_ms()
    await world.people("top", role="model")
    (post,) = await world.members(keys.user_posts("alice"))
    work = (await world.post("top", "work #travel")).id
    await social.posts.like(post, "bob")
    await social.posts.bookmark(post, "alice")
    await social.posts.like(work, "bob")
    await social.follows.follow("bob", "alice")
    await social.follows.follow("alice", "bob")
    await social.feeds.home("alice")
    profile, record = await read(key_holder, ["HGETALL", "user:alice"], ["HGETALL", f"post:{post}"])
    assert (profile["username"], profile["role"], profile["postCount"]) == ("alice", "user", "1")
    assert (record["id"], record["user_id"], record["likesCount"]) == (post, "alice", "1")
    examples: list[tuple[list[Any], list[str]]] = [
        (["ZREVRANGE", "user:alice:posts", 0, 9], [post]),
        (["SMEMBERS", "user:alice:followers"], ["bob"]),
        (["SMEMBERS", "user:alice:following"], ["bob"]),
        (["ZREVRANGE", "user:alice:bookmarked", 0, 19, "WITHSCORES"], [post, str(now)]),
        (["SMEMBERS", f"post:{post}:likes"], ["bob"]),
        (["SMEMBERS", f"post:{post}:bookmarks"], ["alice"]),
        (["ZREVRANGE", "explore:feed", 0, 19], sorted([post, work], reverse=True)),
        (["ZREVRANGE", "hashtag:travel:posts", 0, 19], sorted([post, work], reverse=True)),
        (["ZREVRANGE", "hashtag:travel:ranked", 0, 19], [post, work]),
        (["ZREVRANGE", "users:regular", 0, 19], ["bob", "alice"]),
        (["ZREVRANGE", "users:models", 0, 19], ["top"]),
        (["ZREVRANGE", "models:top:engagement", 0, 9, "WITHSCORES"], ["top", "3"]),
        (["ZREVRANGE", "tmp:home:alice", 0, 19], [post]),
    ]
    assert await read(key_holder, *(command for command, _ in examples)) == [shown for _, shown in examples]


async def test_scores_are_answered_as_redis_writes_them(world: World, key_holder: httpx.AsyncClient) -> None:
    (post,) = await world.members(keys.user_posts("alice"))
    await world.store.call("ZADD", keys.hashtag_ranked("travel"), 0.375, post)
    assert await read(
        key_holder,
        ["ZRANGEBYSCORE", "hashtag:travel:ranked", "-inf", "+inf", "withscores", "LIMIT", 0, 5],
        ["ZRANGE", "hashtag:nothing:ranked", 0, 5, "WITHSCORES"],
    ) == [[post, "0.375"], []]


async def test_only_small_sets_are_read_whole(world: World, key_holder: httpx.AsyncClient) -> None:
    half = [f"fan{number}" for number in range(SMALL // 2)]
    await world.store.call("SADD", keys.followers("alice"), *half)
    await world.store.call("SADD", keys.followers("bob"), *half)
    whole = [["SMEMBERS", "user:alice:followers"], ["SMEMBERS", "user:bob:followers"]]
    first, second = await read(key_holder, *whole)
    assert sorted(first) == sorted(second) == sorted(half)
    await world.store.call("SADD", keys.followers("bob"), "one-more")
    problem = await refused(key_holder, *whole, path="/redis/read")
    assert (problem["code"], problem["at"]) == ("command_blocked", 1)
    assert "SSCAN" in problem["hint"]
    assert len((await read(key_holder, whole[1]))[0]) == len(half) + 1
    page = ["SSCAN", "user:bob:followers", "0", "COUNT", "1000"]
    assert await read(key_holder, page)


async def test_all_commands_of_a_request_together_answer_only_so_much(key_holder: httpx.AsyncClient) -> None:
    page = ["ZREVRANGEBYSCORE", "explore:feed", "+inf", "-inf", "WITHSCORES", "LIMIT", "0", "1000"]
    assert len(await read(key_holder, *[page] * 10)) == 10
    problem = await refused(key_holder, *[page] * 10, ["HGETALL", "user:alice"], path="/redis/read")
    assert (problem["code"], "10,000" in problem["detail"]) == ("bad_command", True)


async def test_a_whole_record_comes_without_its_secrets(world: World, key_holder: httpx.AsyncClient) -> None:
    (post,) = await world.members(keys.user_posts("alice"))
    await world.store.call(
        "HSET", keys.user("alice"), "password_hash", "x", "card_number", "y", "deleting_not", "z"
    )
    await world.social.moderation.ban(post, "bob")
    profile, banned = await read(key_holder, ["HGETALL", "user:alice"], ["HGETALL", f"post:{post}"])
    assert profile["email"] == "a@example.org"
    assert not {"password_hash", "card_number"} & set(profile)
    assert banned["banned"] == "true"
    assert "banned_by" not in banned


@pytest.mark.parametrize(
    "command",
    [
        ["KEYS", "*"],
        ["SCAN", "0"],
        ["SMEMBERS", "user:alice:followers", "bob"],
        ["SMEMBERS", "user:alice:posts"],
        ["HGET", "user:alice", "password"],
        ["HMGET", "user:alice", "bio", "ssn"],
        ["HGET", "user:alice", "userPassword"],
        ["HGET", "user:alice", "engagement"],
        ["HGETALL", f"post:{POST}:reasons"],
        ["HGET", "prod:social:user:alice", "bio"],
        ["GET", "system:secret"],
        ["EVAL", "return redis.call('GET', 'x')", "0"],
        ["HSET", "user:alice", "colour", "red"],
        ["SORT", "user:alice:followers"],
        ["ZRANGE", "explore:feed", "0", "-1"],
        ["ZRANGE", "explore:feed", "0", "1000"],
        ["ZRANGE", "explore:feed", "-2000", "-1"],
        ["ZREVRANGE", "explore:feed", "0", "9", "BYLEX"],
        ["ZRANGEBYSCORE", "explore:feed", "-inf", "+inf"],
        ["ZRANGEBYSCORE", "explore:feed", "-inf", "+inf", "LIMIT", "0", "-1"],
        ["ZRANGE", "user:alice", "0", "9"],
        ["HGETALL", "user:alice:posts"],
        ["SSCAN", "user:alice:followers", "0", "COUNT", "100000"],
        ["EXISTS", "user:alice", "user:bob"],
    ],
    ids=lambda command: " ".join(command)[:50],
)
async def test_what_is_too_much_or_nobodys_business_is_not_read(
    key_holder: httpx.AsyncClient, command: list[str]
) -> None:
    good = ["HGET", "user:alice", "bio"]
    problem = await refused(key_holder, good, command, path="/redis/read")
    assert problem["code"] in ("command_blocked", "bad_command")
    assert problem["at"] == 1


@pytest.mark.parametrize("path", ["/redis/write", "/redis/read", "/social/redis/write", "/social/redis/read"])
async def test_commands_take_the_api_key(world: World, http: httpx.AsyncClient, path: str) -> None:
    await world.people("ann")
    body = {"commands": [["HSET", "user:ann", "colour", "red"]]}
    assert (await http.post(path, json=body)).status_code == 401
    for who in ("ann", "root/admin"):
        assert (await http.post(path, json=body, headers=signed_in(who))).status_code == 403
    assert await world.field(keys.user("ann"), "colour") is None
