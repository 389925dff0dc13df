"""Server processes of one site and the clients that are connected to them, over real sockets."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection

from tests.services.threads.world import ORIGIN, World
from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from tests.web.test_sockets import Hall, Server, serving
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.service import Threads
from townsquare.square import Square
from townsquare.web.site import site_of

PATIENCE = 10.0


class LiveClient:
    """A connection that keeps what it is told."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []

    async def say(self, type: str, **more: Any) -> None:
        await self.socket.send(json.dumps({"type": type, **more}))

    async def hear(self, *types: str) -> dict[str, Any]:
        """The next message of one of these types; others are kept and passed over."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message: dict[str, Any] = json.loads(await self.socket.recv())
                self.heard.append(message)
                if message.get("type") in types or message.get("code") in types:
                    return message

    async def subscribe(self, path: str = "/hello", **more: Any) -> dict[str, Any]:
        await self.say("subscribe", page_url=path, **more)
        return await self.hear("subscribed")

    async def hear_until(self, text: str) -> list[dict[str, Any]]:
        """The events up to the comment with this text."""
        while True:
            message = await self.hear("new_comment", "edit_comment")
            if message["comment"]["content"] == text:
                return self.events

    @property
    def events(self) -> list[dict[str, Any]]:
        return [message for message in self.heard if "comment_id" in message and "event" in message]

    @property
    def texts(self) -> list[str]:
        return [message["comment"]["content"] for message in self.events if "comment" in message]


class Process:
    """One server process: its square and its sockets."""

    def __init__(self, square: Square, server: Server, world: World) -> None:
        self.square = square
        self.threads: Threads = square.services["threads"]
        self.server = server
        self.world = world

    @asynccontextmanager
    async def client(
        self,
        viewer: Viewer | None = None,
        *,
        key: str | None = None,
        origin: str | None = ORIGIN,
        **options: Any,
    ) -> AsyncIterator[LiveClient]:
        if viewer is not None:
            options["subprotocols"] = ["bearer." + await self._token(str(viewer.user_id))]
        options.setdefault("max_queue", None)  # a client that does not read all still sees the end
        path = f"/threads/v1/live?site={key or self.world.site.api_key_public}"
        async with self.server.opened(path, origin=origin, **options) as socket:
            yield LiveClient(socket)

    def hears(self, viewer: Viewer) -> bool:
        """Whether this process listens to what a user is told."""
        name = self.square.store.name(keys.user_channel(str(viewer.user_id)))
        channel = self.square.channels._channels.get(name)
        return channel is not None and channel.live.is_set()

    async def _token(self, user_id: str) -> str:
        account = await self.square.accounts.users.get(user_id)
        issued = await self.square.accounts.sessions.issue(account, "password", Client(ip="1.2.3.4"))
        return issued.access_token


@asynccontextmanager
async def process_of(world: World) -> AsyncIterator[Process]:
    """A process that serves the square of the world."""
    async with serving(site_of(world.square), Hall()) as server:
        yield Process(world.square, server, world)


@asynccontextmanager
async def another_process(
    world: World, place: Place, clock: PinnedClock, **changes: Any
) -> AsyncIterator[Process]:
    """One more process on the same store."""
    async with (
        open_square(place, clock, **changes) as square,
        serving(site_of(square), Hall()) as server,
    ):
        yield Process(square, server, world)
