"""uvicorn with our settings, garbage collection and protocol classes."""

import asyncio
import gc
from typing import Any, cast
from urllib.parse import unquote

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from townsquare.settings import Settings
from townsquare.web.mailbox import Mailbox
from townsquare.web.process.connection_limits import ConnectionLimits, LimitedProtocol
from townsquare.web.responses import SEND_WHOLE, RawHeader, header_lines

GRACE_SECONDS = 10  # for requests in progress when the server stops
BACKLOG = 2_048
YOUNG_OBJECTS = 20_000  # allocations before a garbage collection; a request makes some dozens
WORTH_COPYING = 65_536  # bytes: a body up to this size is sent in one write with its head
END_OF_LINE = b"\r\n"
END_OF_HEAD = END_OF_LINE * 2
WRITABLE = asyncio.Event()  # of all sockets whose client reads fast enough
WRITABLE.set()


class ServerConfig(uvicorn.Config):
    """uvicorn's, with the limits of `LimitedProtocol`."""

    def __init__(self, app: Any, settings: Settings, **options: Any) -> None:
        super().__init__(app, **options)
        self.limits = ConnectionLimits(settings)
        self.draining = False  # each connection closes after its next response
        self._defaults: list[RawHeader] = []
        self._default_lines = b""

    def default_lines(self, headers: list[RawHeader]) -> bytes:
        """The headers that uvicorn adds to every response: the date, which changes every second."""
        if headers is not self._defaults:
            self._defaults, self._default_lines = headers, header_lines(headers)
        return self._default_lines


def server_config(app: Any, settings: Settings | None = None) -> ServerConfig:
    settings = settings or Settings()
    return ServerConfig(
        app,
        settings,
        http=Protocol,
        ws=SocketProtocol,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        headers=hsts(settings.hsts_seconds),
        backlog=BACKLOG,
        timeout_keep_alive=settings.idle_seconds,
        ws_max_size=settings.body_limit,
        ws_per_message_deflate=False,  # 44 kB per connection, and CPU per message and client
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def hsts(seconds: int) -> list[tuple[str, str]]:
    return [("strict-transport-security", f"max-age={seconds}")] if seconds else []


def freeze_gc() -> None:
    """Exclude all objects loaded so far from garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


class Protocol(LimitedProtocol):
    """uvicorn's within our limits, with the head and the body of a response in one write.

    uvicorn writes them one after the other: two system calls, two packets, two reads for the client. A
    response that is complete bypasses uvicorn's sending, which inspects every header.
    """

    config: ServerConfig

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_buffer = HeadBuffer(transport, self.loop)
        self.transport = cast(asyncio.Transport, self._head_buffer)
        self._socket = transport

    def _upgrade(self) -> None:
        self.transport = self._socket
        super()._upgrade()

    def _begin_request(self) -> None:
        """As uvicorn's, for requests as most are: HTTP/1.1, the path alone as target, no upgrade."""
        parser, url, before = self.parser, self.url, cast(RequestResponseCycle | None, self.cycle)
        is_usual = url.startswith(b"/") and url.isascii() and b"#" not in url and not self.root_path
        version = parser.get_http_version()
        if not is_usual or version != "1.1" or parser.should_upgrade():
            super()._begin_request()
            return
        raw_path, _, query = url.partition(b"?")
        path = raw_path.decode()
        scope: Any = self.scope
        scope["method"] = parser.get_method().decode()
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"], scope["query_string"] = raw_path, query
        self.cycle = cycle = RequestCycle(self, parser.should_keep_alive())
        if before is None or before.response_complete:
            self._start_asgi_task(cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, self.app))

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._asked = cycle
        if self.config.draining:
            cycle.keep_alive = False
        scope: Any = cycle.scope
        scope[SEND_WHOLE] = self._send_whole
        if cycle.__class__ is RequestCycle:
            task = cycle.task = self.loop.create_task(cycle.run_asgi(app))
            self.tasks.add(task)
        else:
            super()._start_asgi_task(cycle, app)

    def _send_whole(self, scope: Any, status: int, lines: bytes, body: bytes) -> bool:
        """False if uvicorn must send it: the client is slow or has left, or the connection must close."""
        cycle = self._asked
        if (
            cycle is None
            or cycle.scope is not scope
            or cycle.response_started
            or cycle.disconnected
            or self.flow.write_paused
            or not cycle.keep_alive
        ):
            return False
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        date = self.config.default_lines(self.server_state.default_headers)
        if self._head_buffer.head:  # "100 Continue", if the client did not wait for it
            self._head_buffer.flush()
        if len(body) <= WORTH_COPYING:
            self._socket.write(b"".join((STATUS_LINE[status], date, lines, END_OF_LINE, body)))
        else:
            self._socket.write(b"".join((STATUS_LINE[status], date, lines, END_OF_LINE)))
            self._socket.write(body)
        cycle.message_event.set()
        cycle.on_response()
        return True


