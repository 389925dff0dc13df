"""Responses that are sent while they are produced: server-sent events, and downloads larger than memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing
from functools import wraps
from typing import Any, cast

from msgspec.structs import replace

from townsquare.api import AnyEndpoint, AnyStream, Call, Download, StreamEvent
from townsquare.logger import get_logger
from townsquare.problems import Problem
from townsquare.web.asgi_types import Send
from townsquare.web.auth import AuthGuard
from townsquare.web.body import Receive
from townsquare.web.connections import SLOW_SECONDS, OpenConnections, Reauthentication
from townsquare.web.limits import counted_as
from townsquare.web.responses import Response, encode, fixed_lines, header_lines, problem_content

MEDIA_TYPE = "text/event-stream"
ALIVE_SECONDS = 15.0  # between comments, so that proxies keep a silent stream open
ALIVE = b":\n\n"
COME_BACK = b"retry: 1000\n\n"  # milliseconds, after a restart
UNBUFFERED = b"x-accel-buffering: no\r\n"  # for nginx

log = get_logger("townsquare.streams")


class OpenStream:
    """An admitted stream: its events and its slot among the open connections."""

    def __init__(self, events: AsyncIterator[StreamEvent[Any]], call: Call, held: ExitStack) -> None:
        self._events = events
        self._call = call
        self._held = held
        self._auth_guard: AuthGuard | None = None

    def response(self, open_to_any_origin: bool, auth_guard: AuthGuard | None) -> Response:
        self._auth_guard = auth_guard
        return Response(200, fixed_lines(MEDIA_TYPE, open_to_any_origin) + UNBUFFERED, b"", self)

    def close(self) -> None:
        self._held.close()

    async def send(self, receive: Receive, send: Send, stopping: asyncio.Event) -> None:
        """Send events until there are no more, the client leaves or is too slow, or the server stops."""
        with self._held:
            gone = asyncio.ensure_future(_until_gone(receive))
            stop = asyncio.ensure_future(stopping.wait())
            refused: asyncio.Future[Problem] = asyncio.get_running_loop().create_future()
            checks = Reauthentication(self._auth_guard, self._call, refused.set_result)
            try:
                async with aclosing(cast(Any, _chunks(self._events, self._call.request_id))) as chunks:
                    await _pump(chunks, send, gone, stop, refused)
                if refused.done():
                    await _send(send, _problem_event(refused.result(), self._call.request_id), last=True)
            except TimeoutError:
                log.info("slow client dropped", request_id=self._call.request_id)
            finally:
                checks.stop()
                for watch in (gone, stop):
                    watch.cancel()


async def _pump(
    chunks: AsyncIterator[bytes],
    send: Send,
    gone: asyncio.Future[None],
    stop: asyncio.Future[Any],
    refused: asyncio.Future[Problem],
) -> None:
    coming: asyncio.Future[bytes | None] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(cast(Any, chunks), None))
            await asyncio.wait(
                (coming, gone, stop, refused), timeout=ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if gone.done() or refused.done():
                return
            if not coming.done() and not stop.done():
                await _send(send, ALIVE)
                continue
            chunk = coming.result() if coming.done() else None
            if chunk is None:
                await _send(send, COME_BACK if stop.done() else b"", last=True)
                return
            coming = None
            await _send(send, chunk)
    finally:
        if coming is not None and not coming.done():
            coming.cancel()
            await asyncio.wait((coming,))


async def _send(send: Send, body: bytes, *, last: bool = False) -> None:
    async with asyncio.timeout(SLOW_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": not last})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _chunks(events: AsyncIterator[StreamEvent[Any]], request_id: str) -> AsyncIterator[bytes]:
    """Encoded events. An exception becomes the last event."""
    try:
        async for event in events:
            yield _written(event)
    except Problem as problem:
        yield _problem_event(problem, request_id)
    except Exception as error:
        log.error("stream failed", request_id=request_id, exc_info=error)
        yield _problem_event(Problem(), request_id)


def _problem_event(problem: Problem, request_id: str) -> bytes:
    return b"event: problem\ndata: " + problem_content(problem, request_id).body + b"\n\n"


def _written(event: StreamEvent[Any]) -> bytes:
    lines = [b"data: " + encode(event.data)]
    for name, value in (("id", event.id), ("event", event.event)):
        if value:
            if not value.isprintable():
                raise ValueError(f"the {name} of an event has a control character")
            lines.insert(0, f"{name}: {value}".encode())
    return b"\n".join(lines) + b"\n\n"


def stream_endpoint(stream: AnyStream, connections: OpenConnections) -> AnyEndpoint:
    """The stream as a GET endpoint, for routing, limits and OpenAPI."""

    @wraps(stream.run)
    async def run(call: Call, given: Any) -> Any:
        with ExitStack() as held:
            held.enter_context(
                connections.one(stream.path, counted_as(stream.limit, call), stream.most_at_once)
            )
            events: Any = await stream.run(call, given)
            return OpenStream(events, call, held.pop_all())

    return replace(stream, run=run)


class OpenDownload:
    def __init__(self, download: Download) -> None:
        self._download = download

    def response(self, open_to_any_origin: bool) -> Response:
        name = self._download.filename
        disposition = (b"content-disposition", f'attachment; filename="{name}"'.encode("ascii"))
        lines = fixed_lines(self._download.media_type, open_to_any_origin)
        return Response(200, lines + header_lines([disposition]), b"", self)

    def close(self) -> None:
        """Nothing to release: no part was produced."""

    async def send(self, receive: Receive, send: Send, stopping: asyncio.Event) -> None:
        """Send all parts; stop if the client leaves or is too slow. An exception breaks the connection."""
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            async with aclosing(cast(Any, self._download.parts)) as parts:
                async for part in parts:
                    if gone.done():
                        return
                    async with asyncio.timeout(SLOW_SECONDS):
                        await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            log.info("slow client dropped")
        finally:
            gone.cancel()
