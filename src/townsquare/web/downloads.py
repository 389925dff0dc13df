"""A response that is sent while it is produced, because it may be larger than memory."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

from townsquare.api import Download
from townsquare.logger import get_logger
from townsquare.web.asgi_types import Send
from townsquare.web.body import Receive
from townsquare.web.connections import SLOW_SECONDS
from townsquare.web.responses import Response, fixed_lines, header_lines

log = get_logger("townsquare.downloads")


class OpenDownload:
    def __init__(self, download: Download) -> None:
        self._download = download

    def response(self, open_to_any_origin: bool) -> Response:
        name = self._download.filename
        disposition = (b"content-disposition", f'attachment; filename="{name}"'.encode("ascii"))
        lines = fixed_lines(self._download.media_type, open_to_any_origin)
        return Response(200, lines + header_lines([disposition]), b"", self)

    def close(self) -> None:
        """Nothing to release: no part was produced."""

    async def send(self, receive: Receive, send: Send, stopping: asyncio.Event) -> None:
        """Send all parts; stop if the client leaves or is too slow. An exception breaks the connection."""
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
