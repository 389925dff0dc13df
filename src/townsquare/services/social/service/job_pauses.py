"""Long work beside people who wait for their pages."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

REST = 4  # times as long as a step took
LONGEST_REST = 0.02  # seconds

Step = Callable[[dict[str, Any]], Awaitable[int]]


def with_pauses(step: Step) -> Step:
    """The same step, and then a rest: others have the store for most of the time."""

    @wraps(step)
    async def rested(args: dict[str, Any]) -> int:
        began = time.perf_counter()
        done = await step(args)
        await asyncio.sleep(min(LONGEST_REST, REST * (time.perf_counter() - began)))
        return done

    return rested
