"""Live messages over a WebSocket, as server-sent events, or by polling."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from townsquare.api import AnyEndpoint, AnySocket, AnyStream, Call, Connection, StreamEvent
from townsquare.problems import Problem
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models import live as models
from townsquare.services.threads.models.live import LastEvent, PageEvents
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.page_urls import PageAddress
from townsquare.services.threads.routes.access import SiteAccess, presented_key, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfPage, OfSite
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.live_client import LiveClient
from townsquare.services.threads.service.page_events import LiveMessage

OUTBOX = 6_000  # messages: the replay of ten pages, and new ones; all connections share their text


def live_sockets(threads: Threads, access: SiteAccess) -> list[AnySocket | AnyStream]:
    routes = Routes("/threads/v1", tag="threads")

    @routes.socket(
        "/live",
        auth=access.reading,
        open_to_any_origin=True,
        outbox=OUTBOX,
    )
    async def live(call: Call, given: OfSite, connection: Connection[models.Received, Any]) -> None:
        """The live messages of up to ten pages."""

        def deliver(message: LiveMessage) -> None:
            connection.send(message.body)

        viewer = viewer_of(call)
        with threads.live.connect(viewer, deliver) as client:
            threads.usage.add(viewer.site_id, "websocket_connections")
            async for message in connection:
                if isinstance(message, models.Ping):
                    connection.send(models.Pong())
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
    message: models.Subscribe | models.Unsubscribe | models.Typing | models.StopTyping,
) -> None:
    page = await page_of(threads, site, message)
    match message:
        case models.Subscribe():
            await client.subscribe(site.settings, page, message.last_event)
        case models.Unsubscribe():
            client.unsubscribe(page.id)
        case models.Typing():
            await client.type(site.settings, page.id, True, message.reply_to)
        case models.StopTyping():
            await client.type(site.settings, page.id, False)


async def page_of(threads: Threads, site: SiteConfig, message: models.PageMessage) -> PageAddress:
    if message.page_id is not None:
        return PageAddress(message.page_id, "", "")
    return await threads.pages.find(site, message.page_url, message.page_key)


STREAM_OUTBOX = 1_024  # messages that wait for a slow client, which then reconnects; more than a replay


class StreamQuery(OfPage, kw_only=True):
    last_event: LastEvent | None = None  # for clients that cannot send Last-Event-ID


class EventsQuery(OfPage, kw_only=True):
    after: LastEvent | None = None


def event_endpoints(threads: Threads, access: SiteAccess) -> list[AnyEndpoint]:
    routes = Routes("/threads/v1", tag="threads", auth=access.reading, open_to_any_origin=True)

    @routes.get("/pages/events", errors=(*ACCESS, problems.BadPage))
    async def read_page_events(call: Call, asked: EventsQuery) -> PageEvents:
        """The events of a page after an event; without one, only the id of the newest."""
        page = await threads.pages.find(site_of(call), asked.page_url, asked.page_key)
        return await threads.live.events(viewer_of(call), page, asked.after)

    return routes.endpoints


def event_streams(threads: Threads, access: SiteAccess) -> list[AnySocket | AnyStream]:
    routes = Routes("/threads/v1", tag="threads")

    @routes.stream(
        "/stream",
        auth=access.reading,
        open_to_any_origin=True,
        errors=(*ACCESS, problems.BadPage, problems.TooManyLiveConnections),
    )
    async def stream_page(call: Call, asked: StreamQuery) -> AsyncIterator[StreamEvent[Any]]:
        """The live messages of a page; a client that reconnects gets the events that it missed."""
        site, viewer = site_of(call), viewer_of(call)
        page = await threads.pages.find(site, asked.page_url, asked.page_key)
        last_event = call.headers.get("last-event-id", "") or asked.last_event
        threads.live.require_room()

        async def messages() -> AsyncIterator[StreamEvent[Any]]:
            waiting: asyncio.Queue[LiveMessage | None] = asyncio.Queue()

            def deliver(message: LiveMessage) -> None:
                waiting.put_nowait(message if waiting.qsize() < STREAM_OUTBOX else None)

            with threads.live.connect(viewer, deliver) as client:
                await client.subscribe(site.settings, page, last_event)
                while (message := await waiting.get()) is not None:
                    yield StreamEvent(msgspec.Raw(message.body), message.event, message.type)

        return messages()

    return routes.sockets
