"""Users who get another name: the six steps of the seed, and everything goes on under it."""

import asyncio

import httpx
import pytest

from tests.services.social.busy_user import OWNED, Life, counts_of, make_busy_user
from tests.services.social.crowd import crowd_of
from tests.services.social.killed_job import NEW_NAME, die_while
from tests.services.social.name_search import keys_naming
from tests.services.social.world import World, ids, open_world, signed_in
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.social import keys
from townsquare.services.social.problems import (
    BadUsername,
    NotYourself,
    ProfileNotFound,
    UserBeingRenamed,
    UsernameTaken,
)
from townsquare.store.keys import LEASE_SECONDS

REDIRECT = {"renamed:Zelda"}
FORMER = {"user:Sheik:former"}  # so that the redirect goes with its user


@pytest.fixture
async def life(world: World) -> Life:
    return await make_busy_user(world)


async def rename(world: World, old: str, new: str) -> None:
    await world.social.users.rename(old, new)
    await world.jobs.run_open()  # what posts copy


async def snapshot(world: World, name: str, old: str) -> dict[str, object]:
    """Everything under a name, straight from Redis, with `old` written as `name`."""

    def as_now(text: str) -> str:
        return name if text == old else text

    found: dict[str, object] = {}
    for declared in OWNED:
        key = declared(old)
        if key.declared.kind.redis_type == "set":
            found[key.declared.name] = sorted(map(as_now, await world.members(key)))
        else:
            pairs = await world.store.call("ZRANGE", key, 0, -1, "WITHSCORES")
            found[key.declared.name] = sorted((as_now(member.decode()), score) for member, score in pairs)
    record = await world.record(keys.user(old))
    found["record"] = {field: as_now(value) for field, value in record.items()}
    return found


async def test_everything_is_under_the_new_name_as_it_was_under_the_old(world: World, life: Life) -> None:
    before = await snapshot(world, "Sheik", "Zelda")
    await rename(world, "Zelda", "Sheik")
    assert await snapshot(world, "Sheik", "Sheik") == before
    await assert_clean(world.store)


async def test_progress_can_be_seen(world: World, life: Life) -> None:
    job = await world.social.users.begin_rename("Zelda", "Sheik")
    (seen,) = await world.jobs.list()
    assert (seen.id, seen.kind, seen.state, seen.done) == (job, "social.move_user", "open", 0)
    reports, bans, blocks, mutes = 1, 1, 2, 2
    others = 2 + 3 + 2 + reports + bans + blocks + mutes
    assert seen.total == len(life.posts) + len(life.liked) + others


async def test_nothing_is_under_the_old_name(world: World, life: Life) -> None:
    await rename(world, "Zelda", "Sheik")
    assert await keys_naming(world.store, "Zelda") == REDIRECT | FORMER
    assert await world.jobs.list() == []


async def test_posts_and_the_sets_of_others_have_the_new_name(world: World, life: Life) -> None:
    await rename(world, "Zelda", "Sheik")
    for id in life.posts:
        post = await world.social.posts.get(id)
        assert (post.user_id, post.username, post.display_name) == ("Sheik", "Sheik", "The princess")
    assert await world.members(keys.post_likes(life.liked[0])) == ["Sheik"]
    assert await world.members(keys.followers("ann")) == ["Sheik"]
    assert await world.members(keys.following("bob")) == ["Sheik"]
    assert await world.members(keys.blocked_by("dan")) == ["Sheik"]
    assert await world.members(keys.blocking("eve")) == ["Sheik"]
    assert await world.members(keys.muting("cyd")) == ["Sheik"]
    assert await world.field(keys.post(life.liked[2]), "banned_by") == "Sheik"
    assert await world.field(keys.post_reasons(life.liked[1]), "Sheik") == "spam"


