"""A check in a process of its own: `python -m townsquare.integrity`, with settings as JSON on stdin.

It runs at a low priority, and stores its result for the server that started it.
"""

import asyncio
import os
import sys

import msgspec

from townsquare.integrity.check import check, collect_rarely
from townsquare.open_store import opened_store
from townsquare.problems import Problem
from townsquare.settings import Settings
from townsquare.store.keys import LastCheck, last_check

NICE = 10


async def main() -> None:
    os.nice(NICE)
    collect_rarely()
    settings = msgspec.json.decode(sys.stdin.buffer.read(), type=Settings)
    async with opened_store(settings) as store:
        began = store.clock.now_ms()
        report = await check(store)
        result = LastCheck(began, store.clock.now_ms(), report.keys, report.left)
        await store.call("SET", last_check(), msgspec.json.encode(result))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Problem as problem:
        sys.exit(f"{problem.title}: {problem.detail}")
