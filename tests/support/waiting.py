"""Wait on a condition, never for a duration."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], patience: float = 10.0) -> None:
    async with asyncio.timeout(patience):
        while not condition():  # noqa: ASYNC110 - any condition, not only ones with an event
            await asyncio.sleep(0.005)
