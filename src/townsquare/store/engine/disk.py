"""Reserves space on the disk of the data folder.

With `durability = "always"` an engine exits when it cannot write its file, so reads would fail too. Therefore
the engine refuses writes while the disk is nearly full.
"""

import asyncio
import logging
import os
from pathlib import Path

from townsquare.store.engine.process import Engine

log = logging.getLogger(__name__)

CHECK_SECONDS = 0.25
RESERVE = 64 * 1024 * 1024  # bytes: more than is written between two checks
RESERVED_SHARE = 20  # of a small disk: at most one twentieth


def has_room(folder: Path) -> bool:
    disk = os.statvfs(folder)
    reserve = min(RESERVE, disk.f_blocks * disk.f_frsize // RESERVED_SHARE)
    return disk.f_bavail * disk.f_frsize > reserve


async def watch_disk(folder: Path, engine: Engine) -> None:
    """Let the engine accept writes while there is space; log when that changes."""
    configured = True
    while True:
        try:
            room = has_room(folder)
        except OSError as error:
            log.error("The free space on the disk of %s is unknown: %s", folder, error)
            room = True
        if room and not engine.takes_writes:
            log.warning("The disk of %s has space again: writes are accepted", folder)
        elif engine.takes_writes and not room:
            log.error("The disk of %s is full: writes are refused until there is space", folder)
        if not (room and engine.takes_writes and configured):
            configured = await engine.take_writes(room)
        await asyncio.sleep(CHECK_SECONDS)
