"""The whole site: a square and its services over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from townsquare import square as library
from townsquare.kit.files import CACHE, REVALIDATED, Assets
from townsquare.service import Service
from townsquare.services.accounts.service import Accounts
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.store.data_state import Progress
from townsquare.store.wire.nodes import Nodes
from townsquare.web.app import App
from townsquare.web.logs import Logs
from townsquare.web.metrics import Metrics
from townsquare.web.system import Probe


@asynccontextmanager
async def open_site(
    settings: Settings,
    logs: Logs | None = None,
    metrics: Metrics | None = None,
    upgrading: Progress | None = None,
) -> AsyncIterator[App]:
    """The application, with its store connected and its background work running."""
    async with library.open(settings=settings, upgrading=upgrading) as square:
        square.start_services()
        yield site_of(square, logs, metrics)


def site_of(square: Square, logs: Logs | None = None, metrics: Metrics | None = None) -> App:
    """The application of an open square."""
    services = [service for service, _ in square.enabled]
    metrics = metrics or Metrics()
    metrics.client_cache = square.store.client_cache
    metrics.cache = square.cache.counts
    return App(
        [endpoint for service, built in square.enabled for endpoint in service.endpoints(built)],
        settings=square.settings,
        limiter=square.limiter,
        idempotency=square.idempotency,
        authenticate=square.service(Accounts).authenticate,
        begin_barrier=square.store.begin_barrier,
        readiness={str(role): _answers(side.nodes) for role, side in square.store.role_stores.items()},
        sockets=[socket for service, built in square.enabled for socket in service.sockets(built)],
        assets=[assets for service in services for assets in served_folders(service)],
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
