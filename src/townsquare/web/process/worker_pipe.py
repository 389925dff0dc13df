"""The pipe between a worker and its parent: a socket pair that carries lines of JSON.

The parent sends the settings first, to check or to serve, and the text of the metrics on request. The worker
reports the result of the check, when it accepts requests, and the increments of its metrics. The end of the
pipe means that the other side has ended.
"""

import asyncio
import socket
import sys
from collections import deque
from collections.abc import Callable

import msgspec

from townsquare.problems import Unavailable
from townsquare.settings import Settings
from townsquare.web.metric_totals import Increments, Minute

CANNOT_START = 3  # exit code: the worker has logged why, and another try would end in the same way
LONGEST_LINE = 64 * 1024 * 1024  # bytes; the metrics of a large server have several 100 kB
MOST_UNREAD = 4 * 1024 * 1024  # bytes of increments that wait for a parent that hangs
TEXT_SECONDS = 2.0  # for the parent to respond


class Check(msgspec.Struct, tag="check"):
    """Check these settings, before the store is ready, and wait for `Serve`."""

    settings: Settings


class Serve(msgspec.Struct, tag="serve"):
    """Serve with these settings."""

    settings: Settings


class Checked(msgspec.Struct, tag="checked"):
    """The services accept the settings, and the store is safe to use."""

    warnings: list[dict[str, str]] = []  # about the store


class StartRefused(msgspec.Struct, tag="refused"):
    """The server must not start."""

    reason: str
    wrong_settings: bool = False


class Ready(msgspec.Struct, tag="ready"):
    """The worker accepts requests."""

    admin_link: str = ""  # the path and the token for the first admin, from the first worker


class Upgrading(msgspec.Struct, tag="upgrading"):
    """The worker upgrades the data, or waits for the worker that does: this can take long."""


class AskMetrics(msgspec.Struct, tag="ask_metrics"):
    """The worker requests the metrics of all workers: their text, or the last minutes as JSON."""

    history: bool = False


FromWorker = Checked | StartRefused | Upgrading | Ready | Increments | AskMetrics
FromParent = Check | Serve

_encode = msgspec.json.Encoder().encode
read_message = msgspec.json.Decoder(FromWorker).decode
_read_settings: Callable[[bytes], FromParent] = msgspec.json.Decoder(FromParent).decode
_read_minutes = msgspec.json.Decoder(list[Minute]).decode
_read_text = msgspec.json.Decoder(str).decode


def line_of(message: FromWorker | FromParent | str) -> bytes:
    return _encode(message) + b"\n"


class WorkerPipe:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._requests: deque[asyncio.Future[str]] = deque()

    async def settings(self) -> FromParent:
        """Wait for the settings of the parent, or exit with it."""
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            sys.exit(CANNOT_START)
        return _read_settings(line)

    def send(self, message: FromWorker) -> None:
        self._writer.write(line_of(message))

    def add(self, increments: Increments) -> None:
        pipe = self._writer.transport
        if not pipe.is_closing() and pipe.get_write_buffer_size() < MOST_UNREAD:
            self._writer.write(line_of(increments))

    async def history(self) -> list[Minute]:
        return _read_minutes(await self._ask(AskMetrics(history=True)))

    async def text(self) -> bytes:
        return (await self._ask(AskMetrics())).encode()

    async def _ask(self, what: AskMetrics) -> str:
        response: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._requests.append(response)
        self._writer.write(line_of(what))
        try:
            async with asyncio.timeout(TEXT_SECONDS):
                return await response
        except TimeoutError:
            raise Unavailable("The parent process does not send the metrics") from None

    async def listen(self) -> None:
        """Receive the parent's responses, in the order of the requests; returns when the parent has ended."""
        try:
            while line := await self._reader.readline():
                response = self._requests.popleft()
                if not response.done():
                    response.set_result(_read_text(line))
        except OSError:
            return

    async def close(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            return


async def open_worker_pipe(pipe: socket.socket) -> WorkerPipe:
    pipe.setblocking(False)
    return WorkerPipe(*await asyncio.open_connection(sock=pipe, limit=LONGEST_LINE))
