"""The pipe between a worker and its parent: a socket pair that carries lines of JSON.

The parent sends the settings first, and the text of the metrics whenever it is asked for it. The worker says
when it accepts requests and what it has counted. The end of the pipe means that the other is gone.
"""

import asyncio
import socket
import sys
from collections import deque

import msgspec

from townsquare.problems import Unavailable
from townsquare.settings import Settings
from townsquare.web.metrics import Increments

CANNOT_START = 3  # exit code: the worker has logged why, and another try would end in the same way
LONGEST_LINE = 64 * 1024 * 1024  # bytes; the metrics of a large server have some hundred thousand
MOST_UNREAD = 4 * 1024 * 1024  # bytes of increments that a parent which hangs has not read
TEXT_WITHIN = 2.0  # seconds for the parent to answer


class Ready(msgspec.Struct, tag="ready"):
    """The worker accepts requests."""


class AskMetrics(msgspec.Struct, tag="ask_metrics"):
    """The worker wants the text of the metrics of all."""


FromWorker = Ready | Increments | AskMetrics

_encode = msgspec.json.Encoder().encode
read_message = msgspec.json.Decoder(FromWorker).decode
_read_text = msgspec.json.Decoder(str).decode


def line_of(message: FromWorker | Settings | str) -> bytes:
    return _encode(message) + b"\n"


def received_settings(pipe: socket.socket) -> Settings:
    """The first line; waits for it."""
    received = b""
    while not received.endswith(b"\n"):
        part = pipe.recv(65_536)
        if not part:
            sys.exit(CANNOT_START)
        received += part
    return msgspec.json.decode(received, type=Settings)


class WorkerPipe:
    """The worker's end; the totals of its metrics are behind it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._asking: deque[asyncio.Future[str]] = deque()

    def ready(self) -> None:
        self._writer.write(line_of(Ready()))

    def add(self, increments: Increments) -> None:
        pipe = self._writer.transport
        if not pipe.is_closing() and pipe.get_write_buffer_size() < MOST_UNREAD:
            self._writer.write(line_of(increments))

    async def text(self) -> bytes:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._asking.append(answer)
        self._writer.write(line_of(AskMetrics()))
        try:
            async with asyncio.timeout(TEXT_WITHIN):
                return (await answer).encode()
        except TimeoutError:
            raise Unavailable("The server does not answer for its metrics") from None

    async def listen(self) -> None:
        """Take the parent's answers, in the order of the questions; returns when it is gone."""
        try:
            while line := await self._reader.readline():
                answer = self._asking.popleft()
                if not answer.done():
                    answer.set_result(_read_text(line))
        except OSError:
            return

    async def close(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            return


async def worker_cord(pipe: socket.socket) -> WorkerPipe:
    pipe.setblocking(False)
    return WorkerPipe(*await asyncio.open_connection(sock=pipe, limit=LONGEST_LINE))
