"""A process that ends, without a word, at the very point that a test asks for.

python -m tests.toy.crash DATA_URL CACHE_URL before_drain|half_drained|half_left|refused|taken_back [NOTE]
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.clock import PinnedClock
from tests.support.squares import Place
from tests.toy.fixtures import open_toy
from tests.toy.service import Toy
from townsquare.store.coordination.effects import Effects
from townsquare.store.scripts.script import LuaScript, Values
from townsquare.store.store import Store


async def die(*_: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


async def before_drain(service: Toy) -> None:
    """The script is done, its effects wait in the outbox."""
    setattr(Effects, "drain", die)  # noqa: B010
    await service.move("ann", "oslo")


async def half_drained(service: Toy) -> None:
    """The effects are applied, but still in the outbox and under lease."""
    apply = Effects._apply

    async def apply_and_die(*args: Any, **options: Any) -> None:
        await apply(*args, **options)
        await die()

    setattr(Effects, "_apply", apply_and_die)  # noqa: B010
    await service.move("ann", "oslo")


async def half_left(service: Toy) -> None:
    """A long deletion has done its first step."""
    steps = 0
    working = service.jobs._steps["toy.delete_person"]

    async def step(args: dict[str, Any]) -> int:
        nonlocal steps
        if steps:
            await die()
        steps += 1
        return await working(args)

    service.jobs.register("toy.delete_person", step)
    await service.leave("ann")


async def refused(service: Toy, note: str) -> None:
    """Another home has refused, and nothing is taken back yet."""
    run = Store.run_undrained

    async def run_or_die(store: Store, script: LuaScript, values: Values, *more: Any) -> Any:
        return await (die() if script.file.name == "drop_praise" else run(store, script, values, *more))

    setattr(Store, "run_undrained", run_or_die)  # noqa: B010
    await service.praise(note, "nobody")


async def taken_back(service: Toy, note: str) -> None:
    """What another home has refused is taken back, and still in the outbox."""
    run = Store.run_undrained

    async def run_and_die(store: Store, script: LuaScript, values: Values, *more: Any) -> Any:
        answer = await run(store, script, values, *more)
        return await die() if script.file.name == "drop_praise" else answer

    setattr(Store, "run_undrained", run_and_die)  # noqa: B010
    await service.praise(note, "nobody")


POINTS: dict[str, Callable[..., Awaitable[None]]] = {
    "before_drain": before_drain,
    "half_drained": half_drained,
    "half_left": half_left,
    "refused": refused,
    "taken_back": taken_back,
}


async def main(data_url: str, cache_url: str, point: str, *given: str) -> None:
    async with open_toy(Place("", data_url, cache_url), PinnedClock()) as service:
        await POINTS[point](service, *given)


async def crash(place: Place, point: str, *given: str) -> None:
    """Run such a process to its end."""
    arguments = ["-m", "tests.toy.crash", place.data_url, place.cache_url, point, *given]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments)
    assert await process.wait() == -signal.SIGKILL


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
