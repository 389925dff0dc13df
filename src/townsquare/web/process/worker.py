"""A worker process: receives its settings from the parent over a pipe and stops when the parent exits.

Before the store is ready the parent lets it check the settings, which takes all services.
"""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Iterator

import uvicorn
import uvloop

from townsquare.extensions import ExtensionError
from townsquare.kit.scratch_folders import delete_abandoned_folders
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Problem, Unavailable
from townsquare.settings import Settings, SettingsError
from townsquare.square import check_settings
from townsquare.store.requirements import require_safe
from townsquare.store.wire.connection import ReplyError
from townsquare.web.app import App
from townsquare.web.logs import configure_logs
from townsquare.web.metrics import Metrics
from townsquare.web.process.uvicorn_server import ServerConfig, freeze_gc, server_config
from townsquare.web.process.worker_pipe import (
    CANNOT_START,
    Check,
    Checked,
    Ready,
    StartRefused,
    Upgrading,
    WorkerPipe,
    open_worker_pipe,
)
from townsquare.web.router import RouteConflict
from townsquare.web.site import first_admin_link, open_square, site_of

DRAIN_SECONDS = 5.0  # in which a client whose connection is in use sends its next request
DRAIN_POLL_SECONDS = 0.05

log = get_logger("townsquare.worker")


class Server(uvicorn.Server):
    """Without uvicorn's signal handlers: `run` installs its own."""

    config: ServerConfig
    _drains = False

    def __init__(self, app: App, pipe: WorkerPipe, admin_link: str = "") -> None:
        super().__init__(server_config(app, app.settings))
        self._app = app
        self._pipe = pipe
        self._admin_link = admin_link

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._pipe.send(Ready(self._admin_link))

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        self._app.stop()
        self.should_exit = True

    def drain(self) -> None:
        """Stop after a new worker has taken over: clients in use get a last response that says so."""
        self._drains = True
        self.stop()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._drains:
            for server in self.servers:
                server.close()
            self.config.draining = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_SECONDS):
                    while self.server_state.connections:  # noqa: ASYNC110 - uvicorn has no event for it
                        await asyncio.sleep(DRAIN_POLL_SECONDS)
        await super().shutdown(sockets)


async def run(listener: socket.socket, pipe_socket: socket.socket, *, first: bool = False) -> None:
    pipe = await open_worker_pipe(pipe_socket)
    wanted = await pipe.settings()
    while isinstance(wanted, Check):
        result = await check(wanted.settings)
        pipe.send(result)
        wanted = await pipe.settings()
    await serve(wanted.settings, listener, pipe, first=first)


async def check(settings: Settings) -> Checked | StartRefused:
    try:
        check_settings(settings)
        findings = await require_safe(settings)
    except SettingsError as error:
        return StartRefused(str(error), wrong_settings=True)
    except (Problem, ReplyError, ExtensionError) as trouble:
        return StartRefused(str(trouble))
    return Checked([{"role": one.role, "code": one.code, "says": str(one)} for one in findings])


async def serve(
    settings: Settings, listener: socket.socket, pipe: WorkerPipe, *, first: bool = False
) -> None:
    logs = configure_logs(settings.log_format, settings.log_level)
    parent_gone = asyncio.create_task(pipe.listen(), name="townsquare-pipe")
    metrics = Metrics(pipe)
    delete_abandoned_folders()
    try:
        async with open_square(settings, metrics, lambda *_: pipe.send(Upgrading())) as square:
            admin_link = await first_admin_link(square) if first else ""
            app = site_of(square, logs, metrics)
            server = Server(app, pipe, admin_link)
            loop = asyncio.get_running_loop()
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(each, server.stop)
            loop.add_signal_handler(signal.SIGHUP, server.drain)
            parent_gone.add_done_callback(lambda _: server.stop())
            freeze_gc()
            await server.serve(sockets=[listener])
    except (Unavailable, OutcomeUnknown) as trouble:
        log.error("cannot start yet", reason=str(trouble))
        sys.exit(1)
    except (Problem, ReplyError, SettingsError, ExtensionError, RouteConflict) as trouble:
        log.error("cannot start", reason=str(trouble))
        sys.exit(CANNOT_START)
    finally:
        metrics.settle()
        logs.lines.flush()
        await pipe.close()
        parent_gone.cancel()


def main() -> None:
    listener, pipe = (socket.socket(fileno=int(number)) for number in sys.argv[1:3])
    with listener, pipe, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(listener, pipe, first="first" in sys.argv[3:]))


if __name__ == "__main__":
    main()