class RequestCycle(RequestResponseCycle):
    """uvicorn's, with what most requests do not need made when it is needed."""

    disconnected = response_started = response_complete = False
    more_body = True
    chunked_encoding = None
    expected_content_length = 0
    task: asyncio.Task[None]

    def __init__(self, protocol: Protocol, keep_alive: bool) -> None:
        self.scope = protocol.scope
        self.transport = protocol.transport
        self.flow = protocol.flow
        self.logger, self.access_logger = protocol.logger, protocol.access_logger
        self.access_log = protocol.access_log
        self.default_headers = protocol.server_state.default_headers
        self.message_event = cast(asyncio.Event, LazyEvent())
        self.waiting_for_100_continue = protocol.expect_100_continue
        self.keep_alive = keep_alive
        self.on_response = protocol.on_response_complete
        self.body = bytearray()
        self._tasks = protocol.tasks

    async def run_asgi(self, app: Any) -> None:
        try:
            await super().run_asgi(app)
        finally:
            self._tasks.discard(self.task)


class LazyEvent:
    """An `asyncio.Event` that is made when somebody waits for it."""

    __slots__ = ("_event", "_is_set")

    def __init__(self) -> None:
        self._event: asyncio.Event | None = None
        self._is_set = False

    def set(self) -> None:
        self._is_set = True
        if self._event is not None:
            self._event.set()

    def clear(self) -> None:
        self._is_set = False
        if self._event is not None:
            self._event.clear()

    async def wait(self) -> None:
        if not self._is_set:
            self._event = self._event or asyncio.Event()
            await self._event.wait()


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's, smaller, and a handshake that the application has refused is complete: no error to log."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.queue = cast(Any, Mailbox())
        self.writable = WRITABLE

    def pause_writing(self) -> None:
        self.writable = asyncio.Event()

    def resume_writing(self) -> None:
        self.writable.set()
        self.writable = WRITABLE

    async def send(self, message: Any) -> None:
        text = message.get("text")
        if text is not None and self._is_open():
            self.transport.write(text_frame(text.encode()))
            return
        await super().send(message)
        if message["type"] == "websocket.accept":  # the handshake is over
            self.request.headers.clear()  # the parser keeps the request
            del self.request, self.response
        elif self.close_sent:
            self.handshake_complete = True

    def _is_open(self) -> bool:
        """Whether a text can be written without uvicorn, in half the time: many clients may get it."""
        return (
            self.writable is WRITABLE
            and self.handshake_complete
            and not self.close_sent
            and not self.disconnected
            and self.conn.state is State.OPEN
        )


def text_frame(text: bytes) -> bytes:
    """A WebSocket message of a server: not masked, in one frame (RFC 6455, section 5.2)."""
    size = len(text)
    if size < 126:
        return b"\x81%c%b" % (size, text)
    if size < 1 << 16:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), text)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), text)


class HeadBuffer:
    """A transport that holds back the head of a response for its body, at most until the next iteration."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport = transport
        self._loop = loop
        self.head = b""

    def write(self, data: bytes) -> None:
        if self.head:
            data, self.head = self.head + data, b""
        elif data.endswith(END_OF_HEAD):
            self.head = data
            self._loop.call_soon(self.flush)
            return
        self.transport.write(data)

    def is_closing(self) -> bool:
        return self.transport.is_closing()

    def close(self) -> None:
        self.flush()
        self.transport.close()

    def flush(self) -> None:
        if self.head:
            self.transport.write(self.head)
            self.head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)
