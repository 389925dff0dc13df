"""Somebody's homepage: HTML of the test's own, on another origin than the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Homepage:
    def __init__(self) -> None:
        self.html = ""
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            found = request.startswith(b"GET / ")
            body = f"<!doctype html><html lang=en><body>{self.html}</body></html>".encode() if found else b""
            status = "200 OK" if found else "404 Not Found"
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            await writer.drain()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def homepage() -> AsyncIterator[Homepage]:
    home = Homepage()
    async with await asyncio.start_server(home.serve, "127.0.0.1", 0) as listening:
        home.port = listening.sockets[0].getsockname()[1]
        yield home
