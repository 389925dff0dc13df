"""A process that is killed in the middle of a long job.

python -m tests.services.social.killed_job DATA_URL CACHE_URL delete|rename NAME STEPS
"""

import asyncio
import os
import signal
import sys
from typing import Any

from tests.services.social.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place

KINDS = {"delete": "social.delete_user", "rename": "social.move_user"}
NEW_NAME = "Sheik"


def die_after(world: World, kind: str, steps: int) -> None:
    step = world.jobs._steps[kind]
    done = 0

    async def counted(args: dict[str, Any]) -> int:
        nonlocal done
        if done == steps:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return await step(args)

    world.jobs.register(kind, counted)


async def main(data_url: str, cache_url: str, work: str, name: str, steps: str) -> None:
    async with open_world(Place("", data_url, cache_url), PinnedClock()) as world:
        die_after(world, KINDS[work], int(steps))
        if work == "delete":
            await world.social.users.delete(name)
        else:
            await world.social.users.rename(name, NEW_NAME)


async def die_while(place: Place, work: str, name: str, steps: int) -> None:
    """Run such a process to its end."""
    arguments = [
        "-m",
        "tests.services.social.killed_job",
        place.data_url,
        place.cache_url,
        work,
        name,
        str(steps),
    ]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments)
    assert await process.wait() == -signal.SIGKILL


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
