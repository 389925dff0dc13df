"""python -m bench.floor.site SERVER PORT: the whole site in one process, under uvicorn or under Granian.

SERVER is one of `bench.servers.SERVERS`; everything but the server is the same for all.
"""

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
import uvloop
from granian import _futures, _granian
from granian import asgi as _asgi
from granian.http import HTTP1Settings

from townsquare.settings import Settings
from townsquare.web.app import App
from townsquare.web.logs import configure_logs
from townsquare.web.process.server import bind
from townsquare.web.process.uvicorn_server import freeze_gc, server_config
from townsquare.web.site import open_site

ASGI, RSGI = "Granian ASGI", "Granian RSGI"
BACKPRESSURE = 2_048  # connections that Granian takes at once
THREADS = (1, 1, 1, 30)  # for the network, for blocking work, for Python; seconds that the last may idle
NO_TLS: tuple[Any, ...] = (False, None, None, None, "tls1.3", None, [], False)
NO_METRICS = (None, None)

granian: Any = _granian  # the types of all three leave out what embeds a worker in a loop
futures: Any = _futures
asgi: Any = _asgi


def rsgi(app: App) -> Callable[[Any, Any], Awaitable[None]]:
    """Our application for RSGI, as far as it is measured: whole answers, handed over with their head."""

    async def call(scope: Any, protocol: Any) -> None:
        host, _, port = scope.client.rpartition(":")
        asked = {
            "type": "http",
            "scheme": scope.scheme,
            "method": scope.method,
            "path": scope.path,
            "raw_path": scope.path.encode(),
            "query_string": scope.query_string.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in scope.headers.items()],
            "client": (host, int(port)),
        }
        head: dict[str, Any] = {}

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": await protocol()}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                head.update(message)
                return
            headers = [(name.decode(), value.decode("latin-1")) for name, value in head["headers"]]
            protocol.response_bytes(head["status"], headers, message["body"])

        await app(asked, receive, send)

    return call


async def serve_granian(server: str, app: App, settings: Settings, listener: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    stop, stopped = granian.WorkerSignal(), asyncio.Event()
    stop.add_cb(lambda: loop.call_soon_threadsafe(stopped.set))
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, _stop, app, stop)
    make = granian.ASGIWorker if server == ASGI else granian.RSGIWorker
    holder = granian.SocketHolder(listener.detach(), False, BACKPRESSURE)  # it closes the socket itself
    http = HTTP1Settings(
        header_read_timeout=int(settings.head_seconds * 1000), max_buffer_size=settings.head_limit
    )
    worker = make(
        1, (None, holder), None, *THREADS, BACKPRESSURE, "1", http, None, True, None, *NO_TLS, NO_METRICS
    )
    called = asgi._callback_wrapper(app, {}, {}) if server == ASGI else rsgi(app)
    scheduler = futures._new_cbscheduler(loop, futures._future_watcher_wrapper(called), True)
    worker.serve_async(scheduler, loop, stop)
    await stopped.wait()


def _stop(app: App, stop: Any) -> None:
    app.stop()
    stop.set()


async def serve(server: str, port: int) -> None:
    settings = Settings.load()
    logs = configure_logs(settings.log_format, settings.log_level)
    async with open_site(settings, logs) as app:
        freeze_gc()
        with bind("127.0.0.1", port) as listener:
            if server in (ASGI, RSGI):
                await serve_granian(server, app, settings, listener)
            else:
                await uvicorn.Server(server_config(app, settings)).serve([listener])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(sys.argv[1], int(sys.argv[2])))
