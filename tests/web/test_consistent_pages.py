"""Answers from memory: the same while nothing has changed, and never what was before a change."""

import asyncio
import contextlib
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
import msgspec
import pytest
import uvicorn

from tests.services.accounts.door import LAPTOP
from tests.support.clock import PinnedClock
from tests.support.engines import Node
from tests.support.squares import Place, bearer, browse, open_square
from tests.support.waiting import until
from tests.web.asking import silent_logs
from townsquare.keyspace import AnyKey
from townsquare.problems import Problem
from townsquare.services.social import keys
from townsquare.services.social.routes import caller_facts
from townsquare.services.widgets.visitors import Visitor
from townsquare.square import Square
from townsquare.web.asked import weight_of
from townsquare.web.kept_answers import KeptAnswer, KeptAnswers
from townsquare.web.process.uvicorn_server import Protocol, server_config
from townsquare.web.site import site_of

pytestmark = pytest.mark.with_memory

EXPLORE, FOLLOWING = "/social/feed/explore", "/social/feed/following"
TAGGED, RANKED = "/social/feed/hashtag/travel", "/social/feed/hashtag/travel/ranked"
BOB, BOBS_POSTS = "/social/users/bob", "/social/users/bob/posts"
READ_BETWEEN = 8  # answers between two writes: some of them come from memory
OTHER_VISITOR = Visitor("10.1.1.1", "another browser")


class World:
    """A site with an answer to each question in its memory, and another process that changes things."""

    def __init__(self, square: Square, other: Square, http: httpx.AsyncClient) -> None:
        self.square, self.other, self.http = square, other, http
        self.token = self.session = self.post = self.counter = ""

    async def fill(self) -> None:
        alice = await self.other.accounts.sign_up("alice")
        signed_in = await self.other.accounts.sessions.issue(alice, "password", LAPTOP)
        self.alice_id, self.token = alice.id, signed_in.access_token
        for name in ("bob", "carol"):
            await self.other.social.register(name, given={"bio": "before"})
        await self.other.social.follow("alice", "bob")
        self.post = (await self.other.social.create_post("bob", "First #travel")).id
        counter = await self.other.widgets.counter.create("https://example.com", "a-secret-of-mine")
        self.counter = counter.id

    @property
    def count(self) -> str:
        return f"/widgets/visit?action=get&id={self.counter}"

    async def ask(self, path: str, **headers: str) -> httpx.Response:
        return await self.http.get(path, headers={**bearer(self.token), **headers})

    async def ask_until_kept(self, path: str) -> httpx.Response:
        """It is kept from the second time on; a feed is made first, so that it takes a third."""
        for _ in range(4):
            given = len(self.given())
            answer = await self.ask(path)
            assert answer.status_code == 200, answer.text
            if len(self.given()) > given:
                return answer
        raise AssertionError(f"{path} was not answered from memory")

    def given(self) -> list[KeptAnswer]:
        near = self.square.store.near
        assert near is not None
        return [one for one in near.entries.values() if isinstance(one, KeptAnswer) and one.given]


