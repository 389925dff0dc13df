"""Temporary folders that are deleted even if the process that made them was killed."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

NEW, PREFIX = "townsquare-new-", "townsquare-scratch-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder, deleted with the block.

    Its process locks it. The lock ends with the process, so that another process can tell an abandoned
    folder. The folder gets its final name once it is locked.
    """
    delete_abandoned_folders()
    new = Path(mkdtemp(prefix=NEW))
    lock = os.open(new, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = new.rename(new.with_name(PREFIX + new.name.removeprefix(NEW)))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def delete_abandoned_folders() -> None:
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # in use, of another user, or deleted by another process
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(lock)
