"""Heads and connections without end: refused early, forgotten soon."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn

from tests.support.waiting import until
from tests.web.asking import answering, app_with, echo_path, endpoint
from townsquare.api import Call, first_language
from townsquare.settings import Settings
from townsquare.web import body
from townsquare.web.client import _base_url, base_url
from townsquare.web.process import connection_limits
from townsquare.web.process.uvicorn_server import server_config

HEAD = b"GET /thing HTTP/1.1\r\nHost: here\r\n"
END = b"\r\n"
NEVER = 60.0


class Peer:
    """One connection to a server, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        with contextlib.suppress(ConnectionError):  # the server may have hung up
            await self.writer.drain()

    async def answer(self) -> tuple[int, dict[str, Any]]:
        async with asyncio.timeout(10):
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            return int(head.split()[1]), json.loads(await self._reader.readexactly(length))

    async def hung_up(self) -> bool:
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionError):
                await self._reader.read()
            return True


@contextlib.asynccontextmanager
async def serving(run: Any = echo_path, **limits: Any) -> AsyncIterator[uvicorn.Server]:
    settings = Settings(**limits)
    endpoints = endpoint(run=run), endpoint(run=run, method="POST")
    config = server_config(app_with(*endpoints, settings=settings), settings)
    config.port = 0
    server = uvicorn.Server(config)
    running = asyncio.create_task(server._serve())
    await until(lambda: server.started)
    try:
        yield server
    finally:
        server.should_exit = True
        await running


@contextlib.asynccontextmanager
async def connected(server: uvicorn.Server) -> AsyncIterator[Peer]:
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Peer(reader, writer)
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (HEAD + b"X: " + b"a" * 3_000, 431, "head_too_large"),  # a header that does not end
        (HEAD + b"X: " + b"a" * 1_100 + b"\r\n\r\n", 431, "head_too_large"),
        (HEAD + b"".join(b"X%d: 1\r\n" % number for number in range(20)) + END, 431, "head_too_large"),
        (b"GET /" + b"a" * 1_100 + b" HTTP/1.1\r\nHost: here\r\n\r\n", 414, "uri_too_long"),
        (b"GET /" + b"a" * 3_000, 431, "head_too_large"),
        (b"nonsense\r\n\r\n", 400, "bad_request"),
        (b"GET /thing HTTP/1.1\r\n\r\n", 400, "bad_request"),  # on no host
        (HEAD + b"Host: there\r\n\r\n", 400, "bad_request"),
        (b"GET /thing HTTP/1.0\r\nHost: here\r\nHost: there\r\n\r\n", 400, "bad_request"),
    ],
)
async def test_a_head_out_of_bounds_is_refused_with_a_code(head: bytes, status: int, code: str) -> None:
    limits = {"head_limit": 2_048, "line_limit": 1_024, "header_count": 10}
    async with serving(**limits) as server, connected(server) as peer:
        await peer.send(head)
        found, problem = await peer.answer()
        assert (found, problem["code"]) == (status, code)
        assert await peer.hung_up()


async def test_a_client_of_http_1_0_need_not_name_a_host() -> None:
    async with serving() as server, connected(server) as peer:
        await peer.send(b"GET /thing HTTP/1.0\r\n\r\n")
        assert await peer.answer() == (200, {"text": "here"})


async def test_a_head_within_bounds_may_come_before_a_long_body() -> None:
    async with serving(head_limit=1_024, body_limit=100_000) as server, connected(server) as peer:
        body = b'{"x": "' + b"a" * 90_000 + b'"}'
        length = b"Content-Length: %d\r\nContent-Type: application/json\r\n" % len(body)
        for _ in range(2):
            await peer.send(HEAD.replace(b"GET", b"POST") + length + END + body)
            assert (await peer.answer())[1]["code"] == "unknown_field"
            await peer.send(HEAD + END)
            assert await peer.answer() == (200, {"text": "here"})


