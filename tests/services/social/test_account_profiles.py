"""Accounts and their profiles."""

import asyncio
import contextlib
import random
from typing import Any

import pytest

from tests.services.social.name_search import keys_naming
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, browse
from townsquare import square as library
from townsquare.clock import iso
from townsquare.problems import Conflict, Taken
from townsquare.services.accounts.models import Facts, User, UserProfile, UserRole
from townsquare.services.accounts.signin.models import Client
from townsquare.services.events import UserSnapshot
from townsquare.services.social import keys
from townsquare.services.social.keys.common import RENAME_USER_JOB
from townsquare.services.social.problems import NotYourself, ProfileNotFound, UserBeingRenamed, UsernameTaken
from townsquare.square import Square
from townsquare.store.coordination.jobs import RETRY_SECONDS


@pytest.fixture
async def ann(square: Square) -> User:
    said = UserProfile(username="ann", email="ann@example.org", avatar="https://example.org/ann.png")
    return await square.accounts.users.create(said, Facts(role=UserRole.MODEL))


async def run_jobs(square: Square) -> None:
    while await square.jobs.list():
        await square.jobs.run_open()


async def out_of_order(args: dict[str, Any]) -> int:
    raise RuntimeError("out of order")


async def test_an_account_with_a_username_has_a_profile(square: Square, ann: User) -> None:
    profile = await square.social.profiles.get("ann")
    assert (profile.role, profile.avatar) == ("model", "https://example.org/ann.png")
    assert await square.store.call("ZSCORE", keys.users_models(), "ann") == profile.created_at
    await assert_clean(square.store)


async def test_a_username_that_comes_later_brings_the_profile(square: Square) -> None:
    user = await square.accounts.users.create(UserProfile(email="bob@example.org"))
    with pytest.raises(ProfileNotFound):
        await square.social.profiles.get("bob")
    await square.accounts.users.change(user.id, UserProfile(username="bob"))
    assert (await square.social.profiles.get("bob")).role == "user"


async def test_a_profile_follows_its_account(square: Square, ann: User) -> None:
    post = await square.social.posts.create("ann", "hi")
    await square.accounts.users.change(ann.id, UserProfile(avatar=None, links=("https://example.org",)))
    await square.accounts.users.set_role(ann.id, UserRole.USER)
    profile = await square.social.profiles.get("ann")
    assert (profile.role, profile.avatar, profile.links) == ("user", None, ("https://example.org",))
    assert (await square.social.posts.get(post.id)).user_role == "user"
    await assert_clean(square.store)


async def test_a_new_username_renames_the_profile(square: Square, ann: User) -> None:
    post = await square.social.posts.create("ann", "hi")
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    await run_jobs(square)
    assert (await square.social.posts.get(post.id)).username == "anna"
    assert await square.social.renames.current_name("ann") == "anna"
    await assert_clean(square.store)


async def test_a_name_that_leads_elsewhere_is_free_for_a_new_account(square: Square, ann: User) -> None:
    await square.accounts.users.change(ann.id, UserProfile(username="anna"))
    await run_jobs(square)
    with pytest.raises(UsernameTaken):
        await square.social.profiles.register("ann")
    await square.accounts.users.create(UserProfile(username="ann", email="other@example.org"))
    assert (await square.social.profiles.get("ann")).role == "user"
    assert await square.social.renames.current_name("ann") is None
    await square.social.users.rename("anna", "anita")
    await run_jobs(square)
    assert await square.social.renames.current_name("ann") is None
    await assert_clean(square.store)


async def test_nobody_inherits_the_profile_of_a_name_that_was_given_up(square: Square, ann: User) -> None:
    await square.social.posts.create("ann", "mine")
    await square.accounts.users.change(ann.id, UserProfile(username=None))
    await run_jobs(square)
    await square.accounts.users.create(UserProfile(username="ann", email="other@example.org"))
    assert (await square.social.profiles.get("ann")).post_count == 0


async def test_a_name_with_a_profile_is_refused_before_anything_changes(square: Square, ann: User) -> None:
    users, post = square.accounts.users, await square.social.posts.create("ann", "mine")
    await square.social.profiles.register(
        "loaded", given={"phone": "555"}
    )  # from elsewhere, without an account
    assert not await users.is_free("username", "loaded")
    with pytest.raises(Taken, match="username"):
        await users.change(ann.id, UserProfile(username="loaded"))
    with pytest.raises(Taken, match="username"):
        await users.create(UserProfile(username="loaded", email="other@example.org"))
    assert (await users.get(ann.id)).username == "ann"
    assert (await square.social.posts.get(post.id)).username == "ann"
    await assert_clean(square.store)


