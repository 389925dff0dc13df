"""Scheduled work of a server in a process of its own; of several workers or servers, one runs it."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import msgspec

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.settings import Settings
from townsquare.store.coordination.background import Lease


@contextlib.asynccontextmanager
async def in_background(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    task = asyncio.create_task(work, name=f"townsquare-{name}")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def renewed(lease: Lease) -> AsyncIterator[None]:
    """Renew a lease that was taken, then give it back."""
    renewing = asyncio.create_task(lease.keep())
    try:
        yield
    finally:
        renewing.cancel()
        with contextlib.suppress(Unavailable, OutcomeUnknown):
            await lease.give_back()


async def run_module(module: str, *arguments: str, settings: Settings) -> str | None:
    """Run `python -m module` with the settings on stdin. Returns None, or the error that it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
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
    return said.decode(errors="replace")[-1_000:].strip() if process.returncode else None
