"""One server process: takes its settings from its parent over a cord, and follows it when it goes.

The cord is a socket pair. The parent sends the settings as one line of JSON, the worker answers `ready`
when it accepts requests, and the end of the cord means that the parent is gone, however it went.
"""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Iterator

import msgspec
import structlog
import uvicorn
import uvloop

from townsquare.extensions import ExtensionError
from townsquare.problems import Problem
from townsquare.settings import Settings, SettingsError
from townsquare.store.wire.connection import ReplyError
from townsquare.web.app import App
from townsquare.web.logs import configure_logs
from townsquare.web.process.uvicorn_server import server_config, settle_memory
from townsquare.web.process.workers import READY
from townsquare.web.router import RouteConflict
from townsquare.web.site import open_site

CANNOT_START = 3

log = structlog.get_logger("townsquare.worker")


class Server(uvicorn.Server):
    """Stops when it is told to, and leaves the signals to `run`."""

    def __init__(self, app: App, cord: socket.socket) -> None:
        super().__init__(server_config(app, app.settings))
        self._app = app
        self._cord = cord

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._cord.send(READY)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        self._app.stop()
        self.should_exit = True


async def run(settings: Settings, listener: socket.socket, cord: socket.socket) -> None:
    logs = configure_logs(settings.log_format, settings.log_level)
    try:
        async with open_site(settings, logs) as app:
            server = Server(app, cord)
            loop = asyncio.get_running_loop()

            def on_parent_gone() -> None:
                loop.remove_reader(cord)
                server.stop()

            for each in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(each, server.stop)
            loop.add_reader(cord, on_parent_gone)
            settle_memory()
            await server.serve(sockets=[listener])
            loop.remove_reader(cord)
    except (Problem, ReplyError, SettingsError, ExtensionError, RouteConflict) as trouble:
        log.error("cannot start", reason=str(trouble))
        sys.exit(CANNOT_START)
    finally:
        logs.lines.flush()


def received_settings(cord: socket.socket) -> Settings:
    received = b""
    while not received.endswith(b"\n"):
        part = cord.recv(65_536)
        if not part:
            sys.exit(CANNOT_START)
        received += part
    return msgspec.json.decode(received, type=Settings)


def main() -> None:
    listener, cord = (socket.socket(fileno=int(number)) for number in sys.argv[1:3])
    with listener, cord, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(received_settings(cord), listener, cord))


if __name__ == "__main__":
    main()