async def test_a_loaded_profile_waits_for_whom_the_operator_vouches_for(square: Square) -> None:
    await square.social.profiles.register("loaded", role="model", given={"phone": "555"})
    await square.accounts.users.create(UserProfile(username="loaded"), vouched=True)
    assert (await square.social.profiles.own("loaded")).private == {"phone": "555"}
    with pytest.raises(Taken):
        await square.accounts.users.create(UserProfile(username="loaded"), vouched=True)


async def test_a_name_that_leads_elsewhere_is_free_for_a_profile_too(square: Square, ann: User) -> None:
    users = square.accounts.users
    await users.change(ann.id, UserProfile(username="anna"))
    await run_jobs(square)
    bob = await users.create(UserProfile(username="bob", email="bob@example.org"))
    post = await square.social.posts.create("bob", "mine")
    assert await users.is_free("username", "ann")
    await users.change(bob.id, UserProfile(username="ann"))
    await run_jobs(square)
    assert (await square.social.posts.get(post.id)).username == "ann"
    await assert_clean(square.store)


async def test_a_name_is_nobody_elses_while_its_profile_is_on_the_way(
    square: Square, ann: User, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = square.accounts.users
    monkeypatch.setitem(square.jobs._steps, RENAME_USER_JOB, out_of_order)
    await users.change(ann.id, UserProfile(username="anna"))
    with pytest.raises(UserBeingRenamed):
        await users.change(ann.id, UserProfile(username="anita"))
    with pytest.raises(UserBeingRenamed):
        await users.change(ann.id, UserProfile(username=None))
    with pytest.raises(Taken):
        await users.create(UserProfile(username="ann", email="other@example.org"))
    assert (await users.get(ann.id)).username == "anna"
    monkeypatch.undo()
    clock.move(seconds=RETRY_SECONDS + 1)
    await run_jobs(square)
    await users.change(ann.id, UserProfile(username="anita"))
    assert (await square.social.profiles.get("anita")).role == "model"
    await assert_clean(square.store)


async def test_a_moderators_rename_is_one_of_the_account(square: Square, ann: User) -> None:
    users, post = square.accounts.users, await square.social.posts.create("ann", "mine")
    assert await square.social.users.begin_rename("ann", "anna") == "", "done already"
    assert (await users.get(ann.id)).username == "anna"
    await run_jobs(square)
    assert (await square.social.posts.get(post.id)).username == "anna"
    with pytest.raises(Taken):
        await users.create(UserProfile(username="anna", email="other@example.org"))
    with pytest.raises(ProfileNotFound):
        await square.social.users.begin_rename("nobody", "somebody")


async def test_a_moderators_rename_without_a_profile_leaves_the_account(square: Square, ann: User) -> None:
    await square.social.users.delete("ann")
    with pytest.raises(ProfileNotFound):
        await square.social.users.begin_rename("ann", "anna")
    with pytest.raises(ProfileNotFound):
        await square.social.users.edit("ann", {}, by="root", role="admin", as_moderator=True)
    assert (await square.accounts.users.get(ann.id)).username == "ann"
    assert (await square.accounts.users.get(ann.id)).role is UserRole.MODEL


async def test_a_role_is_one_truth(square: Square, ann: User) -> None:
    await square.social.users.edit("ann", {}, by="ann", role="user", as_moderator=True)
    assert (await square.accounts.users.get(ann.id)).role is UserRole.USER
    assert (await square.social.profiles.get("ann")).role == "user"


async def test_an_old_token_acts_under_the_name_that_its_account_has_now(square: Square) -> None:
    device = Client("192.0.2.1", "laptop")
    signed_in = await square.accounts.password.sign_up(
        UserProfile(username="eve"), "correct horse battery", device
    )
    token = signed_in.access_token
    assert (await named_by(square, token)) == "eve"
    await square.accounts.users.change(signed_in.user.id, UserProfile(username="evelyn"))
    assert (await named_by(square, token)) == "evelyn"
    await run_jobs(square)
    await square.accounts.users.create(UserProfile(username="eve"))
    assert (await named_by(square, token)) == "evelyn", "never the new owner of the old name"
    await square.accounts.users.change(signed_in.user.id, UserProfile(username=None))
    assert (await named_by(square, token)) == ""


async def named_by(square: Square, token: str) -> str:
    identity = await square.accounts.authenticate(token)
    assert identity is not None
    return identity.username


async def test_the_operators_key_is_nobodys_name(place: Place) -> None:
    async with (
        library.open(
            settings=place.settings(admin_token="the key of the operator"), background=False
        ) as square,
        browse(square) as http,
    ):
        await square.accounts.users.create(UserProfile(username="admin"))
        await square.social.users.change("admin", {"phone": "555"})
        headers = {"Authorization": "Bearer the key of the operator"}
        for answer in (
            await http.get("/social/users/me", headers=headers),
            await http.post("/social/posts", json={"content": "hi"}, headers=headers),
        ):
            assert answer.status_code == 403, answer.text
        assert (await square.social.profiles.get("admin")).post_count == 0


async def test_a_picture_that_is_none_does_not_keep_the_profile_away(square: Square) -> None:
    odd = UserSnapshot(
        id="usr_" + "0" * 32, username="ann", avatar="odd", created_at=iso(square.store.clock.now_ms())
    )
    for _ in range(2):
        assert await square.social.account_profile.apply(None, odd) == 0
        assert (await square.social.profiles.get("ann")).avatar is None


async def test_the_profile_goes_with_its_account(square: Square, ann: User) -> None:
    await square.accounts.users.create(UserProfile(username="bob", email="bob@example.org"))
    post = await square.social.posts.create("ann", "hi #there")
    await square.social.posts.like(post.id, "bob")
    await square.social.follows.follow("bob", "ann")
    await square.accounts.privacy.delete(ann.id)
    await run_jobs(square)
    assert await keys_naming(square.store, "ann") == set()
    await assert_clean(square.store)


async def test_an_export_has_everything_that_this_service_knows(square: Square, ann: User) -> None:
    await square.accounts.users.create(UserProfile(username="bob", email="bob@example.org"))
    post = await square.social.posts.create("ann", "hi")
    banned = await square.social.posts.create("ann", "bad")
    await square.social.moderation.ban(banned.id, "bob")
    bobs = await square.social.posts.create("bob", "ho")
    await square.social.posts.like(bobs.id, "ann")
    await square.social.follows.follow("ann", "bob")
    await square.social.users.change("ann", {"favourite_colour": "green"})
    known = (await square.accounts.privacy.export(ann.id)).services["social"]
    assert {shown.id for shown in known["posts"]} == {post.id, banned.id}
    assert (known["liked"], known["following"], known["followers"]) == (
        [bobs.id],
        ["bob"],
        [],
    )
    assert known["profile"].private == {"favourite_colour": "green"}


async def test_in_a_crowd_that_trades_names_nobody_gets_anothers_profile(square: Square) -> None:
    users, chance = square.accounts.users, random.Random(7)
    pool = [f"name{number}" for number in range(12)]
    people = [await users.create(UserProfile(username=name)) for name in pool[:8]]
    for person, name in zip(people, pool, strict=False):
        await square.social.users.change(name, {"mark": person.id})
        await square.social.posts.create(name, "mine")
    running = asyncio.create_task(keep_running(square))

    async def trade() -> None:
        person, name = chance.choice(people), chance.choice([*pool, None])
        with contextlib.suppress(Taken, Conflict, ProfileNotFound, NotYourself):
            if chance.random() < 0.2:
                people.append(
                    await users.create(UserProfile(username=name, device_id=f"device{chance.random()}"))
                )
            elif chance.random() < 0.3 and name:
                await square.social.users.begin_rename(name, chance.choice(pool))
            else:
                await users.change(person.id, UserProfile(username=name))

    for _ in range(10):
        await asyncio.gather(*(trade() for _ in range(10)))
    running.cancel()
    await run_jobs(square)
    for id in {person.id for person in people}:
        username = (await users.get(id)).username
        if username:
            private = (await square.social.profiles.own(username)).private
            assert isinstance(private, dict)
            assert private.get("mark") in (None, id)
    await assert_clean(square.store)


async def keep_running(square: Square) -> None:
    while True:
        await run_jobs(square)
        await asyncio.sleep(0.01)


async def test_a_display_name_is_the_same_everywhere(square: Square, ann: User) -> None:
    await square.social.users.change("ann", {"display_name": "Ann Bee"})
    assert (await square.accounts.users.get(ann.id)).display_name == "Ann Bee"
    assert (await square.threads.commenters.get(ann.id)).name == "Ann Bee"
    await square.accounts.users.change(ann.id, UserProfile(display_name=None))
    assert (await square.social.profiles.get("ann")).display_name is None
    assert (await square.threads.commenters.get(ann.id)).name == "ann"
    await assert_clean(square.store)


async def test_an_account_adopts_the_display_name_that_only_its_profile_has(
    square: Square, ann: User
) -> None:
    await square.social.profiles.write("ann", {"display_name": "Ann Bee"})
    await square.accounts.users.change(ann.id, UserProfile(links=("https://example.org",)))
    await run_jobs(square)
    assert (await square.accounts.users.get(ann.id)).display_name == "Ann Bee"
    assert (await square.social.profiles.get("ann")).display_name == "Ann Bee"
    await assert_clean(square.store)
