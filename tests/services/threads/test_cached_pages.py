"""Pages of comments from cached records: every change is in the next response, to every viewer."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import get_args

import httpx
import msgspec
import pytest

from tests.services.threads.test_access import by_public, token_of
from tests.services.threads.test_single_sign_on import KEY, claims, signed
from tests.services.threads.world import World, open_world
from tests.store.client_cache.world import commands, forget_commands, request
from tests.support.clock import PinnedClock
from tests.support.engines import Node
from tests.support.squares import Place, bearer, browse, client_of, open_square
from townsquare.problems import Problem
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import Sort, Viewer
from townsquare.services.threads.records import REPLIES
from townsquare.store.client_cache import Barrier
from townsquare.web.site import site_of

pytestmark = pytest.mark.with_client_cache

READ = "/threads/v1/comments?page_url=/hello"
TROUBLESOME = 'A "quote", a \\ and\n\nanother *line* 😀 </script>'

STEPS = 90  # of the comparison with a server without a cache

Change = Callable[[World, Comment, Viewer], Awaitable[object]]


@pytest.fixture
async def there(place: Place, clock: PinnedClock, world: World) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP to another process than that of the world."""
    async with open_square(place, clock) as other, browse(other) as http:
        yield http


async def votes(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.vote(await world.user("carol"), comment.id, "up")


async def edits(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.edit(ann, await world.key(), comment.id, "Another text")


async def replies(world: World, comment: Comment, ann: Viewer) -> None:
    await world.comment(ann, "A reply", parent=comment.id)


async def deletes(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.delete(ann, comment.id)


async def pins(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.comments.pin(await world.moderator(), comment.id, True)


async def rejects(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.moderation.reject(await world.moderator(), comment.id)


async def shadow_bans(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.moderation.shadowban(await world.moderator(), str(ann.user_id))


async def renames_the_author(world: World, comment: Comment, ann: Viewer) -> None:
    await world.threads.commenters.save(str(ann.user_id), {"name": "Another name"})


CHANGES = (votes, edits, replies, deletes, pins, rejects, shadow_bans, renames_the_author)


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
async def test_a_change_is_in_the_next_response_to_everybody(
    world: World, there: httpx.AsyncClient, change: Change
) -> None:
    _, token = await token_of(world, "bea")
    ann = await world.user("ann")
    comment = await world.comment(ann, "First")
    readers = [by_public(world), {**by_public(world), **bearer(token)}]
    async with browse(world.square) as here:
        for http in (here, there):
            before = [[(await http.get(READ, headers=one)).json() for _ in range(3)] for one in readers]
            assert all(responses == responses[:1] * 3 for responses in before)
        await change(world, comment, ann)
        for http in (here, there):
            after = [(await http.get(READ, headers=one)).json() for one in readers]
            assert all(new != old[0] for new, old in zip(after, before, strict=True))


async def test_a_block_hides_its_author_from_the_blocker_alone(
    world: World, there: httpx.AsyncClient
) -> None:
    bea_id, token = await token_of(world, "bea")
    await world.threads.commenters.get(bea_id)
    bea = Viewer(site_id=world.site.id, user_id=bea_id)
    ann = await world.user("ann")
    await world.comment(ann, "First")
    readers = [by_public(world), {**by_public(world), **bearer(token)}]

    async def texts() -> list[str]:
        found = [(await there.get(READ, headers=one)).json()["comments"] for one in readers]
        return [one[0]["content"] for one in found]

    for _ in range(3):
        assert await texts() == ["First", "First"]
    await world.threads.profiles.block(bea, str(ann.user_id))
    assert await texts() == ["First", ""]


async def test_a_moderator_whose_role_has_ended_sees_no_hidden_comments(
    world: World, there: httpx.AsyncClient
) -> None:
    mod_id, token = await token_of(world, "mod")
    await world.threads.sites.set_role(world.site.id, mod_id, "moderator")
    ann = await world.user("ann")
    comment = await world.comment(ann, "Rejected")
    moderator = Viewer(site_id=world.site.id, user_id=mod_id, role="moderator")
    await world.threads.moderation.reject(moderator, comment.id)
    reader = {**by_public(world), **bearer(token)}
    async with browse(world.square) as here:
        for http in (here, there) * 2:
            shown = (await http.get(READ, headers=reader)).json()["comments"]
            assert [one["content"] for one in shown] == ["Rejected"]
        await world.threads.sites.set_role(world.site.id, mod_id, "user")
        for http in (here, there):
            assert (await http.get(READ, headers=reader)).json()["comments"] == []


async def test_a_page_whose_records_are_cached_is_a_barrier(
    plain_place: Place, clock: PinnedClock, data_node: Node
) -> None:
    """A vote invalidates the one comment, and its author's karma."""
    async with open_world(plain_place, clock) as world, browse(world.square) as http:
        ann, bob = await world.user("ann"), await world.user("bob")
        comments = [await world.comment(ann, f"Number {number}") for number in range(20)]
        _, token = await token_of(world, "bea")
        reader = {**by_public(world), **bearer(token)}
        for _ in range(2):
            before = (await http.get(READ, headers=reader)).json()
        forget_commands([data_node])
        assert (await http.get(READ, headers=reader)).json() == before
        sent = commands([data_node])
        assert (sent["evalsha"], sent["client|caching"], sent["ping"]) == (0, 0, 1)
        await world.threads.comments.vote(bob, comments[3].id, "up")
        forget_commands([data_node])
        after = (await http.get(READ, headers=reader)).json()
        assert [one["upvotes"] for one in after["comments"]].count(1) == 1
        assert commands([data_node])["client|caching"] <= 2


async def test_a_user_of_the_site_is_served_until_the_token_expires(world: World, clock: PinnedClock) -> None:
    await world.settings(sso_keys=(KEY,))
    token = signed(claims(clock, exp=clock.now_ms() // 1000 + 60))
    async with browse(world.square) as http:
        early = [await http.get(READ, headers={**by_public(world), **bearer(token)}) for _ in range(4)]
        assert [one.status_code for one in early] == [200] * 4
        clock.move(seconds=66)
        late = await http.get(READ, headers={**by_public(world), **bearer(token)})
    assert late.json()["code"] == "bad_sso_token"


async def test_the_headers_of_a_proxy_count_for_clients_behind_it_alone(
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
            served = [await behind.get(READ, headers=headers) for _ in range(3)]
            assert [one.status_code for one in served] == [200] * 3
            assert (await direct.get(READ, headers=headers)).json()["code"] == "origin_not_allowed"


async def test_a_request_that_runs_again_is_counted_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def api_requests() -> int:
        return (await world.threads.usage.read(world.site.id))[0].api_requests

    runs = 0

    async def stale(barrier: Barrier) -> bool:
        nonlocal runs
        runs += 1
        return False

    async with browse(world.square) as http:
        for _ in range(2):
            await http.get(READ, headers=by_public(world))  # from now on the site's key is cached
        counted = await api_requests()
        monkeypatch.setattr(Barrier, "validate", stale)
        assert (await http.get(f"{READ}&sort=new", headers=by_public(world))).status_code == 200
    assert runs == 1
    assert await api_requests() == counted + 1


async def test_a_vote_that_runs_again_is_one_vote_and_counted_once(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads first, and runs again if what it has read has changed before it writes."""
    limits = {"rate_limits": "on", "rate_limit": {"vote": "5/60"}}
    async with open_world(plain_place, clock, **limits) as world, browse(world.square) as http:
        comments = [await world.comment(await world.user("ann"), "First")]
        comments.append(await world.comment(await world.user("bob"), "Second"))
        _, token = await token_of(world, "bea")
        reader = {**by_public(world), **bearer(token)}
        validate, runs = Barrier.validate, 0

        async def stale(barrier: Barrier) -> bool:
            nonlocal runs
            runs += barrier.optimistic  # before a write
            return await validate(barrier) and not (barrier.optimistic and runs == 2)

        monkeypatch.setattr(Barrier, "validate", stale)
        left = []
        for comment in comments:
            path = f"/threads/v1/comments/{comment.id}/vote"
            response = await http.post(path, json={"direction": "up"}, headers=reader)
            assert response.json() == {"upvotes": 1, "downvotes": 0, "my_vote": "up"}
            left.append(response.headers["ratelimit-remaining"])
        assert runs == 2
        assert left == ["4", "3"]


class Scene:
    """One page with comments in every state, and everybody who looks at it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.viewers: dict[str, Viewer] = {"anonymous": world.reader, "owner": world.owner}
        self.comments: dict[str, Comment] = {}

    async def write(self, author: str, name: str, *, parent: str | None = None) -> None:
        above = self.comments[parent].id if parent else None
        text = f"{TROUBLESOME} {name}"
        self.comments[name] = await self.world.comment(self.viewers[author], text, parent=above)

    async def fill(self, clock: PinnedClock) -> None:
        world, threads = self.world, self.world.threads
        for name in ("ann", "bob", "cyd", "dan", "ghost", "gone"):
            self.viewers[name] = await world.user(name)
        mod = self.viewers["moderator"] = await world.moderator()
        cyd = self.viewers["cyd"]
        for number in range(6):
            clock.move(seconds=1)
            await self.write("ann", f"root {number}")
        for author in ("bob", "cyd", "dan", "ghost", "gone"):
            clock.move(seconds=1)
            await self.write(author, f"by {author}")
        for number in range(REPLIES + 3):
            clock.move(seconds=1)
            await self.write("ann" if number % 2 else "bob", f"reply {number}", parent="root 1")
        for name, author, parent in (
            ("below", "cyd", "reply 0"),
            ("deeper", "bob", "below"),
            ("below deleted", "ann", "root 2"),
            ("below ghost", "ann", "by ghost"),
            ("below blocked", "ann", "by dan"),
            ("reply of ghost", "ghost", "root 1"),
            ("pending reply", "cyd", "root 3"),
        ):
            clock.move(seconds=1)
            await self.write(author, name, parent=parent)
        for voter, name, direction in (
            ("bob", "root 0", "up"),
            ("cyd", "root 0", "up"),
            ("cyd", "root 1", "down"),
            ("ann", "by bob", "up"),
            ("bob", "reply 2", "down"),
            ("cyd", "by dan", "up"),
        ):
            await threads.comments.vote(self.viewers[voter], self.comments[name].id, direction)  # type: ignore[arg-type]
        for name in ("root 4", "by bob", "by ghost", "by dan"):
            await threads.comments.pin(mod, self.comments[name].id, True)
        await threads.comments.edit(
            self.viewers["ann"], await world.key(), self.comments["root 4"].id, f"Edited {TROUBLESOME}"
        )
        await threads.comments.delete(mod, self.comments["root 2"].id, as_moderator=True)
        await threads.comments.delete(mod, self.comments["reply 4"].id, as_moderator=True)
        await threads.moderation.reject(mod, self.comments["root 5"].id)
        await threads.moderation.shadowban(mod, str(self.viewers["ghost"].user_id))
        await threads.profiles.block(cyd, str(self.viewers["dan"].user_id))
        trust = (await world.key()).settings.trust
        await world.settings(trust=msgspec.structs.replace(trust, hold_reports=1))
        for name in ("by cyd", "pending reply"):
            await threads.comments.report(
                self.viewers["bob"], await world.key(), self.comments[name].id, "spam"
            )
        await world.square.accounts.privacy.delete(str(self.viewers["gone"].user_id))


@pytest.fixture
async def scene(world: World, clock: PinnedClock) -> Scene:
    scene = Scene(world)
    await scene.fill(clock)
    return scene


@pytest.mark.slow
@pytest.mark.parametrize("hot", ["votes", "reddit"])
async def test_the_json_of_a_thread_is_that_of_its_models(scene: Scene, hot: str) -> None:
    world = scene.world
    await world.settings(hot=hot)
    site, page = await world.key(), await world.page()
    reading = world.threads.reading
    seen: set[str] = set()
    for viewer in scene.viewers.values():
        for sort in get_args(Sort):
            for limit, depth in ((4, 3), (50, 0), (50, 3)):
                cursor = None
                while True:
                    how = {"sort": sort, "cursor": cursor, "limit": limit, "depth": depth}
                    models = await reading.thread(viewer, site.settings, page.id, **how)
                    for _ in range(3):  # by the script, from records, and from a composite
                        text = await reading.thread_json(viewer, site.settings, page.id, **how)
                        assert msgspec.json.decode(text.body) == msgspec.to_builtins(models)
                        with request(world.square.store) as barrier:
                            text = await reading.thread_json(viewer, site.settings, page.id, **how)
                            assert await reading.thread(viewer, site.settings, page.id, **how) == models
                            assert await barrier.validate()
                        assert msgspec.json.decode(text.body) == msgspec.to_builtins(models)
                    seen |= {f"{one.status}{' blocked' * one.blocked}" for one in models.comments}
                    seen |= {"pinned"} if models.pinned else set()
                    seen |= {"more replies" for one in models.comments if one.replies_next}
                    seen |= {f"vote {one.my_vote}" for one in models.comments}
                    seen |= {one.author.name for one in models.comments if one.author}
                    cursor = models.next
                    if cursor is None:
                        break
                    seen.add("cursor")
    assert seen >= {
        "approved", "pending", "rejected", "deleted", "deleted blocked", "pinned", "more replies", "cursor",
        "vote up", "vote down", "vote None",
    }  # fmt: skip


async def test_a_page_without_comments_is_the_same_as_json(world: World) -> None:
    site, page = await world.key(), await world.page("/nothing-here")
    text = await world.threads.reading.thread_json(world.reader, site.settings, page.id)
    models = await world.threads.reading.thread(world.reader, site.settings, page.id)
    assert msgspec.json.decode(text.body) == msgspec.to_builtins(models)
    assert models.comments == []


@pytest.mark.slow
async def test_cached_pages_equal_those_of_a_server_without_a_cache(
    world: World, place: Place, clock: PinnedClock, there: httpx.AsyncClient
) -> None:
    """After each of many changes, random parts of the thread to random readers."""
    chance = random.Random(7)
    comments, moderation, profiles = world.threads.comments, world.threads.moderation, world.threads.profiles
    viewers: list[Viewer] = []
    readers: list[dict[str, str]] = [by_public(world)]
    for name in ("ann", "bea", "cyd", "dan"):
        user_id, token = await token_of(world, name)
        await world.threads.commenters.get(user_id)
        viewers.append(Viewer(site_id=world.site.id, user_id=user_id))
        readers.append({**by_public(world), **bearer(token)})
    await world.threads.sites.set_role(world.site.id, str(viewers[3].user_id), "moderator")
    moderator, key = await world.moderator(), await world.key()
    made: list[str] = []
    others = viewers[:3]

    async def create(parent: str | None = None) -> None:
        clock.move(ms=1_000)
        made.append((await world.comment(chance.choice(others), f"Number {len(made)}", parent=parent)).id)

    changes: list[Callable[[], Awaitable[object]]] = [
        create,
        lambda: create(chance.choice(made)),
        lambda: create(made[0]),
        lambda: comments.vote(chance.choice(viewers), chance.choice(made), chance.choice(["up", "down"])),
        lambda: comments.vote(chance.choice(viewers), chance.choice(made), chance.choice(["up", "down"])),
        lambda: comments.edit(chance.choice(others), key, chance.choice(made), f"Edited {chance.random()}"),
        lambda: comments.delete(moderator, chance.choice(made), as_moderator=True),
        lambda: comments.pin(moderator, chance.choice(made), chance.random() < 0.5),
        lambda: moderation.reject(moderator, chance.choice(made)),
        lambda: moderation.approve(moderator, chance.choice(made)),
        lambda: profiles.block(chance.choice(others), str(chance.choice(others).user_id)),
        lambda: profiles.unblock(chance.choice(others), str(chance.choice(others).user_id)),
        lambda: world.threads.commenters.save(str(chance.choice(others).user_id), {"name": f"N{len(made)}"}),
    ]
    seen: set[str] = set()
    async with open_square(place, clock, client_cache_memory="0") as plain, browse(plain) as uncached:
        for _ in range(3):
            await create()
        for _ in range(STEPS):
            with suppress(Problem):
                await chance.choice(changes)()
            sort, limit = chance.choice(get_args(Sort)), chance.choice([2, 20, 60])
            path = f"{READ}&sort={sort}&limit={limit}&depth={chance.choice([0, 1, 3, 3])}"
            for reader in chance.sample(readers, 3):
                expected = await uncached.get(path, headers=reader)
                for _ in range(3):
                    shown = await there.get(path, headers=reader)
                    assert shown.json() == expected.json()
                    assert shown.headers["etag"] == expected.headers["etag"]
                seen |= {one["status"] for one in shown.json()["comments"]}
    assert seen >= {"approved", "deleted"}
