"""Every response shows what was acknowledged before its request began, in every process."""

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from tests.services.accounts.door import LAPTOP
from tests.support.clock import PinnedClock
from tests.support.engines import Node
from tests.support.proxy import proxy_to
from tests.support.squares import Place, bearer, browse, open_square
from tests.support.waiting import until
from tests.web.asking import silent_logs
from townsquare.keyspace import AnyKey
from townsquare.problems import Problem
from townsquare.services.accounts import keys as accounts_keys
from townsquare.services.accounts.models import UserRole
from townsquare.services.social import keys
from townsquare.services.widgets.ids import Visitor
from townsquare.square import Square
from townsquare.store.client_cache import Barrier
from townsquare.web.process.uvicorn_server import server_config
from townsquare.web.site import site_of

pytestmark = pytest.mark.with_client_cache

EXPLORE, FOLLOWING = "/social/feed/explore", "/social/feed/following"
TAGGED, RANKED = "/social/feed/hashtag/travel", "/social/feed/hashtag/travel/ranked"
BOB, BOBS_POSTS, ME = "/social/users/bob", "/social/users/bob/posts", "/social/users/me"
REPORTS = "/social/reports"
FEEDS = (EXPLORE, FOLLOWING, TAGGED, RANKED)
READ_BETWEEN = 8  # responses between two writes
OTHER_VISITOR = Visitor("10.1.1.1", "another browser")


