"""How an answer goes out: one piece where it can be, at once where its body is not there yet."""

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.frames import Frame, Opcode

from tests.support.waiting import until
from tests.web.asking import app_with, endpoint
from townsquare.api import Auth
from townsquare.settings import Settings
from townsquare.web.process.uvicorn_server import HeadBuffer, Protocol, server_config, text_frame
from townsquare.web.responses import SEND_WHOLE

HEAD = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]}
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Site:
    """An application that answers as its path says."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.took: list[bool] = []
        self.waits = self.left = False

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        if scope["type"] == "websocket":
            await self.talk(receive, send)
            return
        if scope["path"] in ("/body", "/whole"):
            await receive()
        if scope["path"] == "/gone":
            self.waits = True
            while (await receive())["type"] != "http.disconnect":
                pass
            self.left = True
        if scope["path"] == "/whole":
            lines = b"content-length: 5\r\nx-app: yes\r\n"
            self.took.append(scope[SEND_WHOLE](scope, 200, lines, b"hello"))
            if self.took[-1]:
                return
        await send(HEAD)
        if scope["path"] == "/slow":
            await self.go_on.wait()
        await send({"type": "http.response.body", "body": b"hello"})

    async def talk(self, receive: Any, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        heard = await receive()
        await send({"type": "websocket.send", "text": heard["text"].upper()})
        await send({"type": "websocket.close"})


class Written:
    """A transport that notes every write, in front of the real one."""

    def __init__(self, transport: Any, pieces: list[bytes]) -> None:
        self._transport = transport
        self._pieces = pieces

    def write(self, data: bytes) -> None:
        self._pieces.append(data)
        self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Served:
    def __init__(self, site: Site, server: uvicorn.Server, pieces: list[bytes]) -> None:
        self.site = site
        self.port = server.servers[0].sockets[0].getsockname()[1]
        self.connections = cast(set[Protocol], server.server_state.connections)
        self.pieces = pieces

    @contextlib.asynccontextmanager
    async def asked(self, request: str) -> AsyncIterator[asyncio.StreamReader]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request.encode() + b"\r\nHost: here\r\nConnection: close\r\n\r\n")
        try:
            yield reader
        finally:
            writer.close()


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    pieces: list[bytes] = []
    made = HeadBuffer.__init__

    def watched(self: HeadBuffer, transport: Any, loop: Any) -> None:
        made(self, Written(transport, pieces), loop)  # type: ignore[arg-type]

    monkeypatch.setattr(HeadBuffer, "__init__", watched)
    site = Site()
    config = server_config(site)
    config.port = 0
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    yield Served(site, server, pieces)
    server.should_exit = True
    await running


async def test_an_answer_is_one_write(served: Served) -> None:
    async with served.asked("GET / HTTP/1.1") as reader:
        answer = await reader.read()
    assert served.pieces == [answer]
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\nhello")


async def test_a_whole_answer_is_taken_while_the_connection_goes_on(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    for last in (b"", b"", b"Connection: close\r\n"):
        writer.write(b"GET /whole HTTP/1.1\r\nHost: here\r\n" + last + b"\r\n")
        answer = await reader.readuntil(b"hello")
        head, _, body = answer.partition(b"\r\n\r\n")
        assert (head.startswith(b"HTTP/1.1 200 OK\r\ndate: "), body) == (True, b"hello")
        assert (b"x-app: yes" in head) is not bool(last)  # uvicorn ends a connection by itself
    assert served.site.took == [True, True, False]
    assert await reader.read() == b""
    writer.close()


async def test_a_head_does_not_wait_for_a_slow_body(served: Served) -> None:
    async with served.asked("GET /slow HTTP/1.1") as reader:
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        served.site.go_on.set()
        assert await reader.read() == b"hello"
    assert len(served.pieces) == 2


async def test_a_head_without_a_body_is_sent(served: Served) -> None:
    async with served.asked("HEAD / HTTP/1.1") as reader:
        answer = await reader.read()
    assert answer.endswith(b"content-length: 5\r\nconnection: close\r\n\r\n")


async def test_who_waits_to_be_told_to_go_on_is_told(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(b"POST /body HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"ok")
    assert (await reader.readuntil(b"hello")).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_who_did_not_wait_to_be_told_is_told_before_the_answer(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(b"POST /whole HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nok")
    assert (await reader.readuntil(b"hello")).startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert served.site.took == [True]
    writer.close()


HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.parametrize(
    "behind",
    [
        b"NOT HTTP\r\n\r\n",
        b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: here\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n",
        HANDSHAKE,
    ],
)
async def test_what_is_refused_is_refused_after_the_answers_before_it(served: Served, behind: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    ask = b"GET %s HTTP/1.1\r\nHost: here\r\n\r\n"
    writer.write(ask % b"/slow")
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(ask % b"/whole" + ask % b"/" + behind + ask % b"/after")
    await until(lambda: any(each._final_problem for each in served.connections))
    served.site.go_on.set()
    answers = (head + await reader.read()).split(b"HTTP/1.1 ")
    assert [answer[:3] for answer in answers] == [b"", b"200", b"200", b"200", answers[-1][:3]]
    assert all(answer.endswith(b"\r\n\r\nhello") for answer in answers[1:4])
    assert answers[-1].startswith((b"400", b"414"))
    writer.close()


async def test_who_leaves_is_gone_for_the_request_that_runs(served: Served) -> None:
    """Not only for the one behind it, as uvicorn has it."""
    _, writer = await asyncio.open_connection("127.0.0.1", served.port)
    ask = b"GET %s HTTP/1.1\r\nHost: here\r\n\r\n"
    writer.write(ask % b"/gone" + ask % b"/whole")
    await until(lambda: served.site.waits)
    writer.transport.abort()
    await until(lambda: served.site.left)


async def test_websockets_speak_for_themselves(served: Served) -> None:
    async with connect(f"ws://127.0.0.1:{served.port}/") as talk:
        await talk.send("hello")
        assert await talk.recv() == "HELLO"


def test_it_is_what_the_workers_use() -> None:
    assert server_config(None).http is Protocol


class Wire(asyncio.Transport):
    """A transport that counts answers."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = 0

    def write(self, data: Any) -> None:
        self.answers += 1

    def is_closing(self) -> bool:
        return False

    def close(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


@pytest.mark.slow
async def test_a_request_leaves_nothing_to_the_garbage_collector() -> None:
    """What refers to itself is freed late and away from the processor: it cost a fifth of a small answer."""
    settings = Settings(admin_token="a-token-of-the-operator")
    app = app_with(endpoint(auth=Auth.ADMIN), settings=settings)
    protocol, wire = Protocol(server_config(app, settings), ServerState(), {}), Wire()
    protocol.connection_made(wire)

    async def ask(times: int) -> None:
        for _ in range(times):
            before = wire.answers
            protocol.data_received(
                b"GET /thing HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer a-token-of-the-operator\r\n\r\n"
            )
            await until(lambda: wire.answers > before)  # noqa: B023

    await ask(5)
    gc.collect()
    gc.disable()
    try:
        await ask(50)
        left = gc.collect()
    finally:
        gc.enable()
        protocol.connection_lost(None)
    assert left < 50


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_text_is_framed_as_the_library_frames_it(size: int) -> None:
    text = b"x" * size
    assert text_frame(text) == Frame(Opcode.TEXT, text).serialize(mask=False)