async def test_trailers_without_end_are_refused() -> None:
    async with serving(head_limit=1_024) as server, connected(server) as peer:
        await peer.send(HEAD.replace(b"GET", b"POST") + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")
        await peer.send(b"0\r\nX: ")
        for _ in range(20):
            await peer.send(b"a" * 200)
        assert await peer.hung_up()


async def test_a_trailer_says_nothing_of_who_asks() -> None:
    async def tell_place(call: Call, given: Any) -> dict[str, str]:
        return {"ip": call.ip, "base": call.base_url}

    head = (
        HEAD.replace(b"GET", b"POST") + b"X-Forwarded-For: 203.0.113.7\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    async with serving(tell_place, trusted_proxies=["127.0.0.1"]) as server, connected(server) as peer:
        for _ in range(2):  # the next request has headers again
            await peer.send(head + b"2\r\n{}\r\n0\r\nHost: there\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
            assert await peer.answer() == (200, {"ip": "203.0.113.7", "base": "http://here"})


async def test_a_body_in_a_great_many_pieces_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte in chunks of one byte is half a second of CPU."""
    monkeypatch.setattr(connection_limits, "MOST_PIECES", 100)
    async with serving() as server:
        for pieces, expected in (98, 200), (101, 413):
            async with connected(server) as peer:
                await peer.send(HEAD.replace(b"GET", b"POST") + b"Transfer-Encoding: chunked\r\n\r\n")
                await peer.send(b"1\r\n{\r\n" + b"1\r\n \r\n" * (pieces - 1) + b"1\r\n}\r\n0\r\n\r\n")
                assert (await peer.answer())[0] == expected


@pytest.mark.parametrize("sent", [b"", HEAD, b"\r\n"])
async def test_a_head_that_does_not_come_in_time_is_not_waited_for(sent: bytes) -> None:
    async with serving(head_seconds=0.05) as server, connected(server) as peer:
        await peer.send(sent)
        if sent:
            status, problem = await peer.answer()
            assert (status, problem["code"]) == (408, "request_timeout")
        assert await peer.hung_up()


async def test_after_an_answer_a_slow_head_is_not_waited_for_either() -> None:
    async with serving(head_seconds=0.05, idle_seconds=NEVER) as server, connected(server) as peer:
        await peer.send(HEAD + END)
        assert (await peer.answer())[0] == 200
        await peer.send(HEAD)
        assert (await peer.answer())[0] == 408


async def test_a_connection_without_requests_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(idle_seconds=1) as server, connected(server) as peer:
        for connection in server.server_state.connections:
            monkeypatch.setattr(connection, "timeout_keep_alive", 0.05)
        for _ in range(2):
            await peer.send(HEAD + END)
            assert (await peer.answer())[0] == 200
        assert await peer.hung_up()


async def test_one_address_has_so_many_connections_and_no_more() -> None:
    async with serving(connections_per_address=2) as server:
        async with connected(server) as first, connected(server) as second:
            for peer in (first, second):
                await peer.send(HEAD + END)
                assert (await peer.answer())[0] == 200
            async with connected(server) as third:
                status, problem = await third.answer()
                assert (status, problem["code"]) == (429, "too_many_connections")
        await until(lambda: not server.server_state.connections)
        async with connected(server) as fourth:
            await fourth.send(HEAD + END)
            assert (await fourth.answer())[0] == 200


async def test_trusted_proxies_bring_everybodys_connections() -> None:
    limits = {"connections_per_address": 1, "trusted_proxies": ("127.0.0.0/8",)}
    async with serving(**limits) as server, connected(server) as first, connected(server) as second:
        for peer in (first, second):
            await peer.send(HEAD + END)
            assert (await peer.answer())[0] == 200


async def test_who_takes_nothing_of_an_answer_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "STALLED_SECONDS", 0.05)
    much = answering({"much": "x" * 50_000_000})
    async with serving(much) as server, connected(server) as peer:
        await peer.send(HEAD + END)
        await until(lambda: server.server_state.connections)
        await until(lambda: not server.server_state.connections)


def test_what_headers_say_is_remembered_only_while_it_is_short() -> None:
    _base_url.cache_clear()
    first_language.cache_clear()
    for number in range(100):
        assert base_url("http", b"a" * 10_000 + b"%d" % number) == "http://localhost"
        spoken = {"accept-language": f"de-DE,{'a' * 10_000}{number}"}
        assert Call("", "", "", spoken, {}, {}).language == "de"
    assert _base_url.cache_info().currsize == 1
    assert first_language.cache_info().currsize == 1


async def test_only_a_body_that_is_awaited_has_a_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    head = b"POST /thing HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n"
    async with serving(body_seconds=0.02) as server:
        async with connected(server) as peer:
            await peer.send(head + b"{")
            status, problem = await peer.answer()
            assert (status, problem["code"]) == (408, "request_timeout")
        monkeypatch.delattr(body, "asyncio")  # whoever wanted a timer would fail
        async with connected(server) as peer:
            await peer.send(head + b"{}")
            assert (await peer.answer())[0] == 200
