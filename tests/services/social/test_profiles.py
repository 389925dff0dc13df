import pytest

from tests.services.social.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import (
    BadProfileField,
    BadUsername,
    ProfileNotFound,
    SensitiveField,
    SystemField,
    UsernameTaken,
)


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
    changed = await world.social.profiles.change(
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
    changed = await world.social.profiles.change("alice", {"bio": None, "hat": None, "links": []})
    assert (changed.bio, changed.links, changed.private) == (None, (), {"email": "a@b.c"})


@pytest.mark.parametrize(
    "changes",
    [
        {"avatar": "javascript:alert(1)"},
        {"links": ["ftp://x.example"]},
        {"links": ["https://x.example"] * 11},
        {"links": "https://x.example"},
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
    with pytest.raises(BadProfileField):
        await world.social.profiles.change("alice", {"bio": "new", **changes})
    assert (await world.social.profiles.own("alice")).bio is None


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
        await world.social.profiles.change("alice", {field: "9"})
    with pytest.raises(SystemField):
        await world.social.profiles.change("alice", {field: None})


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
]


@pytest.mark.parametrize("field", SENSITIVE)
async def test_sensitive_fields_are_refused_with_a_hint(world: World, field: str) -> None:
    await world.people("alice")
    with pytest.raises(SensitiveField) as refused:
        await world.social.profiles.change("alice", {field: "secret"})
    assert "operator" in refused.value.extra["hint"]


async def test_sensitive_fields_that_are_enabled_are_kept_and_never_shown(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_world(plain_place, clock, sensitive_fields=True) as world:
        await world.people("alice")
        shown = await world.social.profiles.change("alice", dict.fromkeys(SENSITIVE, "secret"))
        assert shown.private == {}
        assert await world.field(keys.user("alice"), "password") == "secret"


async def test_a_profile_has_a_limit_of_fields(world: World) -> None:
    await world.people("alice")
    await world.social.profiles.change("alice", {f"f{number}": "x" for number in range(100)})
    with pytest.raises(BadProfileField):
        await world.social.profiles.change("alice", {f"g{number}": "x" for number in range(100)})


async def test_a_role_moves_between_registries_and_takes_its_engagement_along(world: World) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice")
    await world.social.like(post.id, "bob")
    await world.social.profiles.change("alice", {}, role="model")
    assert await world.members(keys.users_regular()) == ["bob"]
    assert await world.score(keys.models_top(), "alice") == 3
    assert await world.field(keys.post(post.id), "user_role") == "model"
    await world.social.profiles.change("alice", {}, role="user")
    assert await world.members(keys.models_top()) == []
    await assert_clean(world.store)


async def test_posts_follow_a_changed_profile(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.refreshing.CHUNK", 3)
    await world.people("alice")
    await world.people("root", role="admin")
    posts = [await world.post("alice") for _ in range(8)]
    await world.social.moderation.ban(posts[4].id, "root")
    await world.social.profiles.change("alice", {"display_name": "A", "avatar": "https://a.example/a.png"})
    for post in posts:
        assert await world.field(keys.post(post.id), "display_name") == "A"
    await world.social.profiles.change("alice", {"avatar": None})
    assert await world.field(keys.post(posts[4].id), "avatar") is None
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_a_change_while_posts_are_refreshed_begins_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.services.social.service.refreshing.CHUNK", 2)
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    posts = [await world.post("alice") for _ in range(5)]
    await world.social.profiles.change("alice", {"display_name": "first"})
    (job,) = await world.jobs.list()
    await world.social.refreshing._step({"username": "alice", "job": job.id})
    await world.social.profiles.change("alice", {"display_name": "second"})
    assert [one.id for one in await world.jobs.list()] == [job.id]
    await world.jobs.run_open()
    for post in posts:
        assert await world.field(keys.post(post.id), "display_name") == "second"
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_a_refresh_of_nobody_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    post = await world.post("alice")
    await world.social.profiles.change("alice", {"display_name": "first"})
    await world.store.call("DEL", keys.user("alice"))
    await world.jobs.run_open()
    assert await world.jobs.list() == []
    assert await world.field(keys.post(post.id), "display_name") is None


async def test_there_is_nobody_where_nobody_registered(world: World) -> None:
    for username in ("nobody", "a:b", "x" * 99):
        with pytest.raises(ProfileNotFound):
            await world.social.profiles.see(username, None)
    with pytest.raises(ProfileNotFound):
        await world.social.profiles.change("nobody", {"bio": "x"})
    assert await world.store.call("EXISTS", keys.user("nobody")) == 0
