"""Upgrades the data at a URL and is killed after its second step, in the middle of the migration of sites."""

import asyncio
import os
import signal
import sys

from tests.support.squares import Place
from townsquare.backup.upgrade import upgrade
from townsquare.open_store import opened_store


async def main(data_url: str, cache_url: str) -> None:
    steps = 0

    def die(summary: str, *_: object) -> None:
        nonlocal steps
        steps += "settings of a site" in summary
        if steps == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    async with opened_store(Place("any", data_url, cache_url).settings()) as store:
        await upgrade(store, die)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