class World:
    """Two processes: both serve, the second one changes things."""

    def __init__(
        self, square: Square, other: Square, http: httpx.AsyncClient, there: httpx.AsyncClient
    ) -> None:
        self.square, self.other = square, other
        self.processes = (http, there)
        self.http = http
        self.token = self.session = self.post = self.counter = ""

    async def fill(self) -> None:
        alice = await self.other.accounts.sign_up("alice")
        self.alice_id, self.token = alice.id, await self.sign_in("alice")
        (session, *_) = await self.other.accounts.sessions.list(alice.id)
        self.session = session.id
        for name in ("bob", "carol"):
            await self.other.social.profiles.register(name, given={"bio": "before"})
        await self.other.social.follows.follow("alice", "bob")
        self.post = (await self.other.social.posts.create("bob", "First #travel")).id
        counter = await self.other.widgets.counter.create("https://example.com", "a-secret-of-mine")
        self.counter = counter.id

    async def sign_in(self, name: str) -> str:
        account = await self.other.accounts.users.find(name)
        return (await self.other.accounts.sessions.issue(account, "password", LAPTOP)).access_token

    @property
    def count(self) -> str:
        return f"/widgets/visit?action=get&id={self.counter}"

    async def ask(
        self, path: str, http: httpx.AsyncClient | None = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        return await (http or self.http).get(path, headers={**bearer(self.token), **(headers or {})})

    async def ask_repeatedly(self, path: str) -> httpx.Response:
        """Until every record is cached, in both processes."""
        for http in self.processes:
            responses = [await self.ask(path, http) for _ in range(3)]
            assert {one.status_code for one in responses} == {200}, responses[-1].text
            assert responses[1].content == responses[2].content
        return responses[-1]


@asynccontextmanager
async def two_processes(place: Place, clock: PinnedClock, **settings: Any) -> AsyncIterator[World]:
    async with (
        open_square(place, clock, **settings) as square,
        open_square(place, clock, **settings) as other,
        browse(square) as http,
        browse(other) as there,
    ):
        world = World(square, other, http, there)
        await world.fill()
        yield world


@pytest.fixture
async def world(place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    async with two_processes(place, clock) as world:
        yield world


@pytest.fixture
async def without_cache(place: Place, clock: PinnedClock) -> AsyncIterator[httpx.AsyncClient]:
    """A server whose client cache is off."""
    async with open_square(place, clock, client_cache_memory="0") as plain, browse(plain) as http:
        assert plain.store.client_cache is None
        yield http


Change = Callable[[World], Awaitable[Any]]


async def likes(world: World) -> None:
    await world.other.social.posts.like(world.post, "carol")


async def likes_oneself(world: World) -> None:
    await world.other.social.posts.like(world.post, "alice")


async def posts(world: World) -> None:
    await world.other.social.posts.create("bob", "Second #travel")


async def changes_profile(world: World) -> None:
    await world.other.social.users.change("bob", {"bio": "after", "display_name": "Robert"})


async def unfollows(world: World) -> None:
    await world.other.social.follows.unfollow("alice", "bob")


async def counts(world: World) -> None:
    await world.other.widgets.counter.increment(world.counter, OTHER_VISITOR)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "change"),
    [
        (EXPLORE, likes),
        (EXPLORE, likes_oneself),
        (EXPLORE, posts),
        (EXPLORE, changes_profile),
        (FOLLOWING, posts),
        (FOLLOWING, likes),
        (FOLLOWING, unfollows),
        (TAGGED, posts),
        (RANKED, likes),
        (BOB, changes_profile),
        (BOB, unfollows),
        (BOBS_POSTS, likes_oneself),
        (BOBS_POSTS, posts),
        ("count", counts),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
async def test_a_change_of_another_process_is_in_the_next_response(
    world: World, without_cache: httpx.AsyncClient, path: str, change: Change
) -> None:
    path = world.count if path == "count" else path
    before = await world.ask_repeatedly(path)
    await change(world)
    expected = (await world.ask(path, without_cache)).json()
    assert expected != before.json()
    for http in world.processes:
        assert (await world.ask(path, http)).json() == expected


@pytest.mark.parametrize("rule", ["block", "blocked_by", "mute", "ban", "delete", "delete the author"])
async def test_what_one_may_not_see_any_more_is_gone_at_once(world: World, rule: str) -> None:
    paths = [*FEEDS, *([] if rule == "mute" else [BOBS_POSTS])]
    for path in (*paths, f"/social/posts/{world.post}"):
        await world.ask_repeatedly(path)
    social = world.other.social
    changes: dict[str, Callable[[], Awaitable[object]]] = {
        "block": lambda: social.follows.block("alice", "bob"),
        "blocked_by": lambda: social.follows.block("bob", "alice"),
        "mute": lambda: social.follows.mute("alice", "bob"),
        "ban": lambda: social.moderation.ban(world.post, "spam"),
        "delete": lambda: social.posts.delete(world.post, "bob"),
        "delete the author": lambda: social.users.begin_delete("bob"),
    }
    await changes[rule]()
    for http in world.processes:
        for path in paths:
            response = await world.ask(path, http)
            assert response.status_code == 404 or response.json()["items"] == [], path
        if rule != "mute":
            assert (await world.ask(f"/social/posts/{world.post}", http)).status_code == 404


async def test_an_ended_session_is_refused_at_once(world: World) -> None:
    for path in (BOB, EXPLORE, ME):
        await world.ask_repeatedly(path)
    await world.other.accounts.sessions.end_all(world.alice_id)
    for http in world.processes:
        assert [(await world.ask(path, http)).status_code for path in (BOB, EXPLORE, ME)] == [401] * 3


async def test_a_role_that_was_taken_away_does_not_count_any_more(world: World) -> None:
    users = world.other.accounts.users
    await users.set_role(world.alice_id, UserRole.ADMIN)
    world.token = await world.sign_in("alice")
    await world.ask_repeatedly(REPORTS)
    await users.set_role(world.alice_id, UserRole.USER)
    for http in world.processes:
        assert (await world.ask(REPORTS, http)).status_code == 401, "its session has ended"
    world.token = await world.sign_in("alice")
    for http in world.processes:
        assert (await world.ask(REPORTS, http)).status_code == 403


async def test_the_role_of_an_author_is_shown_as_it_is_now(world: World) -> None:
    account = await world.other.accounts.sign_up("mia")
    await world.other.social.posts.create("mia", "By a model")
    await world.ask_repeatedly(EXPLORE)
    await world.other.accounts.users.set_role(account.id, UserRole.MODEL)
    for http in world.processes:
        items = (await world.ask(EXPLORE, http)).json()["items"]
        roles = {(one["author"]["role"], one["post"]["user_role"]) for one in items}
        assert roles == {("user", "user"), ("model", "model")}


async def test_tokens_and_days_end(world: World, clock: PinnedClock) -> None:
    await counts(world)
    today = (await world.ask_repeatedly(world.count)).json()["data"]["today"]
    await world.ask_repeatedly(BOB)
    clock.move(days=1)
    for http in world.processes:
        assert (await world.ask(BOB, http)).status_code == 401
        assert (today, (await world.ask(world.count, http)).json()["data"]["today"]) == (1, 0)


async def test_a_ranking_is_made_again_when_it_is_too_old(world: World, clock: PinnedClock) -> None:
    await world.ask_repeatedly(RANKED)
    await posts(world)
    second = (await world.ask(TAGGED)).json()["items"][0]["post"]["id"]
    await world.other.social.posts.like(second, "carol")
    clock.move(seconds=31)
    for http in world.processes:
        assert (await world.ask(RANKED, http)).json()["items"][0]["post"]["id"] == second


@pytest.mark.slow
async def test_each_viewer_gets_their_own_marks_of_shared_records(world: World) -> None:
    social = world.other.social
    second = (await social.posts.create("carol", "Second #travel")).id
    viewers = {"alice": world.token}
    for name in ("dave", "erin"):
        await world.other.accounts.sign_up(name)
        viewers[name] = await world.sign_in(name)
    await social.follows.follow("erin", "bob")
    await social.posts.like(world.post, "alice")
    await social.posts.like(second, "dave")
    await social.posts.bookmark(second, "dave")
    await social.users.change("bob", {"bio": ',"isLiked":true,"isBookmarked":true,'})
    liked = {"alice": {world.post}, "dave": {second}, "erin": set[str](), "": set[str]()}
    for http in world.processes:
        for _ in range(2):
            for name, token in {**viewers, "": ""}.items():
                who = bearer(token)
                for path in (EXPLORE, TAGGED):
                    items = (await http.get(path, headers=who)).json()["items"]
                    assert {one["post"]["id"] for one in items if one["isLiked"]} == liked[name]
                    assert any(one["isBookmarked"] for one in items) == (name == "dave")
                follows = (await http.get(BOB, headers=who)).json()["isFollowing"]
                assert follows == (name in ("alice", "erin"))


async def test_a_request_is_answered_as_it_was_made(world: World) -> None:
    await likes_oneself(world)
    for _ in range(3):
        mine, others = await world.ask(EXPLORE), await world.http.get(EXPLORE)
        assert mine.json()["items"][0]["isLiked"] is True
        assert others.json()["items"][0]["isLiked"] is False
        assert (await world.ask(f"{EXPLORE}?limit=0")).status_code == 422
        assert (await world.ask(EXPLORE, headers=bearer("no.such.token"))).status_code == 401
        assert (await world.http.head(EXPLORE)).content == b""
    ids = {
        (await world.ask(EXPLORE, headers={"X-Request-Id": f"mine-{one}"})).headers["x-request-id"]
        for one in (1, 2)
    }
    assert ids == {"mine-1", "mine-2"}
    open_to_all = [await world.ask(world.count, headers={"Origin": "https://blog.example"}) for _ in range(3)]
    assert [one.headers.get("access-control-allow-origin") for one in open_to_all] == ["*"] * 3


async def test_every_request_counts_once_also_if_it_runs_again(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the limit of its client's address, and in the metrics."""
    settings = {
        "trusted_proxies": ["127.0.0.1"],
        "rate_limits": "on",
        "rate_limit": {"read": "300/60"},
    }
    async with two_processes(plain_place, clock, **settings) as world:
        validate, runs_again = Barrier.validate, False

        async def validated(barrier: Barrier) -> bool:
            return await validate(barrier) and not runs_again

        monkeypatch.setattr(Barrier, "validate", validated)
        for address in ("198.51.100.1", "203.0.113.9"):
            for number in range(4):
                runs_again = number > 1
                response = await world.ask(BOB, headers={"X-Forwarded-For": address})
                assert response.status_code == 200
            assert response.headers["ratelimit-remaining"] == "296"
        figures = (await world.http.get("/metrics")).text
        route = 'method="GET",route="/social/users/{username}",status="200"'
        assert f"request_seconds_count{{{route}}} 8.0" in figures


async def test_metrics_tell_of_the_client_cache(plain_place: Place, clock: PinnedClock) -> None:
    async with two_processes(plain_place, clock) as world:
        await world.ask_repeatedly(EXPLORE)
        cache = world.square.store.client_cache
        assert cache is not None
        lines = (await world.http.get("/metrics")).text.splitlines()
        figures = {
            line.partition("{")[0]: float(line.rpartition(" ")[2])
            for line in lines
            if line.startswith("townsquare_client_cache_")
        }
        assert figures["townsquare_client_cache_hits_total"] == cache.hits > 0
        assert figures["townsquare_client_cache_misses_total"] == cache.misses > 0
        assert figures["townsquare_client_cache_drops_total"] == cache.drops
        assert figures["townsquare_client_cache_bytes"] == cache.size
        assert figures["townsquare_client_cache_records"] == len(cache.entries)


async def test_the_setting_bounds_the_memory(plain_place: Place, clock: PinnedClock) -> None:
    async with two_processes(plain_place, clock, client_cache_memory="60kb") as world:
        for number in range(60):
            await world.other.social.posts.create("carol", f"number {number} {'x' * 300}")
        cursor: str | None = ""
        while cursor is not None:
            page = (await world.ask(f"{EXPLORE}?cursor={cursor}" if cursor else EXPLORE)).json()
            cursor = page["next"]
        cache = world.square.store.client_cache
        assert cache is not None
        assert cache.size == sum(one.size for one in cache.entries.values()) <= cache.limit == 60 << 10
        assert cache.misses > len(cache.entries) > 0


@asynccontextmanager
async def served(square: Square) -> AsyncIterator[str]:
    """The site as a worker serves it; its address."""
    config = server_config(site_of(square, silent_logs()), square.settings)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve([listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


@pytest.mark.slow
async def test_a_hundred_readers_never_see_the_state_before_an_acknowledged_write(
    place: Place, clock: PinnedClock
) -> None:
    """Over real connections; those of the store are cut meanwhile."""
    async with two_processes(place, clock) as world:
        square, other = world.square, world.other
        for number in range(17):
            await other.social.profiles.register(f"person{number}")
        done, known, reads = asyncio.Event(), 0, 0

        async def write() -> None:
            nonlocal known
            for version in range(1, 16):
                await other.social.users.change("bob", {"bio": str(version)})
                await other.social.posts.edit(world.post, "bob", content=f"#travel {version}")
                await other.social.follows.follow("alice", f"person{version}")
                known = version
                if version % 5 == 0:
                    for connection in square.store.sessions():
                        connection.drop("cut by the test")
                seen = reads
                await until(lambda: reads >= seen + READ_BETWEEN, patience=30)  # noqa: B023 - at once
            done.set()

        async def read(url: str) -> None:
            nonlocal reads
            async with httpx.AsyncClient(
                base_url=url, headers=bearer(world.token), verify=False, timeout=30
            ) as http:
                while not done.is_set():
                    at_least = known
                    paths = (BOB, f"/social/users/person{at_least}", EXPLORE)
                    responses = [await http.get(path) for path in paths]
                    if any(one.status_code == 503 for one in responses):  # while it connects again
                        continue
                    bob, person, explore = (one.json() for one in responses)
                    (item,) = explore["items"]
                    if at_least:
                        assert int(bob["bio"]) >= at_least
                        assert int(item["author"]["bio"]) >= at_least
                        assert int(item["post"]["content"].removeprefix("#travel ")) >= at_least
                        assert person["isFollowing"]
                    reads += 1

        async with served(square) as url:
            await asyncio.gather(write(), *(read(url) for _ in range(100)))
        assert reads > 100
        assert square.store.client_cache is not None
        assert square.store.client_cache.hits > 0


@pytest.mark.slow
async def test_responses_are_those_of_a_server_without_a_cache(
    world: World, without_cache: httpx.AsyncClient
) -> None:
    """After each of many changes that one viewer or another would notice."""
    chance = random.Random(7)
    social = world.other.social
    callers = [bearer(world.token), {}]
    for name in ("dave", "erin"):
        await world.other.accounts.sign_up(name)
        callers.append(bearer(await world.sign_in(name)))
    names = ["alice", "bob", "carol", "dave", "erin"]
    ids = [world.post]

    async def change() -> None:
        one, other = chance.sample(names, 2)
        deed = chance.choice(
            ["follow", "unfollow", "like", "unlike", "bookmark", "unbookmark"] * 3
            + ["block", "unblock", "unblock", "mute", "unmute", "unmute", "bio", "post", "ban", "unban"]
        )
        with contextlib.suppress(Problem):
            match deed:
                case "like" | "unlike" | "bookmark" | "unbookmark":
                    await getattr(social.posts, deed)(chance.choice(ids), one)
                case "bio":
                    await social.users.change(one, {"bio": str(chance.random())})
                case "post":
                    ids.append((await social.posts.create(one, "More #travel")).id)
                case "ban":
                    await social.moderation.ban(chance.choice(ids), "spam")
                case "unban":
                    await social.moderation.unban(chance.choice(ids))
                case _:
                    await getattr(social.follows, deed)(one, other)

    paths = [*(f"/social/users/{name}" for name in names), EXPLORE, TAGGED, RANKED, BOBS_POSTS]
    for _ in range(150):
        await change()
        path = chance.choice(paths)
        for caller in callers:
            headers = {**caller, "X-Request-Id": "the-same"}
            response = await world.http.get(path, headers=headers)
            expected = await without_cache.get(path, headers=headers)
            assert (response.status_code, response.content) == (expected.status_code, expected.content)
    cache = world.square.store.client_cache
    assert cache is not None
    assert cache.hits > 1_000


ACKNOWLEDGED: dict[str, tuple[str, AnyKey | str, *tuple[str, ...]]] = {
    "followed": ("SREM", keys.following("alice"), "bob"),
    "profile": ("HSET", keys.user("bob"), "bio", "after"),
    "block": ("ZADD", keys.blocked_by("alice"), "1", "bob"),
    "session": ("DEL", "session"),
}
SHOWN = {
    "followed": (200, False, "before"),
    "profile": (200, True, "after"),
    "block": (404, None, None),
    "session": (401, None, None),
}


def acknowledge(node: Node, world: World, changed: str) -> None:
    """A write of another process, which has its reply when this returns; our loop does not run meanwhile."""
    command, key, *words = ACKNOWLEDGED[changed]
    if isinstance(key, str):
        key = accounts_keys.session(world.session)
    node.ask(command, world.square.store.name(key), *words)


def shown_in(response: httpx.Response) -> tuple[int, bool | None, str | None]:
    body = response.json()
    return response.status_code, body.get("isFollowing"), body.get("bio")


@pytest.mark.parametrize("changed", ACKNOWLEDGED)
async def test_what_was_written_before_the_request_counts_though_its_invalidation_waits_in_the_socket(
    plain_place: Place, clock: PinnedClock, data_node: Node, changed: str
) -> None:
    async with two_processes(plain_place, clock) as world:
        assert shown_in(await world.ask_repeatedly(BOB)) == (200, True, "before")
        acknowledge(data_node, world, changed)
        assert shown_in(await world.ask(BOB)) == SHOWN[changed]


@pytest.mark.parametrize(
    ("path", "changed", "expected"),
    [
        (BOB, "followed", SHOWN["followed"]),
        (BOB, "profile", SHOWN["profile"]),
        (BOB, "block", SHOWN["block"]),
        (BOB, "session", SHOWN["session"]),
        ("anonymous", "profile", (200, False, "after")),
        (EXPLORE, "profile", "after"),
        (EXPLORE, "block", None),
        (EXPLORE, "session", 401),
        (FOLLOWING, "profile", "after"),
    ],
)
async def test_what_was_written_before_the_request_counts_though_its_invalidation_is_on_its_way(
    plain_place: Place, clock: PinnedClock, data_node: Node, path: str, changed: str, expected: object
) -> None:
    """A proxy holds back everything that the node sends, from before the write until the request waits."""
    async with (
        proxy_to("127.0.0.1", data_node.port) as proxy,
        open_square(Place("plain", proxy.url, plain_place.cache_url), clock) as square,
        open_square(plain_place, clock) as other,
        browse(square) as http,
    ):
        world = World(square, other, http, http)
        await world.fill()
        headers = {} if path == "anonymous" else bearer(world.token)
        address = BOB if path == "anonymous" else path
        for _ in range(3):
            assert (await http.get(address, headers=headers)).status_code == 200
        proxy.hold_replies()
        acknowledge(data_node, world, changed)
        seen = proxy.bytes_seen
        asking = asyncio.create_task(http.get(address, headers=headers))
        await until(lambda: proxy.bytes_seen > seen or asking.done())
        assert not asking.done(), "nothing proves the cached records yet"
        proxy.release()
        response = await asking
        if address == BOB:
            assert shown_in(response) == expected
        elif expected == 401:
            assert response.status_code == 401
        else:
            assert response.status_code == 200
            bios = [item["author"]["bio"] for item in response.json()["items"]]
            assert bios == ([] if expected is None else [expected])


@pytest.mark.slow
async def test_a_former_name_redirects_each_time(world: World) -> None:
    await world.other.social.users.rename("bob", "robert")
    for path in (BOB, BOBS_POSTS):
        for http in world.processes:
            responses = [await world.ask(path, http) for _ in range(3)]
            assert [one.status_code for one in responses] == [308] * 3
            assert {one.headers["location"] for one in responses} == {path.replace("bob", "robert")}
