"""The whole server put together: a square, and its services over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import townsquare.services
from townsquare import square as library
from townsquare.api import AnyEndpoint, Link
from townsquare.kit.files import REVALIDATED, Assets
from townsquare.services.accounts import routes as accounts
from townsquare.services.analytics import routes as analytics
from townsquare.services.social import routes as social
from townsquare.services.widgets import routes as widgets
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.store.wire.nodes import Nodes
from townsquare.web.app import App, create_app
from townsquare.web.logs import Logs
from townsquare.web.system import Probe

SERVICES = Path(townsquare.services.__file__).parent
ASSETS = {
    "accounts": [Assets("/accounts/assets", SERVICES / "accounts" / "pages" / "assets", REVALIDATED)],
    "social": [Assets("/social/assets", SERVICES / "social" / "pages" / "assets", REVALIDATED)],
    "widgets": [
        Assets("/components", SERVICES / "widgets" / "components"),
        Assets("/widgets/assets", SERVICES / "widgets" / "pages" / "assets", REVALIDATED),
    ],
}
LINKS = {
    "widgets": Link("Widgets", "/widgets", "Make a counter, a like button, a ranking or a board"),
    "social": Link("Social", "/social", "Read and write posts, follow people"),
    "accounts": Link(
        "Account",
        "/accounts/sign-in",
        "Sign in, see sessions, export or delete data",
        signed_in="/accounts/account",
    ),
}


@asynccontextmanager
async def open_site(settings: Settings, logs: Logs | None = None) -> AsyncIterator[App]:
    """The application, with its store connected and its background work running."""
    async with library.open(settings=settings) as square:
        square.background.start()
        yield site_of(square, logs)


def site_of(square: Square, logs: Logs | None = None) -> App:
    """The application over a square that is open."""
    return create_app(
        enabled_endpoints(square),
        settings=square.settings,
        limiter=square.limiter,
        idempotency=square.idempotency,
        authenticate=square.sign_in.authenticate,
        readiness={str(role): _answers(side.nodes) for role, side in square.store.sides.items()},
        assets=[
            assets
            for service, folders in ASSETS.items()
            if service not in square.settings.disabled_services
            for assets in folders
        ],
        links=[link for service, link in LINKS.items() if service not in square.settings.disabled_services],
        logs=logs,
    )


def enabled_endpoints(square: Square) -> list[AnyEndpoint]:
    services = {
        "accounts": accounts.endpoints(square.accounts, square.sign_in),
        "analytics": analytics.endpoints(square.analytics),
        "social": social.endpoints(square.social),
        "widgets": widgets.endpoints(square.widgets),
    }
    return [
        endpoint
        for service, endpoints in services.items()
        if service not in square.settings.disabled_services
        for endpoint in endpoints
    ]


def _answers(nodes: Nodes) -> Probe:
    async def probe() -> None:
        for connection in nodes.connections():
            await connection.execute("PING")

    return probe
