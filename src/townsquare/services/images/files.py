"""The files of images: decoded in a child process, stored in a folder for each image.

A file in the folder `new` marks an image that is not used yet or is being deleted, and names its owner. A
sweep reads only these files to find what a crash has left.
"""

import asyncio
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import msgspec

from townsquare.kit.child_process import child_command, child_environment
from townsquare.kit.scratch_folders import scratch_folder
from townsquare.services.images.keys import IMAGE_ID
from townsquare.services.images.models import Purpose, StoredFile
from townsquare.services.images.problems import BadImage, ImagesBusy, ImagesNotOffered
from townsquare.settings import Settings

CHILD = "townsquare.services.images.child"
AT_ONCE = 2  # children of one process: each takes a core, and up to 1 GiB
MOST_WAITING = 20
INSTALL = "Images require the package pillow: pip install 'townsquare[images]'"


class Decoded(msgspec.Struct):
    files: tuple[StoredFile, ...] = ()
    refused: str = ""


def image_folder(settings: Settings) -> Path:
    return Path(settings.image_dir or Path(settings.data_dir) / "images").absolute() / settings.env


class ImageFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._new = folder / "new"
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def store(self, id: str, owner: str, upload: Path, purpose: Purpose) -> tuple[StoredFile, ...]:
        """Decode an upload and store its sizes; the image counts as new until `used`."""
        if find_spec("PIL") is None:
            raise ImagesNotOffered(INSTALL)
        if self._waiting >= MOST_WAITING:
            raise ImagesBusy()
        self._waiting += 1
        try:
            async with self._slots:
                with scratch_folder() as scratch:
                    files = await decode(upload, purpose, scratch)
                    await asyncio.to_thread(self._keep, id, owner, scratch, files)
                    return files
        finally:
            self._waiting -= 1

    def _keep(self, id: str, owner: str, scratch: Path, files: tuple[StoredFile, ...]) -> None:
        self.mark(id, owner)
        folder = self._folder_of(id)
        folder.mkdir(mode=0o700, parents=True)
        for file in files:
            shutil.copyfile(scratch / file.name, folder / file.name)

    def mark(self, id: str, owner: str) -> None:
        """Note that the sweep must look at this image."""
        self._new.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._new / id).write_text(owner, encoding="ascii")

    def unmark(self, id: str) -> None:
        (self._new / id).unlink(missing_ok=True)

    def delete(self, id: str) -> None:
        shutil.rmtree(self._folder_of(id), ignore_errors=True)
        self.unmark(id)

    def exists(self, id: str) -> bool:
        return self._folder_of(id).is_dir()

    def read(self, id: str, name: str) -> bytes | None:
        with suppress(OSError):
            return (self._folder_of(id) / name).read_bytes()
        return None

    def marked(self, before: float) -> Iterator[tuple[str, str]]:
        """Ids and owners of the images marked before this time in seconds."""
        with suppress(OSError):
            for mark in self._new.iterdir():
                if IMAGE_ID.matches(mark.name) and mark.stat().st_mtime < before:
                    yield mark.name, mark.read_text(encoding="ascii")

    def _folder_of(self, id: str) -> Path:
        return self._folder / id[4:6] / id


async def decode(upload: Path, purpose: Purpose, folder: Path) -> tuple[StoredFile, ...]:
    """The sizes of an image as files in the folder. Raises `BadImage`."""
    process = await asyncio.create_subprocess_exec(
        *child_command(CHILD, str(upload), purpose, str(folder)),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        env=child_environment(folder),
    )
    try:
        output, _ = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    try:
        decoded = msgspec.json.decode(output, type=Decoded)
    except msgspec.MsgspecError:  # it was killed by a limit
        raise BadImage("It takes too much time or memory to decode") from None
    if decoded.refused or not decoded.files:
        raise BadImage(decoded.refused)
    return decoded.files
