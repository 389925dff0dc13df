"""Declared WebSockets, with a real client over a real server."""

import asyncio
import contextlib
import gc
import logging
import socket
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
import pytest
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.logs import capture_logs
from tests.support.waiting import until
from tests.web.asking import app_with
from tests.web.test_limits import FixedWindows
from townsquare.api import Auth, Call, Connection, Identity, Limit
from townsquare.problems import Conflict, NotFound
from townsquare.routes import Routes
from townsquare.settings import Settings
from townsquare.web import connections, sockets
from townsquare.web.app import App
from townsquare.web.process.uvicorn_server import server_config


class Room(msgspec.Struct):
    room: str
    greeting: str = "hello"


class Said(msgspec.Struct, forbid_unknown_fields=True):
    text: str


class Hall:
    """Rooms where whatever is said comes back."""

    def __init__(self) -> None:
        self.routes = Routes("/rooms", tag="rooms")
        self.here: list[str] = []
        self.left: list[str] = []
        self.failures: dict[str, Exception] = {}
        self.flood = asyncio.Event()

        @self.routes.socket("/{room}", messages=5, longest_message=100, most_at_once=3)
        async def talk(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            self.here.append(given.room)
            try:
                connection.send(Said(f"{given.greeting} {call.identity.user_id if call.identity else ''}"))
                async for said in connection:
                    if said.text in self.failures:
                        raise self.failures[said.text]
                    if said.text == "bye":
                        return
                    if said.text == "wrong":
                        connection.refuse(Conflict("Not now"))
                    else:
                        connection.send(said)
            finally:
                self.left.append(given.room)

        @self.routes.socket("/{room}/members", auth=Auth.USER)
        async def members(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            assert call.identity is not None
            connection.send(Said(call.identity.user_id))
            async for said in connection:
                connection.send(said)

        @self.routes.socket("/{room}/open", open_to_any_origin=True)
        async def open_(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            pass

        @self.routes.socket("/{room}/rare", limit=Limit("rare", 2, 60))
        async def rare(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            pass

        @self.routes.socket("/{room}/deaf", idle_seconds=0.2, messages=1_000)
        async def deaf(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            """Says things for ever and never takes a message."""
            try:
                await asyncio.Event().wait()
            finally:
                self.left.append(given.room)

        @self.routes.socket("/{room}/idle", idle_seconds=0.2)
        async def idle(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            async for _ in connection:
                pass

        @self.routes.socket("/{room}/flood", outbox=8)
        async def flood(call: Call, given: Room, connection: Connection[Said, Said]) -> None:
            try:
                while True:
                    connection.send(Said("x" * 60_000))
                    await asyncio.sleep(0.001)
            finally:
                self.flood.set()


signed_out: set[str] = set()


async def authenticate(token: str) -> Identity | None:
    return Identity(token) if token == "ann" and token not in signed_out else None


class Server:
    def __init__(self, hall: Hall, app: App, server: uvicorn.Server, running: asyncio.Task[None]) -> None:
        self.hall = hall
        self.app = app
        self.server = server
        self.running = running
        self.port: int = server.servers[0].sockets[0].getsockname()[1]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def opened(self, path: str, **options: Any) -> connect:
        return connect(f"ws://127.0.0.1:{self.port}{path}", **options)

    async def refused(self, path: str, **options: Any) -> tuple[int, dict[str, Any]]:
        with pytest.raises(InvalidStatus) as refusal:
            async with self.opened(path, **options):
                pass
        return refusal.value.response.status_code, msgspec.json.decode(refusal.value.response.body or b"{}")

    async def stop(self) -> None:
        self.app.stop()
        self.server.should_exit = True
        await self.running


@contextlib.asynccontextmanager
async def serving(app: App, hall: Hall) -> AsyncIterator[Server]:
    config = server_config(app)
    config.port = 0
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    served = Server(hall, app, server, running)
    try:
        yield served
    finally:
        await served.stop()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    hall = Hall()
    app = app_with(
        sockets=hall.routes.sockets,
        authenticate=authenticate,
        limiter=FixedWindows(),
        settings=Settings(cors_origins=("https://friend.example",)),
    )
    async with serving(app, hall) as served:
        yield served


async def heard(client: ClientConnection) -> Any:
    return msgspec.json.decode(await client.recv())


async def closed(client: ClientConnection) -> tuple[int, str]:
    """The close code and reason that the server sent."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await client.recv()
    assert client.close_code is not None
    return client.close_code, client.close_reason or ""


async def test_messages_go_both_ways(server: Server) -> None:
    async with server.opened("/rooms/blue?greeting=hi") as client:
        assert await heard(client) == {"text": "hi "}
        await client.send('{"text": "one"}')
        assert await heard(client) == {"text": "one"}
        await client.send('{"text": "bye"}')
        assert await closed(client) == (1000, "")
    assert server.hall.here == server.hall.left == ["blue"]


async def test_a_client_that_leaves_ends_the_service_side(server: Server) -> None:
    async with server.opened("/rooms/blue") as client:
        await heard(client)
    await until(lambda: server.hall.left == ["blue"])


@pytest.mark.parametrize("message", ["{", '{"text": 7}', "[]", '"text"', '{"text": "\\ud800"}'])
async def test_a_message_that_is_not_understood_is_answered(server: Server, message: str) -> None:
    async with server.opened("/rooms/blue") as client:
        await heard(client)
        await client.send(message)
        assert (await heard(client))["code"] == "invalid"
        await client.send('{"text": "still here"}')
        assert await heard(client) == {"text": "still here"}


async def test_a_refusal_is_a_frame(server: Server) -> None:
    async with server.opened("/rooms/blue") as client:
        await heard(client)
        await client.send('{"text": "wrong"}')
        refusal = await heard(client)
        assert (refusal["code"], refusal["status"], refusal["detail"]) == ("conflict", 409, "Not now")


async def test_a_problem_ends_the_connection_with_its_status(server: Server) -> None:
    server.hall.failures["ghost"] = NotFound("No ghosts")
    async with server.opened("/rooms/blue") as client:
        await heard(client)
        await client.send('{"text": "ghost"}')
        assert (await heard(client))["detail"] == "No ghosts"
        assert await closed(client) == (4404, "not_found")


async def test_an_error_tells_nothing_of_the_inside(server: Server) -> None:
    server.hall.failures["boom"] = RuntimeError("secret")
    async with server.opened("/rooms/blue") as client:
        await heard(client)
        await client.send('{"text": "boom"}')
        assert await closed(client) == (1011, "")


async def test_binary_is_not_taken(server: Server) -> None:
    async with server.opened("/rooms/blue") as client:
        await client.send(b"\x00")
        assert (await closed(client))[0] == 1003


@pytest.mark.parametrize("text", ["x" * 101, "é" * 60])
async def test_a_message_may_be_so_long_only(server: Server, text: str) -> None:
    async with server.opened("/rooms/blue") as client:
        await client.send(text)
        assert (await closed(client))[0] == 1009


async def test_a_client_may_send_so_many_messages_only(server: Server) -> None:
    async with server.opened("/rooms/blue") as client:
        for _ in range(6):
            await client.send('{"text": "spam"}')
        assert await closed(client) == (4429, "rate_limited")


async def test_who_says_nothing_for_long_is_let_go(server: Server) -> None:
    async with server.opened("/rooms/blue/idle") as client:
        assert await closed(client) == (4408, "idle")


async def test_a_service_that_does_not_read_lets_go_of_a_client_that_left(server: Server) -> None:
    async with server.opened("/rooms/blue/deaf") as client:
        for _ in range(sockets.INBOX + 4):
            await client.send('{"text": "hello"}')
        client.transport.abort()
    await until(lambda: server.hall.left == ["blue"])


async def test_an_unknown_path_is_refused_before_the_handshake(server: Server) -> None:
    status, problem = await server.refused("/nowhere")
    assert (status, problem["code"]) == (404, "not_found")


async def test_a_refused_handshake_is_no_error_of_the_server(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logged:
        assert (await server.refused("/rooms"))[0] == 404
        await until(lambda: not server.server.server_state.tasks)
    assert not [line for line in logged if line["log_level"] == "error"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("token", ["ann", "unknown"], ids=["accepted", "refused"])
async def test_a_client_that_leaves_during_the_handshake_is_no_error_of_the_server(
    token: str, caplog: pytest.LogCaptureFixture
) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def late(token: str) -> Identity | None:
        asked.set()
        await gone.wait()
        return await authenticate(token)

    hall = Hall()
    async with serving(app_with(sockets=hall.routes.sockets, authenticate=late), hall) as server:
        state = server.server.server_state
        with capture_logs() as logged:
            opening = asyncio.create_task(server.opened(MINE, subprotocols=[f"bearer.{token}"]).__aenter__())
            await asked.wait()
            opening.cancel()
            await until(lambda: not state.connections)
            gone.set()
            await until(lambda: not state.tasks)
    assert not [line for line in logged if line["log_level"] == "error"]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_head_that_the_handshake_cannot_read_is_refused(server: Server) -> None:
    status, problem = await server.refused(f"/rooms/blue?x={'x' * 8_500}")
    assert (status, problem["code"]) == (414, "uri_too_long")
    status, problem = await server.refused("/rooms/blue", additional_headers={"X-Long": "x" * 8_200})
    assert (status, problem["code"]) == (431, "head_too_large")


async def test_wrong_input_is_refused_before_the_handshake(server: Server) -> None:
    assert (await server.refused("/rooms/%00"))[0] == 422


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
async def test_another_sites_page_cannot_connect(server: Server, origin: str) -> None:
    status, problem = await server.refused("/rooms/blue", origin=origin)
    assert (status, problem["code"]) == (403, "forbidden")


async def test_our_own_pages_friends_and_programs_can(server: Server) -> None:
    for origin in (server.origin, "https://friend.example", None):
        async with server.opened("/rooms/blue", origin=origin) as client:
            assert await heard(client) == {"text": "hello "}


async def test_a_socket_may_be_open_to_any_origin(server: Server) -> None:
    async with server.opened("/rooms/blue/open", origin="https://evil.example") as client:
        assert (await closed(client))[0] == 1000


async def test_a_member_shows_a_token_as_header_or_as_subprotocol(server: Server) -> None:
    async with server.opened(
        "/rooms/blue/members", additional_headers={"Authorization": "Bearer ann"}
    ) as client:
        assert await heard(client) == {"text": "ann"}
    async with server.opened("/rooms/blue/members", subprotocols=["townsquare", "bearer.ann"]) as client:
        assert client.subprotocol == "townsquare"
        assert await heard(client) == {"text": "ann"}


@pytest.mark.parametrize("subprotocols", [None, ["townsquare", "bearer.wrong"]])
async def test_a_missing_or_wrong_token_is_refused(server: Server, subprotocols: list[str] | None) -> None:
    assert (await server.refused("/rooms/blue/members", subprotocols=subprotocols))[0] == 401


async def test_opening_is_limited(server: Server) -> None:
    for _ in range(2):
        async with server.opened("/rooms/blue/rare") as client:
            await closed(client)
    assert (await server.refused("/rooms/blue/rare"))[0] == 429


async def test_a_client_has_so_many_open_only_and_gets_the_place_back(server: Server) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(3):
            await heard(await stack.enter_async_context(server.opened("/rooms/blue")))
        status, problem = await server.refused("/rooms/blue")
        assert (status, problem["code"]) == (429, "rate_limited")
    await until(lambda: len(server.hall.left) == 3)
    async with server.opened("/rooms/blue") as client:
        await heard(client)


async def test_a_socket_has_as_many_connections_of_one_address_as_the_settings_say() -> None:
    hall = Hall()
    settings = Settings(connections_per_address=1)
    app = app_with(sockets=hall.routes.sockets, settings=settings)
    async with serving(app, hall) as server, server.opened("/rooms/blue/deaf"):
        status, problem = await server.refused("/rooms/blue/deaf")
        assert (status, problem["detail"]) == (429, "At most 1 connections at once")


def handshake(path: str, *headers: str) -> bytes:
    """The head of a client that offers compression, as browsers do."""
    lines = [f"GET {path} HTTP/1.1", "Host: here", "Upgrade: websocket", "Connection: Upgrade", *headers]
    lines += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    lines += ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"]
    return "\r\n".join([*lines, "", ""]).encode()


async def test_a_slow_client_is_dropped_and_holds_nobody_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "SLOW_SECONDS", 0.3)
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.connect(("127.0.0.1", server.port))
        reader.sendall(handshake("/rooms/blue/flood"))
        async with asyncio.timeout(10):
            await server.hall.flood.wait()
        async with server.opened("/rooms/blue") as client:
            await heard(client)


@pytest.mark.slow
async def test_an_idle_connection_takes_little_memory() -> None:
    hall = Hall()
    settings = Settings(connections_per_address=1_000)
    app = app_with(sockets=hall.routes.sockets, authenticate=authenticate, settings=settings)
    loop = asyncio.get_running_loop()
    async with serving(app, hall) as server:
        with contextlib.ExitStack() as stack:

            async def listen(count: int) -> None:
                for _ in range(count):
                    client = stack.enter_context(socket.socket())
                    client.setblocking(False)
                    await loop.sock_connect(client, ("127.0.0.1", server.port))
                    await loop.sock_sendall(client, handshake(MINE, "Authorization: Bearer ann"))
                    received = b""
                    while not received.endswith(b'{"text":"ann"}'):
                        received += await loop.sock_recv(client, 4_096)
                        assert b"Sec-WebSocket-Extensions" not in received

            await listen(20)
            gc.collect()
            stack.callback(tracemalloc.stop)
            tracemalloc.start()
            await listen(50)
            gc.collect()
            bytes_each = tracemalloc.get_traced_memory()[0] / 50
    assert bytes_each < 22_000, bytes_each


async def test_a_stopping_server_says_so_at_once(server: Server) -> None:
    async with server.opened("/rooms/blue") as client:
        await heard(client)
        async with asyncio.timeout(5):
            stopping = asyncio.create_task(server.stop())
            assert (await closed(client))[0] == 1012
            await stopping
    assert server.hall.left == ["blue"]


async def test_a_server_that_stops_opens_no_more(server: Server) -> None:
    server.app.stop()
    assert (await server.refused("/rooms/blue"))[0] == 503


@pytest.fixture
def leaving() -> Iterator[set[str]]:
    yield signed_out
    signed_out.clear()


MINE = "/rooms/a/members"
ANN = {"Authorization": "Bearer ann"}


async def test_a_message_of_who_is_signed_out_ends_the_connection(server: Server, leaving: set[str]) -> None:
    async with server.opened(MINE, additional_headers=ANN) as talk:
        assert await talk.recv() == '{"text":"ann"}'
        await talk.send('{"text":"still here"}')
        assert await talk.recv() == '{"text":"still here"}'
        leaving.add("ann")
        await talk.send('{"text":"not any more"}')
        assert msgspec.json.decode(await talk.recv())["code"] == "unauthorized"
        assert (await closed(talk))[0] == 4401


async def test_who_only_listens_is_asked_again_too(
    server: Server, leaving: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CHECK_SECONDS", 0.01)
    async with server.opened(MINE, additional_headers=ANN) as talk:
        assert await talk.recv() == '{"text":"ann"}'
        leaving.add("ann")
        assert msgspec.json.decode(await talk.recv())["code"] == "unauthorized"
        assert (await closed(talk))[0] == 4401