@pytest.fixture
async def world(place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    async with (
        open_square(place, clock, near_memory="4mb") as square,
        open_square(place, clock) as other,
        browse(square) as http,
    ):
        world = World(square, other, http)
        await world.fill()
        yield world


Change = Callable[[World], Awaitable[Any]]


async def likes(world: World) -> None:
    await world.other.social.like(world.post, "carol")


async def likes_oneself(world: World) -> None:
    await world.other.social.like(world.post, "alice")


async def posts(world: World) -> None:
    await world.other.social.create_post("bob", "Second #travel")


async def changes_profile(world: World) -> None:
    await world.other.social.change_profile("bob", {"bio": "after", "display_name": "Robert"})


async def counts(world: World) -> None:
    await world.other.widgets.counter.increment(world.counter, OTHER_VISITOR)


@pytest.mark.parametrize(
    ("path", "change"),
    [
        (EXPLORE, likes),
        (EXPLORE, likes_oneself),
        (EXPLORE, posts),
        (EXPLORE, changes_profile),
        (FOLLOWING, posts),
        (FOLLOWING, likes),
        (TAGGED, posts),
        (RANKED, likes),
        (BOB, changes_profile),
        (BOBS_POSTS, likes_oneself),
        (BOBS_POSTS, posts),
        ("count", counts),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
async def test_what_another_process_changes_is_in_the_next_answer(
    world: World, path: str, change: Change
) -> None:
    path = world.count if path == "count" else path
    before = await world.ask_until_kept(path)
    assert (await world.ask(path)).content == before.content
    await change(world)
    after = await world.ask(path)
    asked_anew = await world.ask(f"{path}{'&' if '?' in path else '?'}", Accept="application/json")
    assert after.json() == asked_anew.json() != before.json()
    assert (await world.ask_until_kept(path)).content == after.content  # and it is kept again


@pytest.mark.parametrize("rule", ["block", "blocked_by", "mute", "ban", "delete"])
async def test_what_one_may_not_see_any_more_is_gone_at_once(world: World, rule: str) -> None:
    assert (await world.ask_until_kept(EXPLORE)).json()["items"]
    social = world.other.social
    changes: dict[str, Callable[[], Awaitable[object]]] = {
        "block": lambda: social.block("alice", "bob"),
        "blocked_by": lambda: social.block("bob", "alice"),
        "mute": lambda: social.mute("alice", "bob"),
        "ban": lambda: social.ban_post(world.post, "spam"),
        "delete": lambda: social.delete_post(world.post, "bob"),
    }
    await changes[rule]()
    assert (await world.ask(EXPLORE)).json()["items"] == []


async def test_who_has_signed_out_is_told_so_at_once(world: World) -> None:
    await world.ask_until_kept(BOB)
    await world.other.accounts.sessions.end_all(world.alice_id)
    assert (await world.ask(BOB)).status_code == 401


async def test_an_answer_ends_with_the_token_and_with_the_day(world: World, clock: PinnedClock) -> None:
    await counts(world)
    today = (await world.ask_until_kept(world.count)).json()["data"]["today"]
    await world.ask_until_kept(BOB)
    clock.move(days=1)
    assert (await world.ask(BOB)).status_code == 401
    assert (today, (await world.ask(world.count)).json()["data"]["today"]) == (1, 0)


async def test_a_ranking_is_made_again_when_it_is_too_old(world: World, clock: PinnedClock) -> None:
    await world.ask_until_kept(RANKED)
    await posts(world)
    second = (await world.ask(TAGGED)).json()["items"][0]["post"]["id"]
    await world.other.social.like(second, "carol")
    clock.move(seconds=31)
    assert (await world.ask(RANKED)).json()["items"][0]["post"]["id"] == second


async def test_who_asks_otherwise_is_answered_otherwise(world: World) -> None:
    await likes_oneself(world)
    for _ in range(3):
        mine, others = await world.ask(EXPLORE), await world.http.get(EXPLORE)
        assert mine.json()["items"][0]["isLiked"] is True
        assert others.json()["items"][0]["isLiked"] is False
        assert (await world.ask(f"{EXPLORE}?limit=0")).status_code == 422
        assert (await world.ask(EXPLORE, Authorization="Bearer no.such.token")).status_code == 401
        assert (await world.http.head(EXPLORE)).content == b""
    ids = {
        (await world.ask(EXPLORE, **{"X-Request-Id": f"mine-{one}"})).headers["x-request-id"]
        for one in (1, 2)
    }
    assert ids == {"mine-1", "mine-2"}
    open_to_all = [await world.ask(world.count, Origin="https://blog.example") for _ in range(3)]
    assert [one.headers.get("access-control-allow-origin") for one in open_to_all] == ["*"] * 3


async def test_kept_answers_count_against_the_limit_and_are_told_to_logs_and_metrics(
    plain_place: Place, clock: PinnedClock
) -> None:
    limited = {"rate_limits": "on", "rate_limit": {"read": "300/60"}}
    async with open_square(plain_place, clock, **limited) as square:
        world = World(square, square, browse(square))
        await world.fill()
        answers = [await world.ask(BOB) for _ in range(301)]
        assert [int(one.headers["ratelimit-remaining"]) for one in answers] == [*range(299, -1, -1), 0]
        assert [one.status_code for one in answers] == [200] * 300 + [429]
        assert world.given()
        clock.move(seconds=61)
        figures = (await world.http.get("/metrics")).text
        assert (
            'request_seconds_count{method="GET",route="/social/users/{username}",status="200"} 300.0'
            in figures
        )
        await world.http.aclose()


async def test_memory_is_bounded_and_nothing_is_kept_where_it_is_off(
    plain_place: Place, clock: PinnedClock
) -> None:
    async with open_square(plain_place, clock, near_memory="60kb") as square, browse(square) as http:
        world = World(square, square, http)
        await world.fill()
        for number in range(200):
            for _ in range(3):
                await world.ask(f"{BOB}?", **{"Accept-Language": f"x{number}"})
        near = square.store.near
        assert near is not None
        assert near.size <= near.limit
        assert near.size == sum(one.size for one in near.entries.values())
        assert world.given()
    async with open_square(plain_place, clock, near_memory="0") as square, browse(square) as http:
        assert [(await http.get(EXPLORE)).status_code for _ in range(3)] == [200] * 3
        assert square.store.near is None


async def test_those_behind_a_proxy_share_answers_and_have_limits_of_their_own(
    plain_place: Place, clock: PinnedClock
) -> None:
    proxied = {"trusted_proxies": ["127.0.0.1"], "rate_limits": "on", "rate_limit": {"read": "300/60"}}
    async with open_square(plain_place, clock, **proxied) as square, browse(square) as http:
        world = World(square, square, http)
        await world.fill()
        for _ in range(3):
            await world.ask(BOB, **{"X-Forwarded-For": "198.51.100.1"})
        for left in (299, 298):
            answer = await world.ask(BOB, **{"X-Forwarded-For": "203.0.113.9"})
            assert answer.headers["ratelimit-remaining"] == str(left)
        assert square.store.near is not None
        (kept,) = [one for one in square.store.near.entries.values() if isinstance(one, KeptAnswer)]
        assert [kept] == world.given()


async def test_the_questions_count_into_the_memory(plain_place: Place, clock: PinnedClock) -> None:
    async with open_square(plain_place, clock, near_memory="400kb") as square, browse(square) as http:
        world = World(square, square, http)
        await world.fill()
        for number in range(60):
            for _ in range(3):
                await world.ask(BOB, Accept=f"{number}".rjust(15_000, "x"))
        near = square.store.near
        assert near is not None
        questions = [name for name, one in near.entries.items() if isinstance(one, KeptAnswer)]
        assert 15_000 * len(questions) < near.limit


def test_a_route_whose_answers_are_not_asked_for_again_is_only_tried_now_and_then(square: Square) -> None:
    answers = KeptAnswers(square.store)
    paying, other = answers._use_of("/paying"), answers._use_of("/other")
    paying.kept, paying.given, other.kept = 1_000, 5_000, 1_000
    questions = [partial(tuple[int], [number]) for number in range(128)]
    assert not any(answers.wants("/paying", ask) for ask in questions)  # each for the first time
    assert all(answers.wants("/paying", ask) for ask in questions)
    assert sum(answers.wants("/other", ask) is not None for ask in questions) == 2


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


async def test_a_hundred_readers_never_see_what_was_before_an_acknowledged_write(
    place: Place, clock: PinnedClock
) -> None:
    """Over real connections, where an answer from memory needs no task; the store's are cut meanwhile."""
    async with open_square(place, clock) as square, open_square(place, clock) as other:
        world = World(square, other, browse(square))
        await world.fill()
        for number in range(17):
            await other.social.register(f"person{number}")
        done, known, reads = asyncio.Event(), 0, 0

        async def write() -> None:
            nonlocal known
            for version in range(1, 16):
                await other.social.change_profile("bob", {"bio": str(version)})
                await other.social.follow("alice", f"person{version}")
                known = version
                if version % 5 == 0:
                    for role_store in square.store.role_stores.values():
                        for link in role_store.nodes.links():
                            link.drop("cut by the test")
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
                    asked = [f"/social/users/person{at_least + ahead}" for ahead in (0, 1)]
                    answers = [await http.get(path) for path in (BOB, *asked)]
                    if any(one.status_code == 503 for one in answers):  # while it connects again
                        continue
                    bio, followed = answers[0].json()["bio"], answers[1].json()["isFollowing"]
                    assert bio == "before" if not at_least and bio == "before" else int(bio) >= at_least
                    assert followed or not at_least
                    reads += 1

        async with served(square) as url:
            await asyncio.gather(write(), *(read(url) for _ in range(100)))
        assert reads > 100
        assert square.store.near is not None
        assert square.store.near.hits > 0
        await world.http.aclose()


async def test_who_cannot_be_answered_from_memory_is_counted_once(
    plain_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who closes the connection, or is slow to take an answer, is answered as usual in the end."""
    limited = {"rate_limits": "on", "rate_limit": {"read": "300/60"}}
    async with open_square(plain_place, clock, **limited) as square:
        world = World(square, square, browse(square))
        await world.fill()
        async with served(square) as url, httpx.AsyncClient(base_url=url) as http:
            for _ in range(3):
                before = await http.get(BOB)
            assert world.given()
            closing = [await http.get(BOB, headers={"Connection": "close"}) for _ in range(3)]
            monkeypatch.setattr(Protocol, "_send_whole", lambda *_: False)
            slow = [await http.get(BOB) for _ in range(3)]
        left = [int(one.headers["ratelimit-remaining"]) for one in (before, *closing, *slow)]
        assert left == [*range(297, 290, -1)]
        await world.http.aclose()


@pytest.fixture
async def viewers(world: World) -> dict[str, dict[str, str]]:
    """Headers of several who are signed in: alice and erin follow bob, dave does not."""
    found = {"alice": bearer(world.token)}
    for name in ("dave", "erin"):
        account = await world.other.accounts.sign_up(name)
        signed_in = await world.other.accounts.sessions.issue(account, "password", LAPTOP)
        found[name] = bearer(signed_in.access_token)
    await world.other.social.follow("erin", "bob")
    return found


async def test_one_profile_is_kept_for_all_who_see_the_same(
    world: World, viewers: dict[str, dict[str, str]]
) -> None:
    for headers in (*viewers.values(), {}):
        for _ in range(3):
            answer = await world.http.get(BOB, headers=headers)
            assert answer.json().get("isFollowing", False) == (headers in (viewers["alice"], viewers["erin"]))
    assert len(world.given()) == 3  # followers, others, and anybody


async def test_a_page_is_kept_once_and_shows_everybody_their_own_marks(
    world: World, viewers: dict[str, dict[str, str]]
) -> None:
    other = (await world.other.social.create_post("carol", "Second #travel")).id
    await world.other.social.like(world.post, "alice")
    await world.other.social.like(other, "dave")
    await world.other.social.change_profile("bob", {"bio": ',"isLiked":true,"isBookmarked":true,'})
    for path in (BOBS_POSTS, EXPLORE, TAGGED):
        before = len(world.given())
        for name, headers in viewers.items():
            for _ in range(3):
                items = (await world.http.get(path, headers=headers)).json()["items"]
                liked = {one["post"]["id"] for one in items if one["isLiked"]}
                expected = {"alice": {world.post}, "dave": {other}, "erin": set[str]()}[name]
                assert liked == expected & {one["post"]["id"] for one in items}
        assert len(world.given()) - before == 1


async def test_shared_answers_are_what_a_server_without_memory_answers(
    place: Place,
    clock: PinnedClock,
    world: World,
    viewers: dict[str, dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After each of many changes that one viewer or another would notice."""
    chance = random.Random(7)
    social = world.other.social
    names = ["alice", "bob", "carol", "dave", "erin"]
    posts = [world.post]

    async def change() -> None:
        one, other = chance.sample(names, 2)
        deed = chance.choice(
            ["follow", "unfollow", "like", "unlike", "bookmark", "unbookmark"] * 3
            + ["block", "unblock", "unblock", "mute", "unmute", "unmute", "bio", "post", "ban", "unban"]
        )
        with contextlib.suppress(Problem):
            match deed:
                case "like" | "unlike" | "bookmark" | "unbookmark":
                    await getattr(social, deed)(chance.choice(posts), one)
                case "bio":
                    await social.change_profile(one, {"bio": str(chance.random())})
                case "post":
                    posts.append((await social.create_post(one, "More #travel")).id)
                case "ban":
                    await social.ban_post(chance.choice(posts), "spam")
                case "unban":
                    await social.unban_post(chance.choice(posts))
                case _:
                    await getattr(social, deed)(one, other)

    given, times = KeptAnswers.count, 0

    def count(answers: KeptAnswers, kept: KeptAnswer) -> None:
        nonlocal times
        times += 1
        given(answers, kept)

    monkeypatch.setattr(KeptAnswers, "count", count)
    async with open_square(place, clock, near_memory="0") as plain, browse(plain) as without_memory:
        for _ in range(200):
            await change()
            path = chance.choice([f"/social/users/{name}" for name in names] + [EXPLORE, TAGGED, BOBS_POSTS])
            for caller in (*viewers.values(), {}):
                headers = {**caller, "X-Request-Id": "the-same"}
                for _ in range(chance.choice((1, 2))):
                    answer = await world.http.get(path, headers=headers)
                expected = await without_memory.get(path, headers=headers)
                assert (answer.status_code, answer.json()) == (expected.status_code, expected.json())
    assert times > 100


@pytest.mark.parametrize("changed", ["followed", "profile", "block"])
async def test_what_was_written_before_the_request_counts_though_nobody_has_told_of_it_yet(
    plain_place: Place, clock: PinnedClock, data_node: Node, changed: str
) -> None:
    """The loop does not run between the write and the request, so that the news wait in the socket."""
    async with open_square(plain_place, clock) as square, browse(square) as http:
        world = World(square, square, http)
        await world.fill()
        assert (await world.ask_until_kept(BOB)).json()["isFollowing"]
        commands: dict[str, tuple[str, AnyKey, *tuple[str, ...]]] = {
            "followed": ("SREM", keys.following("alice"), "bob"),
            "profile": ("HSET", keys.user("bob"), "bio", "after"),
            "block": ("ZADD", keys.blocked_by("alice"), "1", "bob"),
        }
        command, key, *words = commands[changed]
        data_node.ask(command, square.store.name(key), *words)
        answer = await world.ask(BOB)
        seen = (answer.status_code, answer.json().get("isFollowing"), answer.json().get("bio"))
        assert (
            seen
            == {
                "followed": (200, False, "before"),
                "profile": (200, True, "after"),
                "block": (404, None, None),
            }[changed]
        )


async def test_who_asks_for_a_former_name_is_sent_on_each_time(world: World) -> None:
    await world.other.social.rename_user("bob", "robert")
    for path in (BOB, BOBS_POSTS):
        answers = [await world.ask(path) for _ in range(4)]
        assert [one.status_code for one in answers] == [308] * 4
        assert {one.headers["location"] for one in answers} == {path.replace("bob", "robert")}


def test_many_short_headers_weigh_more_than_their_text() -> None:
    assert weight_of(("/", *[(b"accept", b"x")] * 98)) > 98 * 150


def test_a_page_without_marks_is_the_page_once_they_are_back() -> None:
    said = ',"isLiked":false,"isBookmarked":true,'
    items = [
        {"post": said, "isLiked": n % 2 == 0, "isBookmarked": n % 3 == 0, "author": said} for n in range(4)
    ]
    page = msgspec.json.encode({"items": items, "next": said})
    ids = tuple("0123")
    parts = caller_facts.without_marks(ids, page)
    assert len(parts) == 5
    assert caller_facts.without_marks(ids[:3], page) == ()
    assert caller_facts.with_marks(ids, (frozenset("02"), frozenset("03")), parts) == page
    unmarked = msgspec.json.decode(caller_facts.with_marks(ids, (frozenset(), frozenset()), parts))
    assert not any(one["isLiked"] or one["isBookmarked"] for one in unmarked["items"])
