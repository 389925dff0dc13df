"""Accounts and their profiles."""

import pytest

from tests.services.social.traces import traces
from tests.support.squares import assert_clean
from townsquare.services.accounts.models import Facts, Profile, User, UserRole
from townsquare.services.events import UserCreated
from townsquare.services.social import keys
from townsquare.services.social.membership import Membership
from townsquare.services.social.problems import ProfileNotFound, UsernameTaken
from townsquare.square import Square


@pytest.fixture
async def ann(square: Square) -> User:
    said = Profile(username="ann", email="ann@example.org", avatar="https://example.org/ann.png")
    return await square.accounts.users.create(said, Facts(role=UserRole.MODEL))


async def run_jobs(square: Square) -> None:
    while await square.jobs.list():
        await square.jobs.run_open()


async def test_an_account_with_a_username_has_a_profile(square: Square, ann: User) -> None:
    profile = await square.social.profiles.public("ann")
    assert (profile.role, profile.avatar) == ("model", "https://example.org/ann.png")
    assert await square.store.call("ZSCORE", keys.users_models(), "ann") == profile.created_at
    await assert_clean(square.store)


async def test_a_username_that_comes_later_brings_the_profile(square: Square) -> None:
    user = await square.accounts.users.create(Profile(email="bob@example.org"))
    with pytest.raises(ProfileNotFound):
        await square.social.profiles.public("bob")
    await square.accounts.users.change(user.id, Profile(username="bob"))
    assert (await square.social.profiles.public("bob")).role == "user"


async def test_a_profile_follows_its_account(square: Square, ann: User) -> None:
    post = await square.social.create_post("ann", "hi")
    await square.accounts.users.change(ann.id, Profile(avatar=None, links=("https://example.org",)))
    await square.accounts.users.set_role(ann.id, UserRole.USER)
    profile = await square.social.profiles.public("ann")
    assert (profile.role, profile.avatar, profile.links) == ("user", None, ("https://example.org",))
    assert (await square.social.posts.get(post.id)).user_role == "user"
    await assert_clean(square.store)


async def test_a_new_username_renames_the_profile(square: Square, ann: User) -> None:
    post = await square.social.create_post("ann", "hi")
    await square.accounts.users.change(ann.id, Profile(username="anna"))
    await run_jobs(square)
    assert (await square.social.posts.get(post.id)).username == "anna"
    assert await square.social.moving.leads_to("ann") == "anna"
    await assert_clean(square.store)


async def test_a_name_that_leads_elsewhere_is_free_for_a_new_account(square: Square, ann: User) -> None:
    await square.accounts.users.change(ann.id, Profile(username="anna"))
    await run_jobs(square)
    with pytest.raises(UsernameTaken):
        await square.social.register("ann")
    await square.accounts.users.create(Profile(username="ann", email="other@example.org"))
    assert (await square.social.profiles.public("ann")).role == "user"
    assert await square.social.moving.leads_to("ann") is None
    await square.social.moving.rename("anna", "anita")
    await run_jobs(square)
    assert await square.social.moving.leads_to("ann") is None
    await assert_clean(square.store)


async def test_nobody_inherits_the_profile_of_a_name_that_was_given_up(square: Square, ann: User) -> None:
    await square.social.create_post("ann", "mine")
    await square.accounts.users.change(ann.id, Profile(username=None))
    await run_jobs(square)
    await square.accounts.users.create(Profile(username="ann", email="other@example.org"))
    assert (await square.social.profiles.public("ann")).post_count == 0


async def test_nobody_inherits_the_profile_of_a_name_that_could_not_be_changed(
    square: Square, ann: User
) -> None:
    await square.social.register("loaded")  # from elsewhere, without an account
    await square.accounts.users.change(ann.id, Profile(username="loaded"))
    await run_jobs(square)
    with pytest.raises(ProfileNotFound):
        await square.social.profiles.public("ann")


async def test_a_picture_that_is_none_does_not_keep_the_profile_away(square: Square, ann: User) -> None:
    membership = Membership(square.social, square.store)
    await square.social.leaving.delete("ann")
    odd = User(**{**{name: getattr(ann, name) for name in ann.__struct_fields__}, "avatar": "odd"})
    await membership.created(UserCreated(odd))
    assert (await square.social.profiles.public("ann")).avatar is None
    await membership.created(UserCreated(odd))


async def test_the_profile_goes_with_its_account(square: Square, ann: User) -> None:
    await square.accounts.users.create(Profile(username="bob", email="bob@example.org"))
    post = await square.social.create_post("ann", "hi #there")
    await square.social.like(post.id, "bob")
    await square.social.follow("bob", "ann")
    await square.accounts.privacy.delete(ann.id)
    await run_jobs(square)
    assert await traces(square.store, "ann") == set()
    await assert_clean(square.store)


async def test_an_export_has_everything_that_this_service_knows(square: Square, ann: User) -> None:
    await square.accounts.users.create(Profile(username="bob", email="bob@example.org"))
    post = await square.social.create_post("ann", "hi")
    banned = await square.social.create_post("ann", "bad")
    await square.social.moderation.ban(banned.id, "bob")
    bobs = await square.social.create_post("bob", "ho")
    await square.social.like(bobs.id, "ann")
    await square.social.follow("ann", "bob")
    await square.social.profiles.change("ann", {"favourite_colour": "green"})
    known = (await square.accounts.privacy.export(ann.id)).services["social"]
    assert {shown.id for shown in known["posts"]} == {post.id, banned.id}
    assert (known["liked"], known["following"], known["followers"]) == ([bobs.id], ["bob"], [])
    assert known["profile"].private == {"favourite_colour": "green"}
