"""Live messages without a WebSocket: server-sent events, and asking now and then."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.services.threads.live_clients import Process, another_process, process_of
from tests.services.threads.test_access import by_public
from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from tests.support.waiting import until
from townsquare.services.threads import keys
from townsquare.services.threads.routes import live

EVENTS = "/threads/v1/pages/events"


class Events:
    """A stream that keeps what it is told."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.aiter_lines()
        self.heard: list[tuple[str, str, Any]] = []  # id, event, data

    async def hear(self, kind: str) -> Any:
        async with asyncio.timeout(10):
            while True:
                fields: dict[str, str] = {}
                while line := await anext(self._lines):
                    name, _, value = line.partition(": ")
                    fields[name] = value
                if "data" in fields:
                    data = json.loads(fields["data"])
                    self.heard.append((fields.get("id", ""), fields["event"], data))
                    if fields["event"] == kind:
                        return data

    async def hear_until(self, text: str) -> list[str]:
        while (await self.hear("new_comment"))["comment"]["content"] != text:
            pass
        return [data["comment"]["content"] for _, kind, data in self.heard if kind == "new_comment"]

    @property
    def last_id(self) -> str:
        return [id for id, _, _ in self.heard if id][-1]


@asynccontextmanager
async def stream(process: Process, world: World, last: str = "", **query: str) -> AsyncIterator[Events]:
    headers = {"Origin": ORIGIN, **({"Last-Event-ID": last} if last else {})}
    params = {"site": world.site.api_key_public, "page_url": "/hello", **query}
    async with (
        httpx.AsyncClient(base_url=process.server.origin, trust_env=False) as client,
        client.stream("GET", "/threads/v1/stream", params=params, headers=headers) as response,
    ):
        assert (response.status_code, response.headers["content-type"]) == (200, "text/event-stream")
        assert response.headers["access-control-allow-origin"] == "*"
        yield Events(response)


async def test_events_are_streamed_and_none_is_missed_by_who_comes_back(
    world: World, place: Place, clock: PinnedClock
) -> None:
    ann = await world.user("ann")
    await world.settings(moderation="post")
    async with process_of(world) as here, another_process(world, place, clock) as there:
        async with stream(here, world) as events:
            await events.hear("subscribed")
            await world.comment(ann, "one")
            assert await events.hear_until("one") == ["one"]
            last = events.last_id
        await world.comment(ann, "two")
        await world.settings(moderation="pre")
        await world.comment(ann, "held")
        await world.settings(moderation="post")
        await world.comment(ann, "three")
        async with stream(there, world, last) as events:
            await world.comment(ann, "four")
            assert await events.hear_until("four") == ["two", "three", "four"]
        async with stream(there, world, "1-1") as events:
            await events.hear("reload")
        for process in (here, there):
            await until(lambda process=process: not process.threads.live._open)  # type: ignore[misc]
            assert not len(process.threads.live._pages)


async def test_a_stream_that_is_too_slow_ends_and_is_continued(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "STREAM_OUTBOX", 3)
    ann = await world.user("ann")
    comment = await world.comment(ann, "first")
    voted = json.dumps({"type": "vote_update", "comment_id": comment.id, "upvotes": 1, "downvotes": 0})
    async with process_of(world) as here:
        async with stream(here, world) as events:
            last = (await events.hear("subscribed"))["event"]
        await world.store.pipeline([("XADD", keys.page_events(comment.page_id), "*", "message", voted)] * 20)
        seen: list[str] = []
        while len(seen) < 20:
            async with stream(here, world, last) as events:
                with contextlib.suppress(StopAsyncIteration):
                    while True:
                        await events.hear("vote_update")
                        if len(seen) + len(events.heard) == 21:  # the first one says: subscribed
                            break
            told = [id for id, kind, _ in events.heard if kind == "vote_update"]
            assert 0 < len(told) <= 3
            seen += told
            last = told[-1]
        assert len(set(seen)) == 20


async def test_over_the_limit_of_connections_a_client_polls_and_sees_everything(
    world: World, place: Place, clock: PinnedClock
) -> None:
    ann = await world.user("ann")
    async with (
        another_process(world, place, clock, live_connections=0) as there,
        httpx.AsyncClient(base_url=there.server.origin, trust_env=False, headers=by_public(world)) as client,
    ):
        refused = await client.get("/threads/v1/stream", params={"page_url": "/hello"})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_live_connections")
        assert refused.headers["retry-after"] == "10"
        first = (await client.get(EVENTS, params={"page_url": "/hello"})).json()
        assert (first["events"], first["reload"]) == ([], False)
        seen, last = [], first["last"]
        for number in range(6):
            await world.comment(ann, f"text {number}")
            if number % 2:
                answer = (await client.get(EVENTS, params={"page_url": "/hello", "after": last})).json()
                seen += [event["comment"]["content"] for event in answer["events"]]
                last = answer["last"]
        assert seen == [f"text {number}" for number in range(6)]
        nothing = (await client.get(EVENTS, params={"page_url": "/hello", "after": last})).json()
        assert (nothing["events"], nothing["last"], nothing["reload"]) == ([], last, False)
        for strange in ("0-0", "x", "-", "1-1-1", "99999999999999-0"):
            answer = (await client.get(EVENTS, params={"page_url": "/hello", "after": strange})).json()
            assert (answer["events"], answer["reload"]) == ([], True)
        assert (await client.get(EVENTS)).json()["code"] == "bad_page"
        other = await world.threads.sites.create("Other", "other.example.org")
        elsewhere = {"X-API-Key": other.api_key_public, "Origin": "https://other.example.org"}
        params = {"page_url": "https://blog.example.org/hello", "after": first["last"]}
        assert (await client.get(EVENTS, params=params, headers=elsewhere)).json()["events"] == []
