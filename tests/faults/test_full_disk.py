"""The disk of the data folder is full: reads and health go on, writes are refused, and it recovers."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.faults.visits import TOKEN, VISIT, create_counter, total_of, visit
from tests.support.servers import Server, children, running_server
from tests.support.small_disk import SmallDisk, small_disk

pytestmark = pytest.mark.faults

REFUSED = (503, 507)
NUMBERS = itertools.count()
NEARLY_FULL = 1 << 20  # bytes: as far as an engine that syncs each write is let


@pytest.fixture(params=["everysec", "always"])
async def served(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[tuple[Server, SmallDisk]]:
    with small_disk(tmp_path / "data") as disk:
        async with running_server(disk.folder, program=disk.program, durability=request.param) as server:
            yield server, disk


async def test_a_full_disk_stops_writes_alone_and_room_lets_them_go_on(
    served: tuple[Server, SmallDisk],
) -> None:
    server, disk = served
    id = await create_counter(server)
    assert (await visit(server, id, 1)).status == 200
    processes = children(server.pid)
    disk.fill(leaving=NEARLY_FULL)
    await until_a_write_answers(server, *REFUSED)
    disk.fill()
    for number in range(20):
        assert (await visit(server, id, f"late {number}")).status in REFUSED
        assert (await server.ask("/healthz")).status == 200
        assert (await server.ask("/metrics")).status == 200
        assert await total_of(server, id) == 1
    assert children(server.pid) == processes

    assert await server.stop() == 0
    disk.fill()  # what a process that ends takes with it
    await server.start()
    assert await total_of(server, id) == 1
    assert (await visit(server, id, "late")).status in REFUSED
    disk.free()
    await until_a_write_answers(server, 200, 201)
    async with asyncio.timeout(30):  # files that the server writes now may fill the disk for a moment
        while (counted := await visit(server, id, 2)).status in REFUSED:
            continue
    assert counted.status == 200, counted.json
    assert counted.json["data"]["total"] == 2


async def until_a_write_answers(server: Server, *statuses: int) -> None:
    async with asyncio.timeout(30):
        while await create(server, next(NUMBERS)) not in statuses:
            continue


async def create(server: Server, number: int) -> int:
    """A write that nobody has made yet."""
    url = f"https://example.com/{number}"
    return (await server.ask(VISIT, action="create", url=url, token=TOKEN)).status
