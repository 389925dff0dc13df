"""Many texts at once: the local model runs in processes of its own, so that no request waits for it."""

import asyncio
import os
import sys
from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

import msgspec

from townsquare.services.search.parts import Embedder, Vector
from townsquare.services.search.service import local_encoder
from townsquare.services.search.service.embeddings import EmbeddingsUnavailable, LocalEmbedder

MOST_PROCESSES = 4
LONGEST_LINE = 1 << 24  # bytes of vectors that may wait to be read


class BulkEncoder(Protocol):
    async def embed(self, texts: Sequence[str]) -> list[Vector]: ...


class EncoderProcess:
    def __init__(self, process: asyncio.subprocess.Process, dimensions: int) -> None:
        self._process, self._dimensions = process, dimensions

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        writer, reader = self._process.stdin, self._process.stdout
        if writer is None or reader is None:
            raise EmbeddingsUnavailable("The local model has no pipes")
        size = self._dimensions * 4
        try:
            writer.write(msgspec.json.encode(list(texts)) + b"\n")
            await writer.drain()
            found = await reader.readexactly(size * len(texts))
        except (OSError, asyncio.IncompleteReadError):
            raise EmbeddingsUnavailable("The local model ended early") from None
        return [array("f", found[begin : begin + size]) for begin in range(0, len(found), size)]

    async def close(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


async def start_process(dimensions: int) -> EncoderProcess:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        local_encoder.__file__,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        limit=LONGEST_LINE,
    )
    return EncoderProcess(process, dimensions)


@asynccontextmanager
async def encoders(embedder: Embedder, batches: int) -> AsyncIterator[list[BulkEncoder]]:
    """As many as may work at the same time on so many batches; the processes end with the block."""
    if not isinstance(embedder, LocalEmbedder):
        yield [embedder]
        return
    count = max(1, min(batches, os.cpu_count() or 1, MOST_PROCESSES))
    async with AsyncExitStack() as stack:
        started: list[BulkEncoder] = []
        for _ in range(count):
            process = await start_process(embedder.dimensions)
            stack.push_async_callback(process.close)
            started.append(process)
        yield started
