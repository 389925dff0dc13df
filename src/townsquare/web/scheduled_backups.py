"""Scheduled backups of a server: `backup_every`, `backup_dir`, `backup_keep`.

The newest file in the folder tells when the next one is due, so a restart changes nothing.
"""

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path

from townsquare.backup.folder import backup_files, backup_folder, newest_backup
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.settings import Settings, seconds_of
from townsquare.store.coordination.background import Lease
from townsquare.store.store import Store
from townsquare.web.metrics import Metrics
from townsquare.web.scheduled_process import in_background, renewed, run_module

log = get_logger("townsquare.backup")

LEASE = "backup"
LOOK_EVERY = 20.0  # seconds
RETRY_SECONDS = 600.0  # after a failure


def scheduled_backups(
    settings: Settings, store: Store, metrics: Metrics
) -> AbstractAsyncContextManager[None]:
    return in_background(repeat(settings, store, metrics), "backups")


async def repeat(settings: Settings, store: Store, metrics: Metrics) -> None:
    folder = backup_folder(settings)
    lease = Lease(store, LEASE)
    while True:
        pause = LOOK_EVERY
        try:
            metrics.last_backup = newest_backup(settings.env, folder)
            if is_due(settings, metrics.last_backup) and await lease.take():
                async with renewed(lease):
                    done = await make(settings, folder)
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


async def make(settings: Settings, folder: Path) -> bool:
    path = new_file(settings.env, folder)
    failure = await run_module("townsquare.backup", str(path), settings=settings)
    if failure is not None:
        log.error("scheduled backup failed", reason=failure)
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
    every = seconds_of(settings.backup_every)
    age = time.time() - last
    return age >= every or age < -every  # also if the clock was set back