async def test_everything_works_under_the_new_name(world: World, life: Life) -> None:
    social = world.social
    await rename(world, "Zelda", "Sheik")
    shown = [id for id in life.posts if id != life.posts[2]]
    assert sorted(ids(await social.feeds.user_posts("Sheik", "bob", limit=100))) == sorted(shown)
    assert set(shown) <= set(ids(await social.feeds.home("bob", limit=100)))
    assert [rank.profile.username for rank in (await social.search.top_models(None)).items] == ["Sheik"]
    assert [one.username for one in (await social.search.users("she", None)).items] == ["Sheik"]
    assert (await social.search.users("zel", None)).items == []

    fresh = await world.post("Sheik", "under another name #hyrule")
    assert fresh.id in ids(await social.feeds.home("bob", limit=100))
    assert (await social.posts.unlike(life.liked[3], "Sheik")).changed
    assert (await social.follows.unfollow("Sheik", "ann")).changed
    assert (await social.posts.like(life.posts[4], "ann")).changed
    await social.posts.delete(life.posts[5], "Sheik")
    assert (await social.moderation.unban(life.posts[2])).changed
    await social.users.change("Sheik", {"display_name": "Somebody"})
    assert (await social.posts.get(life.posts[6])).display_name == "Somebody"
    await assert_clean(world.store)


async def test_nothing_works_under_the_old_name(world: World, life: Life) -> None:
    social = world.social
    await rename(world, "Zelda", "Sheik")
    for deed in (
        social.profiles.get("Zelda"),
        social.posts.create("Zelda", "hello"),
        social.posts.like(life.posts[0], "Zelda"),
        social.follows.follow("dan", "Zelda"),
        social.users.change("Zelda", {"bio": "me"}),
        social.users.begin_delete("Zelda"),
        social.users.begin_rename("Zelda", "Tetra"),
    ):
        with pytest.raises(ProfileNotFound):
            await deed
    await assert_clean(world.store)


@pytest.mark.faults
@pytest.mark.parametrize("steps", [0, 3, 7, 9, 13, 16])
async def test_a_rename_that_was_killed_half_way_is_finished_by_the_next_process(
    world: World, place: Place, clock: PinnedClock, life: Life, steps: int
) -> None:
    before = await snapshot(world, NEW_NAME, "Zelda")
    await die_while(place, "rename", life.name, steps)
    assert len(await world.jobs.list()) == 1
    clock.move(seconds=LEASE_SECONDS + 1)
    async with open_world(place, clock) as next_process:
        await next_process.store.effects.sweep()
        await next_process.jobs.run_open()
        await next_process.jobs.run_open()
    assert await snapshot(world, NEW_NAME, NEW_NAME) == before
    assert await keys_naming(world.store, "Zelda") == REDIRECT | FORMER
    assert await world.jobs.list() == []
    await assert_clean(world.store)


async def test_during_a_rename_readers_see_everything_under_one_of_the_names(
    world: World, life: Life
) -> None:
    social, job = world.social, await world.social.users.begin_rename("Zelda", "Sheik")
    shown = {id for id in life.posts if id != life.posts[2]}
    args = {"old": "Zelda", "new": "Sheik", "job": job}
    while await world.jobs.list():
        page = await social.feeds.explore("bob", limit=100)
        assert shown <= {*ids(page), *ids(await social.feeds.explore("bob", page.next, limit=100))}
        assert {item.author.username for item in page.items} <= {"Zelda", "Sheik", "ann"}
        if not await world.jobs._steps["social.move_user"](args):
            break
        if await world.store.get(keys.user("Zelda")) is None:
            await world.jobs.run_open()


async def test_a_user_acts_under_neither_name_while_follows_and_likes_move(world: World, life: Life) -> None:
    await world.social.users.begin_rename("Zelda", "Sheik")
    for name in ("Zelda", "Sheik"):
        with pytest.raises(ProfileNotFound):
            await world.social.posts.create(name, "me?")
        with pytest.raises(ProfileNotFound):
            await world.social.follows.follow("dan", name)
    for name in ("Zelda", "Sheik"):
        with pytest.raises(UserBeingRenamed):
            await world.social.users.begin_delete(name)
    with pytest.raises(UserBeingRenamed):
        await world.social.users.begin_rename("Zelda", "Tetra")
    assert await world.social.users.begin_rename("Zelda", "Sheik") == (await world.jobs.list())[0].id
    await world.jobs.run_open()
    await world.jobs.run_open()
    assert await world.store.get(keys.user("Tetra")) is None
    await assert_clean(world.store)


