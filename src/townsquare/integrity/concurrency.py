"""Concurrent tasks that are all cancelled when one fails."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def at_most(
    limit: int, work: Callable[[T], Coroutine[Any, Any, None]], items: AsyncIterator[T]
) -> None:
    """Work on all items, at most `limit` at a time."""
    running: set[asyncio.Task[None]] = set()
    try:
        async for item in items:
            running.add(asyncio.create_task(work(item)))
            if len(running) == limit:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.gather(*done)
        await asyncio.gather(*running)
    finally:
        await end(running)


async def all_of(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        await end(tasks)


async def end(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
