"""The whole site as an ASGI application, to run by itself or to mount under a prefix of another one.

community = townsquare.asgi()
app = FastAPI(lifespan=community.lifespan)
app.mount("/community", community)
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from townsquare import square as library
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.web.app import App
from townsquare.web.asgi_types import Receive, Scope, Send
from townsquare.web.logs import AccessLog, Lines, Logs
from townsquare.web.site import site_of

NOT_OPEN = (
    "Townsquare is not open: give the application that it is mounted in its lifespan, "
    "as in FastAPI(lifespan=community.lifespan)"
)

log = logging.getLogger("townsquare")


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