async def test_a_name_that_somebody_has_is_refused(world: World, life: Life) -> None:
    with pytest.raises(UsernameTaken):
        await world.social.users.begin_rename("Zelda", "ann")
    with pytest.raises(NotYourself):
        await world.social.users.begin_rename("Zelda", "Zelda")
    with pytest.raises(BadUsername):
        await world.social.users.begin_rename("Zelda", "me")
    with pytest.raises(ProfileNotFound):
        await world.social.users.begin_rename("nobody", "somebody")
    assert await world.jobs.list() == []
    await world.social.profiles.register("somebody")
    await assert_clean(world.store)


async def test_a_job_whose_user_is_gone_gives_the_name_back(
    world: World, place: Place, clock: PinnedClock, life: Life
) -> None:
    await world.people("Link")
    await die_while(place, "rename", "Link", 0)
    await world.store.call("HDEL", keys.user("Link"), "deleting", "moving_to")
    await world.social.users.delete("Link")
    clock.move(seconds=LEASE_SECONDS + 1)
    await world.jobs.run_open()
    assert await world.jobs.list() == []
    await world.social.profiles.register(NEW_NAME)


async def test_the_old_name_leads_to_the_new_one_for_thirty_days(
    world: World, clock: PinnedClock, http: httpx.AsyncClient, life: Life
) -> None:
    await rename(world, "Zelda", "Sheik")
    answer = await http.get("/social/users/Zelda/posts?limit=5", headers=signed_in("bob"))
    assert (answer.status_code, answer.headers["location"]) == (308, "/social/users/Sheik/posts?limit=5")
    followed = await http.post("/social/users/Zelda/follow", headers=signed_in("dan"), follow_redirects=True)
    assert followed.status_code == 404  # blocked, under any name
    await world.people("link")
    followed = await http.post("/social/users/Zelda/follow", headers=signed_in("link"), follow_redirects=True)
    assert followed.json() == {"changed": True, "count": 1}
    assert 29 * 86_400 < await world.store.call("TTL", keys.renamed("Zelda")) <= 30 * 86_400
    with pytest.raises(UsernameTaken):
        await world.social.profiles.register("Zelda")
    assert (await http.get("/social/users/nobody")).status_code == 404


async def test_the_new_name_is_not_told_to_whom_it_hides(
    world: World, http: httpx.AsyncClient, life: Life
) -> None:
    await rename(world, "Zelda", "Sheik")
    deeds = [("GET", ""), ("GET", "/posts"), ("POST", "/follow"), ("POST", "/mute")]
    for method, path in deeds:
        for who in ("dan", "eve"):  # blocked, and blocking
            nobody = await http.request(method, f"/social/users/nobody{path}", headers=signed_in(who))
            answer = await http.request(method, f"/social/users/Zelda{path}", headers=signed_in(who))
            assert (answer.status_code, answer.json()["code"]) == (404, nobody.json()["code"])
            assert "Sheik" not in answer.text + str(answer.headers)
    for others in ({}, signed_in("bob"), signed_in("dan/admin")):
        answer = await http.get("/social/users/Zelda", headers=others)
        assert (answer.status_code, answer.headers["location"]) == (308, "/social/users/Sheik")


async def test_moderators_are_led_to_the_new_name_too(
    world: World, http: httpx.AsyncClient, life: Life
) -> None:
    await rename(world, "Zelda", "Sheik")
    root = signed_in("root/admin")
    renamed = await http.post("/social/users/Zelda/rename", json={"new_username": "Tetra"}, headers=root)
    assert (renamed.status_code, renamed.headers["location"]) == (308, "/social/users/Sheik/rename")
    deleted = await http.delete("/social/users/Zelda", headers=root)
    assert (deleted.status_code, deleted.headers["location"]) == (308, "/social/users/Sheik")
    assert (await http.delete("/social/users/Zelda", headers=signed_in("bob"))).status_code == 403
    assert (await world.social.profiles.get("Sheik")).username == "Sheik"
    followed = await http.delete("/social/users/Zelda", headers=root, follow_redirects=True)
    assert followed.status_code == 202
    assert (await http.get("/social/users/Zelda", headers=root)).status_code == 404


