"""Pauses between the steps of long jobs, so that requests do not wait for them."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

PAUSE = 4  # times as long as the step took
LONGEST_PAUSE = 0.02  # seconds

Step = Callable[[dict[str, Any]], Awaitable[int]]


def with_pauses(step: Step) -> Step:
    """The same step, and then a pause: others have the store for most of the time."""

    @wraps(step)
    async def paused(args: dict[str, Any]) -> int:
        began = time.perf_counter()
        done = await step(args)
        await asyncio.sleep(min(LONGEST_PAUSE, PAUSE * (time.perf_counter() - began)))
        return done

    return paused
