"""Live messages for clients without a WebSocket: server-sent events and polling."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from townsquare.api import AnyEndpoint, AnySocket, AnyStream, Call, StreamEvent
from townsquare.routes import Routes
from townsquare.services.threads import problems
from townsquare.services.threads.models.live import LastEvent, PageEvents
from townsquare.services.threads.routes.access import SiteAccess, site_of, viewer_of
from townsquare.services.threads.routes.comments import ACCESS, OfPage
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.event_history import LiveMessage

OUTBOX = 1_024  # messages that wait for a slow client, which reconnects for the rest; more than a replay


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
                waiting.put_nowait(message if waiting.qsize() < OUTBOX else None)

            with threads.live.connect(viewer, deliver) as client:
                await client.subscribe(site.settings, page, last_event)
                while (message := await waiting.get()) is not None:
                    yield StreamEvent(msgspec.Raw(message.body), message.event, message.type)

        return messages()

    return routes.sockets
