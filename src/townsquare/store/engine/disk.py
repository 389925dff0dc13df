"""Room on the disk of the data folder, kept so that an engine never finds it full.

An engine that syncs before it answers ends when its file cannot be written, and reads would end with it. So
writes are refused while there is little room; they are taken again when there is more.
"""

import asyncio
import logging
import os
from pathlib import Path

from townsquare.store.engine.process import Engine

log = logging.getLogger(__name__)

LOOK_EVERY = 0.25  # seconds
RESERVE = 64 * 1024 * 1024  # bytes: more than is written between two looks
RESERVED_SHARE = 20  # of a small disk, at most this part


def has_room(folder: Path) -> bool:
    disk = os.statvfs(folder)
    reserve = min(RESERVE, disk.f_blocks * disk.f_frsize // RESERVED_SHARE)
    return disk.f_bavail * disk.f_frsize > reserve


async def watch_disk(folder: Path, engine: Engine) -> None:
    """Let the engine take writes while there is room; says so when that changes."""
    heard = True
    while True:
        try:
            room = has_room(folder)
        except OSError as error:
            log.error("The disk of %s cannot be looked at: %s", folder, error)
            room = True
        if room and not engine.takes_writes:
            log.warning("There is room on the disk of %s again: writes are taken", folder)
        elif engine.takes_writes and not room:
            log.error("The disk of %s is full: writes are refused until there is room", folder)
        if not (room and engine.takes_writes and heard):
            heard = await engine.take_writes(room)
        await asyncio.sleep(LOOK_EVERY)
