from collections.abc import Awaitable, Callable, Sequence

import pytest

from tests.services.social.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.problems import Problem
from townsquare.services.social import keys
from townsquare.services.social.keys import FIELDS
from townsquare.services.social.problems import (
    BadProfileField,
    BadUsername,
    ProfileNotFound,
    SensitiveField,
    SystemField,
    UsernameTaken,
)
from townsquare.services.social.scripts import RefreshPost


async def test_registering_enters_the_registry_of_its_role(world: World) -> None:
    await world.people("alice")
    await world.people("mia", role="model")
    await world.people("root", role="admin")
    assert await world.members(keys.users_regular()) == ["alice"]
    assert await world.members(keys.users_models()) == ["mia"]
    assert await world.members(keys.models_top()) == ["mia"]
    await assert_clean(world.store)


async def test_a_username_is_taken_once_and_case_matters(world: World) -> None:
    await world.people("alice", "Alice")
    with pytest.raises(UsernameTaken):
        await world.people("alice")


@pytest.mark.parametrize("username", ["", "me", "..", "a b", "a:b", "{a}", "ä", "x" * 31, "a/b"])
async def test_a_bad_username_is_refused(world: World, username: str) -> None:
    with pytest.raises(BadUsername):
        await world.people(username)


async def test_a_change_shows_and_null_removes(world: World) -> None:
    await world.people("alice")
    changed = await world.social.users.change(
        "alice",
        {
            "display_name": " Alice ",
            "bio": "hi",
            "links": ["https://a.example"],
            "email": "a@b.c",
            "hat": "red",
        },
    )
    assert (changed.display_name, changed.bio, changed.links) == ("Alice", "hi", ("https://a.example",))
    assert changed.private == {"email": "a@b.c", "hat": "red"}
    changed = await world.social.users.change("alice", {"bio": None, "hat": None, "links": []})
    assert (changed.bio, changed.links, changed.private) == (None, (), {"email": "a@b.c"})


@pytest.mark.parametrize(
    "changes",
    [
        {"avatar": "javascript:alert(1)"},
        {"links": ["ftp://x.example"]},
        {"links": ["https://x.example"] * 11},
        {"links": "https://x.example"},
        {"links": 5},
        {"links": [5]},
        {"links": [None]},
        {"links": {"a": "b"}},
        {"avatar": 5},
        {"avatar": ["https://x.example"]},
        {"avatar": False},
        {"avatar": "https://["},
        {"avatar": "https://x.example:99999/"},
        {"display_name": 5},
        {"display_name": "bell\x07"},
        {"display_name": "\u202eecila"},
        {"display_name": "a\u2066b"},
        {"bio": ["x"]},
        {"display_name": "x" * 101},
        {"display_name": "two\nlines"},
        {"bio": "x" * 1001},
        {"hat": "x" * 2001},
        {"hat": 5},
        {"a b": "x"},
        {"": "x"},
        {"x" * 65: "x"},
    ],
)
async def test_bad_values_are_refused_and_change_nothing(world: World, changes: dict[str, object]) -> None:
    await world.people("alice")
    with pytest.raises(BadProfileField) as refused:
        await world.social.users.change("alice", {"avatar": "https://a.example", **changes})
    (name,) = changes
    assert refused.value.extra["field"] == name[:64]
    assert "use " in refused.value.detail or "not the name" in refused.value.detail
    assert (await world.social.profiles.own("alice")).avatar is None


@pytest.mark.parametrize("nothing", ["\u200b\u200b", "\ufeff", "\u3164", "\u2800 \u200d", "\ufe0f"])
async def test_what_nobody_can_see_is_no_name_and_no_bio(world: World, nothing: str) -> None:
    await world.people("alice", given={"display_name": "Alice", "bio": "hi"})
    changed = await world.social.users.change("alice", {"display_name": nothing, "bio": nothing})
    assert (changed.display_name, changed.bio) == (None, None)


async def test_a_bio_keeps_its_lines_and_loses_what_nobody_types(world: World) -> None:
    await world.people("alice")
    changed = await world.social.users.change("alice", {"bio": "a\r\nb\tc\x07\x1b[31m\u202e"})
    assert changed.bio == "a\nb\tc[31m\u202e"


@pytest.mark.parametrize(
    "field",
    [
        "username",
        "role",
        "postCount",
        "followerCount",
        "followingCount",
        "created_at",
        "engagement",
        "deleting",
    ],
)
async def test_what_the_service_keeps_cannot_be_set(world: World, field: str) -> None:
    await world.people("alice")
    with pytest.raises(SystemField):
        await world.social.users.change("alice", {field: "9"})
    with pytest.raises(SystemField):
        await world.social.users.change("alice", {field: None})


SENSITIVE = [
    "password",
    "password_hash",
    "ssn",
    "credit_card",
    "bank_account",
    "Password",
    "userPassword",
    "creditCardNumber",
    "my-ssn",
    "SSN",
    "iban",
    "card_cvv",
    "ssn1",
    "card1",
    "passcode",
    "ccnumber",
]


@pytest.mark.parametrize("field", SENSITIVE)
async def test_sensitive_fields_are_refused_with_a_hint(world: World, field: str) -> None:
    await world.people("alice")
    with pytest.raises(SensitiveField) as refused:
        await world.social.users.change("alice", {field: "secret"})
    assert "operator" in refused.value.extra["hint"]


