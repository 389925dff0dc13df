"""Pages of cached records: a change is in the next response of every process, and costs one record."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import httpx
import pytest

from tests.store.client_cache.world import commands, forget_commands
from tests.support.clock import PinnedClock
from tests.support.engines import Cluster, Node
from tests.support.squares import Place, bearer, browse, open_square
from townsquare.kit.paging import Page
from townsquare.problems import Problem
from townsquare.services.accounts.models import UserRole
from townsquare.services.accounts.signin.models import Client
from townsquare.services.social import keys, records
from townsquare.services.social.models import Item
from townsquare.services.social.service.presentation import page_json
from townsquare.square import Square
from townsquare.web.responses import encode

pytestmark = pytest.mark.with_client_cache

EXPLORE, FOLLOWING = "/social/feed/explore", "/social/feed/following"
TAGGED = "/social/feed/hashtag/tag"
STEPS = 80  # of the comparison with a server without a cache
TROUBLESOME = 'a "quote", a \\ and a\nline, 😀 </script> ,"isLiked":true,'


@pytest.fixture
async def other(place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    async with open_square(place, clock) as square:
        yield square


@pytest.fixture
async def there(other: Square) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP to the other process."""
    async with browse(other) as client:
        yield client


@pytest.fixture
async def here(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(square) as client:
        yield client


async def signed_up(square: Square, name: str) -> dict[str, str]:
    account = await square.accounts.sign_up(name)
    signed = await square.accounts.sessions.issue(account, "password", Client())
    return bearer(signed.access_token)


async def contents(there: httpx.AsyncClient, path: str, who: dict[str, str]) -> list[str]:
    response = await there.get(path, headers=who)
    assert response.status_code == 200, response.text
    return [item["post"]["content"] for item in response.json()["items"]]


async def test_a_change_here_is_seen_there(square: Square, other: Square, there: httpx.AsyncClient) -> None:
    alice, bob = await signed_up(square, "alice"), await signed_up(square, "bob")
    first = await square.social.posts.create("alice", "first #tag")
    second = await square.social.posts.create("bob", "second #tag")
    await square.social.follows.follow("bob", "alice")
    pages = (EXPLORE, TAGGED, f"{TAGGED}/ranked", FOLLOWING)
    for page in pages * 3:  # until all records are cached there
        assert set(await contents(there, page, bob)) == {"first #tag", "second #tag"}
    cache = other.store.client_cache
    assert cache is not None
    assert cache.hits > 10
    assert await contents(there, "/social/users/alice/posts", bob) == ["first #tag"]

    await square.social.posts.edit(first.id, "alice", content="changed #tag")
    for page in pages:
        assert "changed #tag" in await contents(there, page, bob)
    await square.social.posts.like(first.id, "bob")
    items = (await there.get(EXPLORE, headers=bob)).json()["items"]
    shown = {item["post"]["id"]: (item["isLiked"], item["post"]["likesCount"]) for item in items}
    assert shown == {first.id: (True, 1), second.id: (False, 0)}
    unseen = (await there.get(EXPLORE, headers=alice)).json()["items"]
    assert not any(item["isLiked"] for item in unseen), "the mark of one viewer is nobody else's"

    await square.social.users.change("alice", {"display_name": "A."})
    authors = [
        item["author"]["display_name"] for item in (await there.get(EXPLORE, headers=bob)).json()["items"]
    ]
    assert "A." in authors
    await square.social.moderation.ban(first.id, "bob")
    assert await contents(there, EXPLORE, bob) == ["second #tag"]
    await square.social.moderation.unban(first.id)
    assert len(await contents(there, EXPLORE, bob)) == 2
    await square.social.follows.block("alice", "bob")
    assert await contents(there, EXPLORE, bob) == ["second #tag"]
    assert (await there.get("/social/users/alice", headers=bob)).status_code == 404
    assert (await there.get("/social/users/alice/posts", headers=bob)).status_code == 404
    await square.social.posts.delete(second.id, "bob")
    assert await contents(there, EXPLORE, bob) == []


async def test_a_list_that_was_empty_counts_as_soon_as_it_is_not(
    square: Square, there: httpx.AsyncClient
) -> None:
    bob = await signed_up(square, "bob")
    await signed_up(square, "alice")
    post = await square.social.posts.create("alice", "seen")

    async def shown() -> tuple[list[bool], int]:
        items = (await there.get(EXPLORE, headers=bob)).json()["items"]
        profile = (await there.get("/social/users/alice", headers=bob)).status_code
        return [item["isBookmarked"] for item in items], profile

    for _ in range(3):
        assert await shown() == ([False], 200)
    await square.social.posts.bookmark(post.id, "bob")
    assert await shown() == ([True], 200)
    await square.social.posts.unbookmark(post.id, "bob")
    assert await shown() == ([False], 200)
    await square.social.follows.mute("bob", "alice")
    assert await shown() == ([], 200)
    await square.social.follows.unmute("bob", "alice")
    assert await shown() == ([False], 200)
    await square.social.follows.block("bob", "alice")
    assert await shown() == ([], 404)
    await square.social.follows.unblock("bob", "alice")
    assert await shown() == ([False], 200)


async def test_an_ended_session_is_refused_at_once_everywhere(
    square: Square, there: httpx.AsyncClient
) -> None:
    account = await square.accounts.sign_up("alice")
    sessions = square.accounts.sessions
    signed = [await sessions.issue(account, "password", Client()) for _ in range(3)]
    for one in signed * 2:
        response = await there.get("/social/users/me", headers=bearer(one.access_token))
        assert response.status_code == 200, response.text
    (newest, *_) = await sessions.list(account.id)
    await sessions.end(account.id, newest.id)
    found = [
        (await there.get("/social/users/me", headers=bearer(one.access_token))).status_code for one in signed
    ]
    assert sorted(found) == [200, 200, 401]
    await sessions.end_all(account.id)
    for one in signed:
        response = await there.get(EXPLORE, headers=bearer(one.access_token))
        assert response.status_code == 401


async def test_a_new_role_is_seen_there(square: Square, there: httpx.AsyncClient) -> None:
    account = await square.accounts.sign_up("alice")
    for _ in range(2):
        assert (await there.get("/social/users/alice")).json()["role"] == "user"
    await square.accounts.users.set_role(account.id, UserRole.MODEL)
    assert (await there.get("/social/users/alice")).json()["role"] == "model"


async def test_private_fields_are_shown_to_their_owner_alone(square: Square, here: httpx.AsyncClient) -> None:
    """The owner's profile is made of the same record that others see."""
    alice, bob = await signed_up(square, "alice"), await signed_up(square, "bob")
    await square.social.users.change("alice", {"phone_note": "a secret of mine"})
    await square.social.follows.follow("bob", "alice")
    await square.social.posts.create("alice", "hello")
    for _ in range(3):
        assert "a secret of mine" in (await here.get("/social/users/me", headers=alice)).text
        assert "a secret of mine" in (await here.get("/social/users/alice", headers=alice)).text
        for path in ("/social/users/alice", "/social/users/alice/posts", EXPLORE):
            for who in (bob, {}):
                response = await here.get(path, headers=who)
                assert response.status_code == 200
                assert "a secret of mine" not in response.text
        shown = [(await here.get("/social/users/alice", headers=who)).json() for who in (bob, {})]
        assert [one["isFollowing"] for one in shown] == [True, False]


@pytest.fixture
def nodes(place: Place, cache_node: Node, request: pytest.FixtureRequest) -> list[Node]:
    """The nodes of both roles."""
    if place.name == "cluster":
        cluster: Cluster = request.getfixturevalue("cluster")
        return [*cluster.nodes, cache_node]
    return [request.getfixturevalue("data_node"), cache_node]


@pytest.mark.parametrize("path", [FOLLOWING, EXPLORE, TAGGED, f"{TAGGED}/ranked", "/social/users/bob/posts"])
async def test_a_page_whose_records_are_cached_is_its_skeleton(
    square: Square,
    here: httpx.AsyncClient,
    nodes: list[Node],
    place: Place,
    clock: PinnedClock,
    path: str,
) -> None:
    """One round trip for a signed-in viewer, with the viewer's marks; on a cluster two, and a barrier to
    each of the other nodes beside them."""
    alice = await signed_up(square, "alice")
    await square.social.profiles.register("bob")
    await square.social.follows.follow("alice", "bob")
    for number in range(25):
        clock.move(ms=1)
        await square.social.posts.create("bob", f"number {number} #tag")
    first = (await here.get(path, headers=alice)).json()
    forget_commands(nodes)
    again = await here.get(path, headers=alice)
    assert again.json() == first
    assert len(first["items"]) == 20
    sent = commands(nodes)
    marks_elsewhere = place.name == "cluster" and path != FOLLOWING
    assert sent["evalsha"] == (2 if marks_elsewhere else 1)
    assert not sent["client|caching"], "no record was read"
    if place.name == "plain":
        assert not sent["ping"]
    else:
        assert sent["role"] <= 3, "at most once to each node"
        assert sent["ping"] <= 1, "of the cache role"


async def test_more_blocks_than_are_cached_hide_users_too(square: Square, here: httpx.AsyncClient) -> None:
    alice = await signed_up(square, "alice")
    for name in ("bob", "cyd"):
        await square.social.profiles.register(name)
        await square.social.posts.create(name, f"by {name}")
    await square.social.follows.block("alice", "bob")
    many = [word for n in range(records.SHORT) for word in (2**50 + n, f"nobody{n}")]
    await square.store.call("ZADD", keys.blocking("alice"), *many)
    for _ in range(3):
        assert await contents(here, EXPLORE, alice) == ["by cyd"]
        assert (await here.get("/social/users/bob", headers=alice)).status_code == 404
        assert (await here.get("/social/users/cyd", headers=alice)).status_code == 200
    await square.store.call("ZREM", keys.blocking("alice"), *many[1::2])


async def test_a_new_post_costs_its_own_record_and_the_authors(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_square(plain_place, clock) as square, browse(square) as http:
        alice = await signed_up(square, "alice")
        await square.social.profiles.register("bob")
        for number in range(20):
            clock.move(ms=1)
            await square.social.posts.create("bob", f"number {number}")
        clock.move(ms=1)
        for _ in range(2):
            await http.get(EXPLORE, headers=alice)
        cache = square.store.client_cache
        assert cache is not None
        before, misses = dict(cache.entries), cache.misses
        post = await square.social.posts.create("alice", "the newest")
        items = (await http.get(EXPLORE, headers=alice)).json()["items"]
        assert items[0]["post"]["id"] == post.id
        assert cache.misses - misses <= 2
        kept = [key for key, entry in before.items() if cache.entries.get(key) is entry]
        assert len([key for key in kept if key[0] is records.POST]) == 20
        assert (records.PROFILE, "bob") in kept


@pytest.mark.parametrize("refreshed_at_once", [500, 0], ids=["author as copied", "copy outdated"])
async def test_the_joined_fragments_are_the_json_of_the_page(
    square: Square, monkeypatch: pytest.MonkeyPatch, refreshed_at_once: int
) -> None:
    """Byte by byte, for each combination of marks, before and after the author has changed."""
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", refreshed_at_once)
    social = square.social
    for name in ("alice", "bob"):
        await social.profiles.register(name, given={"bio": TROUBLESOME})
    posts = [await social.posts.create("bob", f"{TROUBLESOME} #tag{number}") for number in range(4)]
    for number, post in enumerate(posts):
        if number & 1:
            await social.posts.like(post.id, "alice")
        if number & 2:
            await social.posts.bookmark(post.id, "alice")

    async def page() -> Page[Item]:
        found = await social.feeds.explore("alice")
        assert bytes(page_json(await social.feeds_json.explore("alice"))) == encode(found)
        return found

    for _ in range(3):  # from the second on of cached records
        marks = {(item.is_liked, item.is_bookmarked) for item in (await page()).items}
        assert len(marks) == 4
    await social.users.change("bob", {"display_name": 'Robert "Bob" 😀', "avatar": "https://b.example/b.png"})
    for _ in range(2):
        for item in (await page()).items:
            assert item.post.display_name == item.author.display_name == 'Robert "Bob" 😀'
            assert b"Robert" in item.post.json
    unmarked = await social.feeds.explore(None, None, 2)
    assert unmarked.next
    assert bytes(page_json(await social.feeds_json.explore(None, None, 2))) == encode(unmarked)
    assert bytes(page_json(Page([], None))) == encode(Page([], None))


async def test_a_read_that_fails_leaves_no_other_request_waiting(square: Square, other: Square) -> None:
    """A member of a feed that is no post id, from somebody else's program: only that page fails."""
    await signed_up(square, "alice")
    post = await square.social.posts.create("alice", "first #tag")
    await square.store.call("ZADD", keys.explore_feed(), 1, "not-a-post")
    pages = (EXPLORE, "/social/feed/hashtag/tag", "/social/users/alice/posts")
    async with browse(other) as there, asyncio.timeout(10):
        for _ in range(5):
            await square.store.call("HSET", keys.post(post.id), "likesCount", 0)  # a miss for all of them
            _, *found = await asyncio.gather(*(there.get(page) for page in pages), return_exceptions=True)
            assert [one.status_code for one in found if isinstance(one, httpx.Response)] == [200, 200]


@pytest.mark.slow
async def test_cached_pages_equal_those_of_a_server_without_a_cache(
    square: Square, there: httpx.AsyncClient, place: Place, clock: PinnedClock
) -> None:
    """After each of many changes, random pages to random viewers."""
    chance = random.Random(7)
    names = ["ann", "bob", "cyd", "dan"]
    viewers = [{}, *[await signed_up(square, name) for name in names]]
    social = square.social
    posts: list[str] = []

    def one() -> str:
        return chance.choice(names)

    def some() -> str:
        return chance.choice(posts)

    async def create() -> None:
        clock.move(ms=chance.choice([1, 1, 20_000]))
        posts.append((await social.posts.create(one(), f"Number {len(posts)} #tag")).id)

    changes: list[Callable[[], Awaitable[object]]] = [
        create,
        create,
        lambda: social.posts.like(some(), one()),
        lambda: social.posts.unlike(some(), one()),
        lambda: social.posts.bookmark(some(), one()),
        lambda: social.posts.unbookmark(some(), one()),
        lambda: social.posts.edit(some(), one(), content=f"Edited {chance.random()} #tag"),
        lambda: social.posts.edit(some(), one(), content="Without a tag"),
        lambda: social.posts.delete(some(), one()),
        lambda: social.moderation.ban(some(), "ann"),
        lambda: social.moderation.unban(some()),
        lambda: social.follows.follow(one(), one()),
        lambda: social.follows.follow(one(), one()),
        lambda: social.follows.unfollow(one(), one()),
        lambda: social.follows.block(one(), one()),
        lambda: social.follows.unblock(one(), one()),
        lambda: social.follows.mute(one(), one()),
        lambda: social.follows.unmute(one(), one()),
        lambda: social.users.change(one(), {"display_name": f"N{chance.random()}"}),
    ]
    read = 0
    async with open_square(place, clock, client_cache_memory="0") as plain, browse(plain) as uncached:
        for _ in range(25):
            await create()
        for _ in range(STEPS):
            with suppress(Problem):
                await chance.choice(changes)()
            pages = [EXPLORE, TAGGED, f"{TAGGED}/ranked", f"/social/users/{one()}/posts", FOLLOWING]
            path = f"{chance.choice(pages)}?limit={chance.choice([3, 20, 20, 50])}"
            for viewer in chance.sample(viewers, 3):
                expected = await uncached.get(path, headers=viewer)
                for _ in range(3):
                    shown = await there.get(path, headers=viewer)
                    assert shown.status_code == expected.status_code
                    if expected.status_code == 200:
                        assert shown.json() == expected.json()
                        read += 1
    assert read > STEPS