async def test_a_name_before_the_last_leads_to_the_last(world: World, life: Life) -> None:
    await rename(world, "Zelda", "Sheik")
    await rename(world, "Sheik", "Tetra")
    assert await world.social.renames.current_name("Zelda") == "Tetra"
    assert await world.social.renames.current_name("Sheik") == "Tetra"
    await assert_clean(world.store)
    await world.social.users.delete("Tetra")
    for name in ("Zelda", "Sheik", "Tetra"):
        assert await keys_naming(world.store, name) == set()
    await assert_clean(world.store)


async def test_a_name_that_is_taken_before_the_move_has_settled_is_its_new_owners(world: World) -> None:
    social = world.social
    await world.people("ann")
    post = await world.post("ann")
    job = await social.users.begin_rename("ann", "anna")
    while await social.renames.current_name("ann") is None:
        await world.jobs._steps["social.move_user"]({"old": "ann", "new": "anna", "job": job})
    await social.renames.end_redirect("ann")
    await social.profiles.register("ann", given={"bio": "another"})
    await world.jobs.run(job)
    await world.jobs.run_open()
    assert (await social.profiles.get("ann")).bio == "another"
    assert (await social.posts.get(post.id)).username == "anna"
    assert await world.store.call("ZCARD", keys.former_names("anna")) == 0
    await assert_clean(world.store)


async def test_one_can_have_the_old_name_back(world: World, life: Life) -> None:
    before = await snapshot(world, "Zelda", "Zelda")
    await rename(world, "Zelda", "Sheik")
    await rename(world, "Sheik", "Zelda")
    assert await snapshot(world, "Zelda", "Zelda") == before
    assert await world.social.renames.current_name("Zelda") is None
    assert await world.social.renames.current_name("Sheik") == "Zelda"
    await assert_clean(world.store)


async def test_a_profile_that_changes_while_posts_move_reaches_all_of_them(world: World) -> None:
    social = world.social
    await world.people("Zelda")
    posts = [(await world.post("Zelda")).id for _ in range(30)]
    job = await social.users.begin_rename("Zelda", "Sheik")
    args = {"old": "Zelda", "new": "Sheik", "job": job}
    for _ in range(3):
        await world.jobs._steps["social.move_user"](args)
    await social.users.change("Sheik", {"display_name": "Changed"})
    await world.jobs.run(job)
    await world.jobs.run_open()
    assert {(await social.posts.get(id)).display_name for id in posts} == {"Changed"}
    await assert_clean(world.store)


async def test_renames_in_a_crowd_that_goes_on_leave_nothing_wrong(world: World) -> None:
    crowd = await crowd_of(world, 12)
    renamed = crowd.names[::3]

    async def rename_some() -> None:
        for name in renamed:
            await world.social.users.rename(name, f"{name}-now")

    await asyncio.gather(*crowd.live(turns=10), rename_some())
    await world.jobs.run_open()
    for name in renamed:
        assert await keys_naming(world.store, name) == {f"renamed:{name}", f"user:{name}-now:former"}
        counts = await counts_of(world, f"{name}-now")
        assert counts["postCount"] == await world.store.call("ZCARD", keys.user_posts(f"{name}-now"))
    await assert_clean(world.store)


async def test_only_a_moderator_renames(world: World, http: httpx.AsyncClient) -> None:
    await world.people("ann")
    asked = {"new_username": "anna"}
    assert (await http.post("/social/users/ann/rename", json=asked)).status_code == 401
    refused = await http.post("/social/users/ann/rename", json=asked, headers=signed_in("ann"))
    assert refused.status_code == 403
    begun = await http.post("/social/users/ann/rename", json=asked, headers=signed_in("mod/admin"))
    assert begun.status_code == 202
    await world.jobs.run(begun.json()["job"])
    assert (await http.get("/social/users/anna")).json()["username"] == "anna"
