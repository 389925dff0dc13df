"""Live messages over a WebSocket."""

from typing import Any

from townsquare.api import AnySocket, AnyStream, Call, Connection
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.threads.models.live import (
    PageMessage,
    Ping,
    Pong,
    Received,
    StopTyping,
    Subscribe,
    Typing,
    Unsubscribe,
)
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.routes.access import SiteAccess, presented_key, viewer_of
from townsquare.services.threads.routes.comments import OfSite
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import PageAddress
from townsquare.services.threads.service.event_history import LiveMessage
from townsquare.services.threads.service.live_client import LiveClient

OUTBOX = 6_000  # messages: the replay of ten pages, and new ones; all connections share their text


def live_sockets(threads: Threads, access: SiteAccess) -> list[AnySocket | AnyStream]:
    routes = Routes("/threads/v1", tag="threads")

    @routes.socket(
        "/live",
        auth=access.reading,
        open_to_any_origin=True,
        outbox=OUTBOX,
    )
    async def live(call: Call, given: OfSite, connection: Connection[Received, Any]) -> None:
        """The live messages of up to ten pages."""

        def deliver(message: LiveMessage) -> None:
            connection.send(message.body)

        viewer = viewer_of(call)
        with threads.live.connect(viewer, deliver) as client:
            threads.usage.add(viewer.site_id, "websocket_connections")
            async for message in connection:
                if isinstance(message, Ping):
                    connection.send(Pong())
                    continue
                try:
                    site = await threads.sites.by_key(presented_key(call))
                    await handle(threads, client, site, message)
                except Problem as problem:
                    connection.refuse(problem)

    return routes.sockets


async def handle(
    threads: Threads,
    client: LiveClient,
    site: SiteConfig,
    message: Subscribe | Unsubscribe | Typing | StopTyping,
) -> None:
    page = await page_of(threads, site, message)
    match message:
        case Subscribe():
            await client.subscribe(site.settings, page, message.last_event)
        case Unsubscribe():
            client.unsubscribe(page.id)
        case Typing():
            await client.type(site.settings, page.id, True, message.reply_to)
        case StopTyping():
            await client.type(site.settings, page.id, False)


async def page_of(threads: Threads, site: SiteConfig, message: PageMessage) -> PageAddress:
    if message.page_id is not None:
        return PageAddress(message.page_id, "", "")
    return await threads.pages.find(site, message.page_url, message.page_key)
