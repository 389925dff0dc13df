"""A request body as a temporary file, within limits of size and time."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

from townsquare.kit.scratch_folders import scratch_folder
from townsquare.problems import RequestTimeout, Unavailable
from townsquare.web.body import Disconnected, Receive, require_length, too_large


@asynccontextmanager
async def received_file(
    headers: Mapping[bytes, bytes], receive: Receive, limit: int, seconds: float
) -> AsyncIterator[Path]:
    """The body as a file, deleted at the end of the block; each part must arrive within `seconds`."""
    require_length(headers, limit)
    with scratch_folder() as folder:
        path = folder / "body"
        try:
            with path.open("wb") as file:  # parts are small
                await _receive(file, receive, limit, seconds)
        except OSError as error:
            raise Unavailable(f"The file cannot be stored: {error.strerror}") from None
        yield path


async def _receive(file: IO[bytes], receive: Receive, limit: int, seconds: float) -> None:
    size = 0
    while True:
        message = await _next(receive, seconds)
        if message["type"] != "http.request":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise too_large(limit)
        file.write(part)
        if not message.get("more_body"):
            return


async def _next(receive: Receive, seconds: float) -> Mapping[str, Any]:
    try:
        async with asyncio.timeout(seconds):
            return await receive()
    except TimeoutError:
        raise RequestTimeout(f"Nothing more of the body came within {seconds:g} s") from None
