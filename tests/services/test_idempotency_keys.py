"""One Idempotency-Key creates at most one object, whatever fails in between."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.services.threads.test_access import token_of
from tests.services.threads.world import ORIGIN, World, open_world
from tests.support.clock import PinnedClock
from tests.support.engines import Node
from tests.support.proxy import proxy_to
from tests.support.squares import Place, assert_clean, browse, client_of, raw_names
from townsquare.keyspace import Role
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.services.threads.models.sites import SiteSettings
from townsquare.store.keys import idempotency, idempotency_result
from townsquare.web.site import site_of

KEY = {"Idempotency-Key": "one"}
CLIENTS = 100
BOARD = "https://board.example/"


@dataclass
class Creation:
    """A request that creates something, and how many there are."""

    path: str
    body: dict[str, Any]
    count: Callable[[], Awaitable[int]]
    other_body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    written: bytes = b"once"  # part of the command that writes it


class Creations:
    def __init__(self, world: World, http: httpx.AsyncClient) -> None:
        self.world = world
        self.http = http

    async def send(self, creation: Creation, headers: dict[str, str] = KEY, **changes: Any) -> httpx.Response:
        body = {**creation.body, **changes}
        return await self.http.post(creation.path, json=body, headers={**creation.headers, **headers})

    async def post(self) -> Creation:
        _, token = await token_of(self.world, "alice")

        async def count() -> int:
            return len((await self.http.get("/social/feed/explore")).json()["items"])

        return Creation("/social/posts", {"content": "once"}, count, {"content": "twice"}, bearer(token))

    async def comment(self) -> Creation:
        _, token = await token_of(self.world, "alice")

        async def count() -> int:
            return len(await self.world.texts())

        headers = {**bearer(token), **site_key(self.world.site.api_key_public)}
        body = {"page_url": "/hello", "content": "once"}
        return Creation(
            "/threads/v1/comments", body, count, {"page_url": "/another", "content": "twice"}, headers
        )

    async def post_comment(self) -> Creation:
        post = await self.post()
        id = (await self.send(post)).json()["id"]
        path = f"/social/posts/{id}/comments"
        await self.world.threads.posts._site()

        async def count() -> int:
            return len((await self.http.get(path)).json()["comments"])

        return Creation(path, {"content": "once"}, count, {"content": "twice"}, post.headers)

    async def message(self) -> Creation:
        await self.http.post("/widgets/bbs", json={"action": "create", "url": BOARD, "token": "a good token"})
        body = {"action": "post", "url": BOARD, "message": "once"}

        async def count() -> int:
            shown = await self.http.get("/widgets/bbs", params={"action": "get", "url": BOARD})
            return int(shown.json()["data"]["totalMessages"])

        return Creation("/widgets/bbs", body, count, {"message": "twice"})

    async def score(self) -> Creation:
        await self.http.post(
            "/widgets/ranking", json={"action": "create", "url": BOARD, "token": "a good token"}
        )
        body = {"action": "submit", "url": BOARD, "name": "Ann", "score": 7}

        async def count() -> int:
            shown = await self.http.get("/widgets/ranking", params={"action": "get", "url": BOARD})
            return int(shown.json()["data"]["totalEntries"])

        return Creation("/widgets/ranking", body, count, {"name": "Bob"}, written=b"Ann")

    async def widget(self) -> Creation:
        body = {
            "action": "create",
            "url": BOARD,
            "token": "a good token",
            "webhook": "https://93.184.216.34/",
        }

        async def count() -> int:
            found = await self.http.get("/widgets/visit", params={"action": "get", "url": BOARD})
            return int(found.status_code == 200)

        return Creation("/widgets/visit", body, count, {"url": f"{BOARD}other"}, written=BOARD.encode())


KINDS = ["post", "comment", "post_comment", "message", "score", "widget"]


@pytest.fixture
async def creations(place: Place, clock: PinnedClock) -> AsyncIterator[Creations]:
    async with open_creations(place, clock) as creations:
        yield creations


@asynccontextmanager
async def open_creations(place: Place, clock: PinnedClock) -> AsyncIterator[Creations]:
    async with open_world(place, clock) as world, browse(world.square) as http:
        yield Creations(world, http)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def site_key(key: str, origin: str = ORIGIN) -> dict[str, str]:
    return {"X-API-Key": key, "Origin": origin}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_a_hundred_clients_with_one_key_create_one_object_and_get_one_response(
    creations: Creations, kind: str
) -> None:
    creation = await getattr(creations, kind)()
    answers = await asyncio.gather(*(creations.send(creation) for _ in range(CLIENTS)))
    assert all(answer.status_code in (200, 201) for answer in answers), {answer.text for answer in answers}
    first = [answer for answer in answers if "idempotency-replayed" not in answer.headers]
    assert len(first) == 1
    assert all(answer.json() == first[0].json() for answer in answers)
    assert await creation.count() == 1
    reused = await creations.send(creation, **creation.other_body)
    assert (reused.status_code, reused.json()["code"]) == (422, "idempotency_key_reused")
    assert await creation.count() == 1
    await assert_clean(creations.world.store)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_retry_after_a_lost_reply_creates_nothing(
    data_node: Node, plain_place: Place, clock: PinnedClock, kind: str
) -> None:
    """The node has written the object when the connection is cut, as if the server was killed before it
    answered. The retry comes later than any mark with a short lifetime lasts."""
    async with proxy_to("127.0.0.1", data_node.port) as proxy:
        place = Place("plain", proxy.url, plain_place.cache_url)
        async with open_creations(place, clock) as creations:
            creation = await getattr(creations, kind)()
            await creations.send(creation, {"Idempotency-Key": "load the script"}, **creation.other_body)
            clock.move(minutes=1)
            before = await creation.count()
            proxy.lose_reply_to = creation.written
            lost = await creations.send(creation)
            assert (lost.status_code, lost.json()["code"]) == (503, "outcome_unknown")
            await until_reachable(creations)
            expire_soon(data_node, seconds=61)
            retries = [await creations.send(creation) for _ in range(2)]
            assert {one.status_code for one in retries} <= {200, 201}, retries[0].text
            assert retries[0].json() == retries[1].json()
            assert {one.headers["idempotency-replayed"] for one in retries} == {"true"}
            assert await creation.count() == before + 1
            await assert_clean(creations.world.store)


def expire_soon(node: Node, seconds: int) -> None:
    """As if so much time had passed: keys that would have expired by then are gone."""
    for name in node.names():
        if 0 <= int(node.ask("TTL", name)) <= seconds:
            node.ask("DEL", name)


async def until_reachable(creations: Creations) -> None:
    async with asyncio.timeout(10):
        while (await creations.http.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - the store
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_retry_after_the_store_was_away_behind_the_write_creates_nothing(
    cluster_place: Place, clock: PinnedClock, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The object exists, its result is in the outbox, and the refusals of other homes cannot be read."""

    async def nothing(*_: Any) -> None:
        pass

    async def away(*_: Any) -> None:
        raise Unavailable()

    async with open_creations(cluster_place, clock) as creations:
        creation = await getattr(creations, kind)()
        effects = creations.world.store.effects
        with monkeypatch.context() as patched:
            patched.setattr(effects, "drain", nothing)
            patched.setattr(effects, "_stored_refusals", away)
            assert (await creations.send(creation)).json()["code"] == "outcome_unknown"
        retry = await creations.send(creation)
        assert retry.headers.get("idempotency-replayed") == "true", retry.text
        await effects.sweep()
        assert await creation.count() == 1
        await assert_clean(creations.world.store)


