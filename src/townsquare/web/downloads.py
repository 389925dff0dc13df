"""An answer that is sent as it is made, because it may be larger than memory."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import structlog

from townsquare.api import Download
from townsquare.web.asgi_types import Send
from townsquare.web.body import Receive
from townsquare.web.connections import SLOW_SECONDS
from townsquare.web.responses import Response, fixed_lines, header_lines

log = structlog.get_logger("townsquare.downloads")


class OpenDownload:
    def __init__(self, download: Download) -> None:
        self._download = download

    def response(self, open_to_any_origin: bool) -> Response:
        name = self._download.filename
        disposition = (b"content-disposition", f'attachment; filename="{name}"'.encode("ascii"))
        lines = fixed_lines(self._download.media_type, open_to_any_origin)
        return Response(200, lines + header_lines([disposition]), b"", self)

    def close(self) -> None:
        """Nothing was begun."""

    async def send(self, receive: Receive, send: Send, stopping: asyncio.Event) -> None:
        """Send it whole; a client that leaves or does not keep up ends it, a failure breaks it off."""
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            async with aclosing(cast(Any, self._download.parts)) as parts:
                async for part in parts:
                    if gone.done():
                        return
                    async with asyncio.timeout(SLOW_SECONDS):
                        await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            log.info("slow client dropped")
        finally:
            gone.cancel()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