async def test_sensitive_fields_that_are_enabled_are_kept_and_never_shown(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_world(plain_place, clock, sensitive_fields=True) as world:
        await world.people("alice")
        shown = await world.social.users.change("alice", dict.fromkeys(SENSITIVE, "secret"))
        assert shown.private == {}
        assert await world.field(keys.user("alice"), "password") == "secret"


async def test_a_profile_has_a_limit_of_fields(world: World) -> None:
    await world.people("alice")
    room = FIELDS - await world.store.call("HLEN", keys.user("alice"))
    full = {f"f{number}": "x" for number in range(room)}
    change = world.social.users.change
    with pytest.raises(BadProfileField, match="at most 150"):
        await change("alice", {**full, "one_more": "x"})
    assert (await change("alice", full)).private == full
    with pytest.raises(BadProfileField, match="at most 150"):
        await change("alice", {"one_more": "x"})
    assert (await change("alice", {"f0": "new"})).private == {**full, "f0": "new"}
    await change("alice", {"f0": None, "bio": "in its place"})
    await change("alice", {}, role="model")
    await assert_clean(world.store)


async def test_a_profile_with_too_many_fields_can_be_changed_and_made_smaller(world: World) -> None:
    await world.people("alice")
    for number in range(2 * FIELDS):
        await world.store.call("HSET", keys.user("alice"), f"f{number}", "x")
    change = world.social.users.change
    with pytest.raises(BadProfileField):
        await change("alice", {"bio": "x"})
    await change("alice", {"f1": "new"}, role="model")
    await change("alice", {"bio": "x", "f0": None})
    shown = await change("alice", {f"f{number}": None for number in range(2, 2 * FIELDS)})
    assert (shown.bio, shown.role, shown.private) == ("x", "model", {"f1": "new"})


async def test_nobody_is_made_with_too_many_fields(world: World) -> None:
    for count in (FIELDS, 5_000):
        with pytest.raises(BadProfileField):
            await world.people("alice", given={f"f{number}": "x" for number in range(count)})
    assert await world.store.call("EXISTS", keys.user("alice")) == 0
    await assert_clean(world.store)


async def test_a_role_moves_between_registries_and_takes_its_engagement_along(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice")
    await world.social.posts.like(post.id, "bob")
    await world.social.users.change("alice", {}, role="model")
    assert await world.members(keys.users_regular()) == ["bob"]
    assert await world.score(keys.models_top(), "alice") == 3
    assert await world.field(keys.post(post.id), "user_role") == "model"
    await world.social.users.change("alice", {}, role="user")
    assert await world.members(keys.models_top()) == []
    await assert_clean(world.store)


async def test_posts_follow_a_changed_profile(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.refresh_posts.CHUNK", 3)
    await world.people("alice")
    await world.people("root", role="admin")
    posts = [await world.post("alice") for _ in range(8)]
    await world.social.moderation.ban(posts[4].id, "root")
    await world.social.users.change("alice", {"display_name": "A", "avatar": "https://a.example/a.png"})
    for post in posts:
        assert await world.field(keys.post(post.id), "display_name") == "A"
    await world.social.users.change("alice", {"avatar": None})
    assert await world.field(keys.post(posts[4].id), "avatar") is None
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_a_change_while_posts_are_refreshed_begins_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.social.service.refresh_posts.CHUNK", 2)
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    posts = [await world.post("alice") for _ in range(5)]
    await world.social.users.change("alice", {"display_name": "first"})
    (job,) = await world.jobs.list()
    await world.jobs._steps["social.refresh_posts"]({"username": "alice", "job": job.id})
    await world.social.users.change("alice", {"display_name": "second"})
    assert [one.id for one in await world.jobs.list()] == [job.id]
    await world.jobs.run_open()
    for post in posts:
        assert await world.field(keys.post(post.id), "display_name") == "second"
    assert await world.jobs.list() == []
    await assert_clean(world.store)


def in_the_middle_of_a_refresh(
    world: World, monkeypatch: pytest.MonkeyPatch, then: Callable[[], Awaitable[object]]
) -> None:
    """Do something once, after a step has read the posts and before it has written them."""
    write, waiting = world.store.run_many, [then]

    async def write_later(scripts: Sequence[RefreshPost]) -> list[Problem | None]:
        if waiting:
            await waiting.pop()()
        return await write(scripts)

    monkeypatch.setattr(world.store, "run_many", write_later)


async def test_a_change_in_the_middle_of_the_first_step_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    posts = [await world.post("alice") for _ in range(3)]
    await world.social.users.change("alice", {"display_name": "first"})
    in_the_middle_of_a_refresh(
        world, monkeypatch, lambda: world.social.users.change("alice", {"display_name": "second"})
    )
    await world.jobs.run_open()
    for post in posts:
        assert await world.field(keys.post(post.id), "display_name") == "second"
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_a_post_that_is_unbanned_in_the_middle_of_a_refresh_is_refreshed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    banned, _ = await world.post("alice"), await world.post("alice")
    await world.social.moderation.ban(banned.id, "alice")
    await world.social.users.change("alice", {"display_name": "first"})
    in_the_middle_of_a_refresh(world, monkeypatch, lambda: world.social.moderation.unban(banned.id))
    await world.jobs.run_open()
    assert await world.field(keys.post(banned.id), "display_name") == "first"
    await assert_clean(world.store)


async def test_a_refresh_of_nobody_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    post = await world.post("alice")
    await world.social.users.change("alice", {"display_name": "first"})
    await world.store.call("DEL", keys.user("alice"))
    await world.jobs.run_open()
    assert await world.jobs.list() == []
    assert await world.field(keys.post(post.id), "display_name") is None


async def test_there_is_nobody_where_nobody_registered(world: World) -> None:
    for username in ("nobody", "a:b", "x" * 99):
        with pytest.raises(ProfileNotFound):
            await world.social.profiles.see(username, None)
    with pytest.raises(ProfileNotFound):
        await world.social.users.change("nobody", {"bio": "x"})
    assert await world.store.call("EXISTS", keys.user("nobody")) == 0