@pytest.mark.parametrize("stored", ["0" * 32, "one two", b"\xff\xfe"], ids=repr)
async def test_a_result_of_another_version_is_refused(creations: Creations, stored: str | bytes) -> None:
    post = await creations.post()
    await creations.send(post)
    store = creations.world.store
    layout = store.role_stores[Role.DATA].layout
    names = [store.registry.parse(name, layout) for name in await raw_names(store) if ":idempotency" in name]
    (result,) = (key for key in names if key and key.declared is idempotency_result)
    await store.call("SET", result, stored, "EX", 60)
    answer = await creations.send(post)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert await post.count() == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_a_retry_after_a_crash_before_the_effects_creates_nothing(
    cluster_place: Place, clock: PinnedClock, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(*_: Any) -> None:
        raise OutcomeUnknown()

    async with open_creations(cluster_place, clock) as creations:
        creation = await getattr(creations, kind)()
        with monkeypatch.context() as patched:
            patched.setattr(creations.world.store.effects, "drain_asked", die)
            assert (await creations.send(creation)).json()["code"] == "outcome_unknown"
        retry = await creations.send(creation)
        assert retry.headers["idempotency-replayed"] == "true"
        await creations.world.store.effects.sweep()
        assert await creation.count() == 1
        await assert_clean(creations.world.store)


async def test_a_key_belongs_to_one_site_and_one_address(creations: Creations) -> None:
    world = creations.world
    comment = await creations.comment()
    other = await world.threads.sites.create(
        "Other", "other.example", settings=SiteSettings(moderation="post")
    )
    first = (await creations.send(comment)).json()["comment"]
    headers = {**comment.headers, **site_key(other.api_key_public, "https://other.example")}
    second = await creations.http.post(comment.path, json=comment.body, headers={**headers, **KEY})
    assert second.json()["comment"]["id"] != first["id"]
    assert "idempotency-replayed" not in second.headers
    message = await creations.message()
    await creations.send(message)
    async with client_of(site_of(world.square), ip="198.51.100.7") as stranger:
        await stranger.post(message.path, json=message.body, headers=KEY)
    assert await message.count() == 2


async def test_a_refused_request_gives_its_key_back(creations: Creations) -> None:
    comment = await creations.comment()
    assert (await creations.send(comment, content=" ")).status_code == 422
    assert (await creations.send(comment)).status_code == 201
    assert await comment.count() == 1


async def test_an_undone_write_can_be_sent_again(
    creations: Creations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The site bans the author while the comment is being written. Later the ban ends."""
    world, comment = creations.world, await creations.comment()
    alice = await world.square.accounts.users.find("alice")
    moderator = await world.moderator()
    await world.threads.moderation.ban(moderator, alice.id)

    async def standing_before_the_ban(*_: str) -> tuple[bool, int]:
        return False, 0

    with monkeypatch.context() as patched:
        patched.setattr(world.threads.comments._admission, "read_author_state", standing_before_the_ban)
        assert (await creations.send(comment)).json()["code"] == "banned"
    await world.threads.moderation.unban(moderator, alice.id)
    assert (await creations.send(comment)).status_code == 201
    assert await comment.count() == 1


async def test_a_server_killed_after_a_refused_ask_leaves_no_result(
    cluster_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process drains the outbox; the one that got the request never sees the refusal."""

    async def not_banned(*_: str) -> tuple[bool, list[str]]:
        return False, []

    async def drain_and_die(bucket: str, asked: list[str]) -> None:
        await drain(bucket, asked)
        raise OutcomeUnknown()

    async with open_creations(cluster_place, clock) as creations:
        world, comment = creations.world, await creations.comment()
        alice = await world.square.accounts.users.find("alice")
        moderator = await world.moderator()
        await world.threads.moderation.ban(moderator, alice.id)
        drain = world.store.effects.drain_asked
        with monkeypatch.context() as patched:
            patched.setattr(world.threads.comments._admission, "read_author_state", not_banned)
            patched.setattr(world.store.effects, "drain_asked", drain_and_die)
            assert (await creations.send(comment)).json()["code"] == "outcome_unknown"
        assert (await creations.send(comment)).json()["code"] == "banned"
        await world.threads.moderation.unban(moderator, alice.id)
        assert (await creations.send(comment)).status_code == 201
        assert await comment.count() == 1
        await assert_clean(world.store)


@pytest.mark.parametrize("kind", ["post", "comment", "message", "score"])
async def test_a_result_belongs_to_one_body(creations: Creations, kind: str) -> None:
    """Even if the record of the first request is lost."""
    creation = await getattr(creations, kind)()
    await creations.send(creation)
    store = creations.world.store
    layout = store.role_stores[Role.DATA].layout
    for name in await raw_names(store):
        key = store.registry.parse(name, layout) if ":idempotency:" in name else None
        if key and key.declared is idempotency:
            await store.call("DEL", key)
    other = {name: value for name, value in creation.other_body.items() if name != "page_url"}
    reused = await creations.send(creation, **other)
    assert (reused.status_code, reused.json()["code"]) == (422, "idempotency_key_reused")
    await creations.send(creation)
    assert await creation.count() == 1


async def test_what_was_deleted_is_not_created_again(creations: Creations) -> None:
    post = await creations.post()
    id = (await creations.send(post)).json()["id"]
    await creations.http.delete(f"/social/posts/{id}", headers=post.headers)
    assert (await creations.send(post)).json()["code"] == "post_not_found"
    assert await post.count() == 0
    assert (await creations.send(post, {})).status_code == 201
    assert await post.count() == 1


async def test_no_record_of_a_key_contains_the_request(creations: Creations) -> None:
    """So that nothing of a deleted account is left in it."""
    for kind in ("comment", "message"):
        await creations.send(await getattr(creations, kind)())
    store = creations.world.store
    layout = store.role_stores[Role.DATA].layout
    parsed = [
        store.registry.parse(name, layout) for name in await raw_names(store) if ":idempotency:" in name
    ]
    assert len(parsed) == 4
    for key in parsed:
        assert key
        value = await store.call("GET", key)
        assert re.fullmatch(rb"[0-9a-f]{32} ([0-9a-f]{3}|[0-9,-]* [0-9a-f-]{16,36})", value)
        assert 86_000 < await store.call("TTL", key) <= 86_400
