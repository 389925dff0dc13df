"""Somebody's server, to which we send."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple


class Received(NamedTuple):
    head: str
    headers: dict[str, str]
    body: bytes


class HttpReceiver:
    """A server on this machine that answers with these in turn."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.body = b""  # of every answer
        self.headers = ""  # of every answer, each line with its end
        self.received: list[Received] = []
        self.port = 0
        self.silent = False
        self.open = 0  # connections

    @property
    def url(self) -> str:
        return f"http://hooks.example:{self.port}/told?by=square"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
            }
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.received.append(Received(head, headers, body))
            if self.silent:
                await reader.read()
            answer = self.answers.pop(0) if self.answers else "200 OK"
            length = f"Content-Length: {len(self.body)}\r\n"
            head = f"HTTP/1.1 {answer}\r\n{self.headers}{length}Connection: close\r\n\r\n"
            writer.write(head.encode() + self.body)
            await writer.drain()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        self.open -= 1


@contextlib.asynccontextmanager
async def http_receiver() -> AsyncIterator[HttpReceiver]:
    receiver = HttpReceiver()
    async with await asyncio.start_server(receiver.serve, "127.0.0.1", 0) as listening:
        receiver.port = listening.sockets[0].getsockname()[1]
        yield receiver


def resolving(*addresses: str) -> Callable[[str, int], Any]:
    """A name server that knows only these."""

    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve
