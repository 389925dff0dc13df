"""A TCP proxy between a client and a node that can cut, hold, delay and refuse."""

import asyncio
import contextlib
import math
import ssl
from collections.abc import AsyncIterator


class Proxy:
    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._target = (host, port)
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()
        self._transports: set[asyncio.BaseTransport] = set()
        self._requests_flow = asyncio.Event()
        self._replies_flow = asyncio.Event()
        self._requests_flow.set()
        self._replies_flow.set()
        self.port = 0
        self.delay = 0.0  # seconds, of every chunk of replies
        self.accepted = 0  # connections so far
        self.admits = math.inf  # connections, before it aborts every later one
        self.bytes_seen = 0  # of requests that reached the proxy
        self.lose_reply_to = b""  # cut instead of replying to the next request that contains this
        self._losing = False

    @property
    def url(self) -> str:
        return f"{'rediss' if self._tls else 'redis'}://127.0.0.1:{self.port}"

    async def open(self) -> None:
        """Listen; again on the same port after `refuse`."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Cut everything and accept no more, as a node that is down."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    def cut(self) -> None:
        for transport in self._transports:
            transport.close() if not isinstance(transport, asyncio.Transport) else transport.abort()

    def hold_requests(self) -> None:
        self._requests_flow.clear()

    def hold_replies(self) -> None:
        """The node receives and executes commands, but its replies do not arrive."""
        self._replies_flow.clear()

    def release(self) -> None:
        self._requests_flow.set()
        self._replies_flow.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        if self.accepted > self.admits:
            writer.transport.abort()
            return
        session = asyncio.create_task(self._serve(reader, writer))
        self._sessions.add(session)
        session.add_done_callback(self._sessions.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            node_reader, node_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        transports = {writer.transport, node_writer.transport}
        self._transports |= transports
        pumps = [
            asyncio.create_task(self._pump(reader, node_writer, self._requests_flow, requests=True)),
            asyncio.create_task(self._pump(node_reader, writer, self._replies_flow, requests=False)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for transport in transports:
                transport.abort()
            for each in (writer, node_writer):
                with contextlib.suppress(OSError):
                    await each.wait_closed()
            self._transports -= transports

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        flow: asyncio.Event,
        *,
        requests: bool,
    ) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(65_536):
                if requests:
                    self.bytes_seen += len(chunk)
                    self._losing = bool(self.lose_reply_to) and self.lose_reply_to in chunk
                elif self._losing:
                    self.lose_reply_to, self._losing = b"", False
                    self.cut()
                    return
                elif self.delay:
                    await asyncio.sleep(self.delay)
                await flow.wait()
                writer.write(chunk)
                await writer.drain()


@contextlib.asynccontextmanager
async def proxy_to(host: str, port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[Proxy]:
    proxy = Proxy(host, port, tls)
    await proxy.open()
    try:
        yield proxy
    finally:
        await proxy.refuse()
