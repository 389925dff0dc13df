"""A backup in a process of its own: `python -m townsquare.backup FILE`, with settings as JSON on stdin."""

import asyncio
import sys
from pathlib import Path

import msgspec

from townsquare.backup import run
from townsquare.open_store import opened_store
from townsquare.problems import Problem
from townsquare.settings import Settings


async def main(path: Path) -> None:
    settings = msgspec.json.decode(sys.stdin.buffer.read(), type=Settings)
    async with opened_store(settings) as store:
        await run.backup(store, settings, path, lambda *_: None)


if __name__ == "__main__":
    try:
        asyncio.run(main(Path(sys.argv[1])))
    except Problem as problem:
        sys.exit(f"{problem.title}: {problem.detail}")
