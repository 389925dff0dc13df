"""The whole site: a square and its services over HTTP, to run alone or to mount in another application.

community = townsquare.asgi()
app = FastAPI(lifespan=community.lifespan)
app.mount("/community", community)
"""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from townsquare import square as library
from townsquare.kit.files import CACHE, REVALIDATED, Assets
from townsquare.service import Service
from townsquare.services.accounts.service import Accounts
from townsquare.settings import OFF, Settings
from townsquare.square import Square
from townsquare.store.data_state import Progress
from townsquare.store.wire.nodes import Nodes
from townsquare.web.app import App
from townsquare.web.asgi_types import Receive, Scope, Send
from townsquare.web.console import ASSETS as CONSOLE_ASSETS
from townsquare.web.console import console_endpoints
from townsquare.web.logs import AccessLog, Lines, Logs
from townsquare.web.metrics import Metrics
from townsquare.web.system import Probe

NOT_OPEN = (
    "Townsquare is not open: give the application that it is mounted in its lifespan, "
    "as in FastAPI(lifespan=community.lifespan)"
)
log = logging.getLogger("townsquare")


@asynccontextmanager
async def open_square(
    settings: Settings, metrics: Metrics, upgrading: Progress | None = None
) -> AsyncIterator[Square]:
    """The square of a server: its background work and scheduled backups run."""
    async with library.open(settings=settings, upgrading=upgrading) as square, AsyncExitStack() as stack:
        square.start_services()
        if settings.backup_every != OFF:
            from townsquare.web.scheduled_backups import scheduled_backups

            await stack.enter_async_context(scheduled_backups(settings, square.store, metrics))
        if settings.integrity_every != OFF:
            from townsquare.web.scheduled_checks import scheduled_checks

            await stack.enter_async_context(scheduled_checks(settings, square.store, metrics))
        yield square


@asynccontextmanager
async def open_site(settings: Settings, logs: Logs | None = None) -> AsyncIterator[App]:
    """The application of a server, without the server."""
    metrics = Metrics()
    async with open_square(settings, metrics) as square:
        yield site_of(square, logs, metrics)


async def first_admin_link(square: Square) -> str:
    """The path and the token of a new link for the first admin; empty if there is an admin."""
    from townsquare.services.accounts.first_admin import PAGE

    token = await square.service(Accounts).first_admin.offer()
    return "" if token is None else f"{PAGE}#{token}"


def site_of(square: Square, logs: Logs | None = None, metrics: Metrics | None = None) -> App:
    """The application of an open square."""
    services = [service for service, _ in square.enabled]
    metrics = metrics or Metrics()
    metrics.client_cache = square.store.client_cache
    metrics.cache = square.cache.counts
    metrics.incidents = square.store.incidents
    return App(
        [
            *(endpoint for service, built in square.enabled for endpoint in service.endpoints(built)),
            *console_endpoints(square, metrics),
        ],
        settings=square.settings,
        limiter=square.limiter,
        idempotency=square.idempotency,
        authenticate=square.service(Accounts).authenticate,
        begin_barrier=square.store.begin_barrier,
        readiness={str(role): _answers(side.nodes) for role, side in square.store.role_stores.items()},
        sockets=[socket for service, built in square.enabled for socket in service.sockets(built)],
        assets=[CONSOLE_ASSETS, *(assets for service in services for assets in served_folders(service))],
        links=[link for service in services for link in service.pages.links],
        tags={service.name: service.keyspace.description for service in services},
        logs=logs,
        metrics=metrics,
    )


def served_folders(service: Service[Any]) -> list[Assets]:
    folders = [
        ("/components", service.components, CACHE),
        (f"/{service.name}/assets", service.pages.assets, REVALIDATED),
    ]
    return [Assets(prefix, folder, cache) for prefix, folder, cache in folders if folder]


def _answers(nodes: Nodes) -> Probe:
    async def probe() -> None:
        for connection in nodes.connections():
            await connection.execute("PING")

    return probe


class Asgi:
    """The site, open during its own lifespan or that of the application that mounts it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._square: Square | None = None
        self._app: App | None = None

    @property
    def square(self) -> Square:
        """The library behind the site, for the code of the outer application."""
        if self._square is None:
            raise RuntimeError(NOT_OPEN)
        return self._square

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncIterator[None]:
        """The lifespan of the outer application, or a part of it: `async with community.lifespan():`."""
        async with library.open(settings=self._settings) as square:
            square.start_services()
            self._square, self._app = square, site_of(square, host_logs())
            try:
                yield
            finally:
                self._app.stop()
                self._square = self._app = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is None:
            raise RuntimeError(NOT_OPEN)
        else:
            await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """The lifespan protocol, for a server that runs this application itself."""
        await receive()
        phase = "startup"
        try:
            async with self.lifespan():
                await send({"type": "lifespan.startup.complete"})
                phase = "shutdown"
                await receive()
        except Exception as error:
            await send({"type": f"lifespan.{phase}.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.shutdown.complete"})

    def __repr__(self) -> str:
        return f"<Townsquare site, {'open' if self._app else 'not open'}>"


def host_logs() -> Logs:
    """The outer application has its own access log; failed requests go to the logger `townsquare`."""
    lines = Lines(lambda data: log.error(data.decode().rstrip()))
    return Logs(lines, AccessLog(lines, json=True, enabled=False), json=True)


def asgi(url: str | None = None, *, settings: Settings | None = None) -> Asgi:
    """The site on the embedded engine, on the Redis at `url`, or as configured."""
    return Asgi(settings or Settings.load(data_url=url, cache_url=url))
