"""A snapshot of a store: its RDB file, requested as a replica would, in a throwaway engine.

Reading the snapshot takes nothing from the store but one fork.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import hiredis

from townsquare.keyspace import Role
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.engine import EngineError, Engines
from townsquare.store.engine.folder import DataFolder
from townsquare.store.wire.address import Address
from townsquare.store.wire.connection import NodeConnection, fixed

FILE = "snapshot.rdb"
SILENCE = 60.0  # seconds; a node sends a line every second while it saves
BLOCK = 1024 * 1024
READ_TIMEOUT = 60.0


class NoSnapshot(Exception):
    """The node gives no snapshot, or the embedded engine cannot read it."""


async def save_snapshot(address: Address, path: Path) -> None:
    """Request the RDB file of a node (SYNC), as `redis-cli --rdb` does."""
    try:
        async with asyncio.timeout(SILENCE):
            if address.path:
                reader, writer = await asyncio.open_unix_connection(address.path, limit=BLOCK)
            else:
                tls = address.tls.context() if address.tls else None
                reader, writer = await asyncio.open_connection(
                    address.host, address.port, ssl=tls, limit=BLOCK
                )
    except OSError as error:
        raise NoSnapshot(str(error)) from None
    try:
        if address.password:
            login = ("AUTH", address.username or "default", address.password)
            writer.write(hiredis.pack_command(login))  # type: ignore[arg-type]
            await expect(reader, b"+OK")
        writer.write(hiredis.pack_command(("REPLCONF", "rdb-only", "1")))  # type: ignore[arg-type]
        await line_of(reader)  # refused before Redis 7, where it saves memory of the node only
        writer.write(hiredis.pack_command(("SYNC",)))
        left = int((await expect(reader, b"$"))[1:])
        with path.open("wb") as file:
            while left:
                async with asyncio.timeout(SILENCE):
                    block = await reader.read(min(left, BLOCK))
                if not block:
                    raise NoSnapshot("the node closed the connection")
                file.write(block)
                left -= len(block)
    except (OSError, ValueError, EOFError) as error:
        raise NoSnapshot(str(error) or type(error).__name__) from None
    finally:
        writer.close()


async def line_of(reader: asyncio.StreamReader) -> bytes:
    while True:
        async with asyncio.timeout(SILENCE):
            line = await reader.readuntil(b"\n")
        if line != b"\n":  # sent to show that it is still saving
            return line.strip()


async def expect(reader: asyncio.StreamReader, start: bytes) -> bytes:
    line = await line_of(reader)
    if not line.startswith(start):
        raise NoSnapshot(line.decode(errors="replace"))
    return line


@asynccontextmanager
async def opened_snapshots(
    nodes: list[NodeConnection], parent: Path
) -> AsyncIterator[AsyncIterator[NodeConnection]]:
    """The data of each node at one moment, opened one after the other. Raises `NoSnapshot`."""
    with tempfile.TemporaryDirectory(dir=parent, prefix=".snapshot-") as folder:
        places = [DataFolder(Path(folder) / str(number)) for number in range(len(nodes))]
        addresses = [node.address or Address() for node in nodes]
        for place in places:
            place.prepare()
        await asyncio.gather(
            *(
                save_snapshot(address, place.home(Role.DATA) / FILE)
                for address, place in zip(addresses, places, strict=True)
            )
        )

        async def opened() -> AsyncIterator[NodeConnection]:
            for address, place in zip(addresses, places, strict=True):
                async with loaded(place.path, address.db) as connection:
                    yield connection

        yield opened()


@asynccontextmanager
async def loaded(folder: Path, db: int) -> AsyncIterator[NodeConnection]:
    engines = Engines(folder, roles=(Role.DATA,), snapshot=FILE)
    try:
        async with engines.visit():
            place = Address(path=str(DataFolder(folder).socket(Role.DATA)), db=db)
            connection = NodeConnection(fixed(place), timeout=READ_TIMEOUT)
            try:
                await connection.ready()
                yield connection
            finally:
                await connection.close()
    except (EngineError, Unavailable, OutcomeUnknown) as error:
        raise NoSnapshot(str(error)) from None
