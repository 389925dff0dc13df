"""Pages of comments from memory: nobody reads what is not so any more."""

from collections.abc import Awaitable, Callable

import pytest

from tests.services.threads.test_access import by_public, token_of
from tests.services.threads.test_single_sign_on import KEY, claims, signed
from tests.services.threads.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, bearer, browse, client_of
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import Viewer
from townsquare.store.near import ReadRequest
from townsquare.web.site import site_of

pytestmark = pytest.mark.with_memory

READ = "/threads/v1/comments?page_url=/hello"

Change = Callable[[World, Comment, Viewer], Awaitable[object]]


async def votes(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.vote(await world.user("carol"), comment.id, "up")


async def edits(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.edit(ann, await world.key(), comment.id, "Another text")


async def replies(world: World, comment: Comment, ann: Viewer) -> None:
    await world.comment(ann, "A reply", parent=comment.id)


async def deletes(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.delete(ann, comment.id)


@pytest.mark.parametrize("change", [votes, edits, replies, deletes], ids=lambda one: one.__name__)
async def test_a_change_is_in_the_next_answer_to_everybody(world: World, change: Change) -> None:
    _, token = await token_of(world, "bea")
    ann = await world.user("ann")
    comment = await world.comment(ann, "First")
    readers = [by_public(world), {**by_public(world), **bearer(token)}]
    async with browse(world.square) as http:
        before = [[(await http.get(READ, headers=one)).json() for _ in range(4)] for one in readers]
        assert all(answers == answers[:1] * 4 for answers in before)
        near = world.store.near
        assert near is not None
        hits = near.hits
        await http.get(READ, headers=readers[0])
        assert near.hits == hits + 1  # one answer, not its records
        await change(world, comment, ann)
        after = [(await http.get(READ, headers=one)).json() for one in readers]
    assert all(new != old[0] for new, old in zip(after, before, strict=True))


async def test_a_user_of_the_site_is_answered_until_the_token_expires(
    world: World, clock: PinnedClock
) -> None:
    await world.settings(sso_keys=(KEY,))
    token = signed(claims(clock, exp=clock.now_ms() // 1000 + 60))
    async with browse(world.square) as http:
        asked = [await http.get(READ, headers={**by_public(world), **bearer(token)}) for _ in range(4)]
        assert [one.status_code for one in asked] == [200] * 4
        clock.move(seconds=66)
        late = await http.get(READ, headers={**by_public(world), **bearer(token)})
    assert late.json()["code"] == "bad_sso_token"


async def test_what_a_proxy_says_counts_for_those_behind_it_alone(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_world(plain_place, clock, trusted_proxies=["10.0.0.0/8"]) as world:
        headers = {
            "X-API-Key": world.site.api_key_public,
            "Origin": "https://forum.example",
            "X-Forwarded-Host": "forum.example",
            "X-Forwarded-Proto": "https",
        }
        app = site_of(world.square)
        async with client_of(app, "10.0.0.1") as behind, client_of(app, "203.0.113.9") as direct:
            kept = [await behind.get(READ, headers=headers) for _ in range(3)]
            assert [one.status_code for one in kept] == [200] * 3
            assert (await direct.get(READ, headers=headers)).json()["code"] == "origin_not_allowed"


async def test_a_request_that_begins_anew_is_counted_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def api_requests() -> int:
        return (await world.threads.usage.read(world.site.id))[0].api_requests

    async def outdated(reading: ReadRequest) -> bool:
        return False

    async with browse(world.square) as http:
        for _ in range(2):
            await http.get(READ, headers=by_public(world))  # from now on the site comes from memory
        counted = await api_requests()
        monkeypatch.setattr(ReadRequest, "confirm", outdated)
        assert (await http.get(f"{READ}&sort=new", headers=by_public(world))).status_code == 200
    assert await api_requests() == counted + 1
