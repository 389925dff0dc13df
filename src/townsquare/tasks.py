"""The end of asyncio tasks."""

import asyncio
from collections.abc import Iterable
from typing import Any


async def cancel_tasks(tasks: "Iterable[asyncio.Future[Any] | None]") -> None:
    """Cancel the tasks that are not None, and wait until they have ended."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
