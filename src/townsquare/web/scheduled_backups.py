"""Scheduled backups of a server: `backup_every`, `backup_dir`, `backup_keep`.

The newest file in the folder tells when the next one is due, so a restart changes nothing. A backup runs in a
process of its own; of several workers or servers, one makes it.
"""

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from townsquare.backup.folder import SECONDS, backup_files, backup_folder, newest_backup
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.settings import Settings
from townsquare.store.coordination.background import Lease
from townsquare.store.store import Store
from townsquare.web.metrics import Metrics

log = get_logger("townsquare.backup")

LEASE = "backup"
LOOK_EVERY = 20.0  # seconds
RETRY_SECONDS = 600.0  # after a failure


@contextlib.asynccontextmanager
async def scheduled_backups(settings: Settings, store: Store, metrics: Metrics) -> AsyncIterator[None]:
    task = asyncio.create_task(repeat(settings, store, metrics), name="townsquare-backups")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def repeat(settings: Settings, store: Store, metrics: Metrics) -> None:
    folder = backup_folder(settings)
    lease = Lease(store, LEASE)
    while True:
        pause = LOOK_EVERY
        try:
            metrics.last_backup = newest_backup(settings.env, folder)
            if is_due(settings, metrics.last_backup) and await lease.take():
                done = await hold(lease, settings, folder)
                metrics.last_backup = newest_backup(settings.env, folder)
                metrics.count("backups_total", "done" if done else "failed")
                pause = LOOK_EVERY if done else RETRY_SECONDS
        except (Unavailable, OutcomeUnknown):
            pass  # the store is unreachable, which is logged elsewhere
        except OSError as error:
            log.error("scheduled backup failed", reason=str(error))
            metrics.count("backups_total", "failed")
            pause = RETRY_SECONDS
        await asyncio.sleep(pause)


async def hold(lease: Lease, settings: Settings, folder: Path) -> bool:
    """Make a backup while the lease is renewed."""
    renewing = asyncio.create_task(lease.keep())
    try:
        return await make(settings, folder)
    finally:
        renewing.cancel()
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            await lease.give_back()


async def make(settings: Settings, folder: Path) -> bool:
    path = new_file(settings.env, folder)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "townsquare.backup",
        str(path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate(msgspec.json.encode(settings))
    except asyncio.CancelledError:
        process.terminate()
        await process.wait()
        raise
    if process.returncode:
        log.error("scheduled backup failed", reason=said.decode(errors="replace")[-1_000:].strip())
        return False
    log.info("backup made", file=str(path))
    delete_old(settings, folder)
    return True


def new_file(env: str, folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{env}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup"


def delete_old(settings: Settings, folder: Path) -> None:
    for old in backup_files(settings.env, folder)[: -settings.backup_keep]:
        old.unlink(missing_ok=True)


def is_due(settings: Settings, last: float) -> bool:
    every = int(settings.backup_every[:-1]) * SECONDS[settings.backup_every[-1]]
    age = time.time() - last
    return age >= every or age < -every  # also if the clock was set back
