"""Import files, read in a child process: a malicious file can exhaust the limits of the child only."""

import asyncio
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from townsquare.comment_files import child
from townsquare.comment_files.child import PageComments, ReaderMessage, ReadFailure, ReadProgress, ReadSummary
from townsquare.comment_files.models import BadImportFile
from townsquare.kit.child_process import child_command, child_environment
from townsquare.kit.scratch_folders import scratch_folder

LONGEST_MESSAGE = 64 << 20  # bytes; 200 comments of 20,000 characters are 16 MiB

decode = msgspec.msgpack.Decoder(ReaderMessage).decode


class FileReader:
    """A file that a child process is reading."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def summary(self, on_progress: Callable[[int], None]) -> ReadSummary:
        """The summary, once the whole file is read; `on_progress` gets the number of comments read so far."""
        while isinstance(message := await self._message(), ReadProgress):
            on_progress(message.read)
        if not isinstance(message, ReadSummary):
            raise BadImportFile(child.TOO_MUCH_MEMORY)
        return message

    async def batches(self) -> AsyncIterator[PageComments]:
        while isinstance(message := await self._message(), PageComments):
            yield message

    async def _message(self) -> ReaderMessage:
        pipe = self._process.stdout
        assert pipe is not None
        try:
            size = int.from_bytes(await pipe.readexactly(4), "big")
            message: ReaderMessage = decode(await pipe.readexactly(min(size, LONGEST_MESSAGE)))
        except (asyncio.IncompleteReadError, msgspec.MsgspecError):
            late = await self._process.wait() == -signal.SIGXCPU
            raise BadImportFile("Reading it takes too long" if late else child.TOO_MUCH_MEMORY) from None
        if isinstance(message, ReadFailure):
            raise BadImportFile(message.detail)
        return message


@asynccontextmanager
async def reading(file: Path, format: str | None, largest: int, batch: int) -> AsyncIterator[FileReader]:
    """Read a file in a child process, which ends with the block."""
    with scratch_folder() as folder:
        process = await asyncio.create_subprocess_exec(
            *child_command(child.__name__, str(file), format or "", str(largest), str(batch)),
            stdin=PIPE,
            stdout=PIPE,
            env=child_environment(folder),
        )
        try:
            yield FileReader(process)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
