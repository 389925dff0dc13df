"""Declared streams of server-sent events, with a real client over a real server."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import msgspec
import pytest

from tests.support.waiting import until
from tests.web.asking import app_with
from tests.web.test_limits import FixedWindows
from tests.web.test_sockets import Hall, Server, serving
from townsquare.api import Auth, Call, Identity, Limit, Stream, StreamEvent
from townsquare.problems import Conflict, NotFound
from townsquare.routes import Routes
from townsquare.web import connections, streams
from townsquare.web.connections import OpenConnections
from townsquare.web.openapi import describe
from townsquare.web.streams import stream_endpoint


class OfPage(msgspec.Struct):
    page: str


class Comment(msgspec.Struct):
    text: str


class News:
    """Pages whose comments are told as they come."""

    def __init__(self) -> None:
        self.routes = Routes("/pages", tag="pages")
        self.coming: asyncio.Queue[StreamEvent[Comment] | Exception | None] = asyncio.Queue()
        self.open = 0
        self.last_ids: list[str] = []

        @self.routes.stream("/{page}/live", most_at_once=2, errors=(NotFound,))
        async def live(call: Call, given: OfPage) -> AsyncIterator[StreamEvent[Comment]]:
            """Comments as they come."""
            if given.page == "none":
                raise NotFound
            self.last_ids.append(call.headers.get("last-event-id", ""))
            return self.events()

        @self.routes.stream("/{page}/mine", auth=Auth.USER, limit=Limit("mine", 100, 60))
        async def mine(call: Call, given: OfPage) -> AsyncIterator[StreamEvent[Comment]]:
            return self.events()

    async def events(self) -> AsyncIterator[StreamEvent[Comment]]:
        self.open += 1
        try:
            while (event := await self.coming.get()) is not None:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.open -= 1


@pytest.fixture
def news() -> News:
    return News()


@pytest.fixture
async def server(news: News) -> AsyncIterator[Server]:
    app = app_with(sockets=news.routes.sockets, limiter=FixedWindows())
    async with serving(app, Hall()) as served:
        yield served


@pytest.fixture
async def client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.origin, trust_env=False) as client:
        yield client


async def rest(response: httpx.Response) -> str:
    return "".join([text async for text in response.aiter_text()])


async def test_events_come_as_they_happen(news: News, client: httpx.AsyncClient) -> None:
    async with client.stream("GET", "/pages/a/live", headers={"Last-Event-ID": "6"}) as response:
        assert response.headers["content-type"] == "text/event-stream"
        assert response.headers["cache-control"] == "no-store"
        assert "content-length" not in response.headers
        lines = response.aiter_lines()
        await news.coming.put(StreamEvent(Comment("first\nline"), id="7", event="comment"))
        assert [await anext(lines) for _ in range(4)] == [
            "event: comment",
            "id: 7",
            'data: {"text":"first\\nline"}',
            "",
        ]
        await news.coming.put(StreamEvent(Comment("second")))
        assert [await anext(lines) for _ in range(2)] == ['data: {"text":"second"}', ""]
        await news.coming.put(None)
        assert [line async for line in lines] == []
    assert (news.open, news.last_ids) == (0, ["6"])


@pytest.mark.parametrize(("path", "status"), [("/pages/none/live", 404), ("/pages/a/mine", 401)])
async def test_what_is_refused_is_a_problem_as_ever(
    client: httpx.AsyncClient, path: str, status: int
) -> None:
    response = await client.get(path)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(("error", "code"), [(Conflict(), "conflict"), (RuntimeError("secret"), "internal")])
async def test_what_breaks_a_stream_is_its_last_event(
    news: News, client: httpx.AsyncClient, error: Exception, code: str
) -> None:
    await news.coming.put(error)
    async with client.stream("GET", "/pages/a/live") as response:
        text = await rest(response)
    assert text.startswith("event: problem\ndata: ")
    assert f'"code":"{code}"' in text
    assert "secret" not in text


async def test_a_silent_stream_is_kept_alive(
    news: News, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "ALIVE_SECONDS", 0.02)
    async with client.stream("GET", "/pages/a/live") as response:
        assert await anext(response.aiter_lines()) == ":"


async def test_a_client_that_leaves_ends_its_stream(news: News, client: httpx.AsyncClient) -> None:
    async with client.stream("GET", "/pages/a/live"):
        await until(lambda: news.open == 1)
    await until(lambda: news.open == 0)


async def test_a_client_has_so_many_open_only_and_gets_the_place_back(
    news: News, client: httpx.AsyncClient
) -> None:
    async with client.stream("GET", "/pages/a/live"), client.stream("GET", "/pages/a/live"):
        assert (await client.get("/pages/a/live")).status_code == 429
        assert (await client.get("/pages/none/live")).status_code == 429
    await until(lambda: news.open == 0)
    assert (await client.get("/pages/none/live")).status_code == 404
    async with client.stream("GET", "/pages/a/live") as response:
        assert response.status_code == 200


async def test_asking_for_the_head_holds_no_place(news: News, client: httpx.AsyncClient) -> None:
    for _ in range(5):
        assert (await client.head("/pages/a/live")).status_code == 200


async def test_a_stopping_server_ends_its_streams_at_once(
    news: News, server: Server, client: httpx.AsyncClient
) -> None:
    async with client.stream("GET", "/pages/a/live") as response:
        await until(lambda: news.open == 1)
        async with asyncio.timeout(5):
            stopping = asyncio.create_task(server.stop())
            assert await rest(response) == "retry: 1000\n\n"
            await stopping
    assert news.open == 0


async def test_a_slow_client_is_dropped(news: News, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SLOW_SECONDS", 0.3)
    _, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1_024)
    writer.write(b"GET /pages/a/live HTTP/1.1\r\nHost: here\r\n\r\n")
    await until(lambda: news.open == 1)
    for _ in range(400):
        news.coming.put_nowait(StreamEvent(Comment("x" * 60_000)))
    await until(lambda: news.open == 0)
    writer.transport.abort()


def test_a_stream_is_described(news: News) -> None:
    declared = [each for each in news.routes.sockets if isinstance(each, Stream)]
    streams = [stream_endpoint(each, OpenConnections(1)) for each in declared]
    document = msgspec.json.decode(describe(streams, {}))
    operation = document["paths"]["/pages/{page}/live"]["get"]
    assert (operation["summary"], operation["tags"]) == ("Comments as they come.", ["pages"])
    assert {"200", "404", "429"} <= operation["responses"].keys()


async def test_a_stream_ends_with_the_session_that_it_was_opened_in(
    news: News, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CHECK_SECONDS", 0.01)
    known = {"ann": Identity("ann")}

    async def authenticate(token: str) -> Identity | None:
        return known.get(token)

    app = app_with(sockets=news.routes.sockets, authenticate=authenticate)
    mine, ann = "/pages/a/mine", {"Authorization": "Bearer ann"}
    async with (
        serving(app, Hall()) as served,
        httpx.AsyncClient(base_url=served.origin, trust_env=False) as client,
        client.stream("GET", mine, headers=ann) as told,
    ):
        assert told.status_code == 200
        await until(lambda: news.open)
        known.clear()
        assert '"code":"unauthorized"' in await rest(told)
    assert not news.open
