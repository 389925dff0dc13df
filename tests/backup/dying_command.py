"""A backup or a restore that is killed in the middle. Arguments: WHAT FILE DATA_URL CACHE_URL"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from tests.support.squares import Place
from townsquare.backup import run, write_store
from townsquare.open_store import opened_store


def die(what: str, done: int, total: int) -> None:
    if what != "Verifying":
        os.kill(os.getpid(), signal.SIGKILL)


async def main(what: str, file: str, data_url: str, cache_url: str) -> None:
    settings = Place("any", data_url, cache_url).settings()
    run.EVERY = write_store.COMMANDS = 20
    async with opened_store(settings) as store:
        if what == "backup":
            await run.backup(store, settings, Path(file), die)
        else:
            await run.restore(store, Path(file), die)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
