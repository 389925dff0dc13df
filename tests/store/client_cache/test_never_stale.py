"""Writers and readers at once: a read that begins after a write was acknowledged shows it, or a later one."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import pytest

from tests.store.client_cache.world import (
    FIELDS,
    READS,
    SHELF,
    ReadShelf,
    cache_of,
    fill_shelf,
    note,
    process,
    request,
    write,
)
from tests.support.engines import Cluster
from tests.support.squares import Place
from townsquare.keyspace import Registry
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.store import Store

NOTES = 12
GROUPS = [tuple(range(first, first + 4)) for first in range(NOTES - 3)]  # that are read together
SECONDS = 1.5
SMALL = 40_000  # bytes: not enough for all notes, so that some are evicted all the time


@pytest.fixture
def known_keys() -> Registry | None:
    return None


Read = Callable[[Sequence[int]], Awaitable[list[int]]]


class Truth:
    """The highest version of each note that was acknowledged; each has one writer."""

    def __init__(self) -> None:
        self.written = [0] * NOTES
        self.reads = 0

    async def keep_writing(self, store: Store, numbers: Sequence[int], until: float) -> None:
        version = 0
        while asyncio.get_running_loop().time() < until:
            version += 1
            number = random.choice(numbers)
            try:
                await write(store, str(number), "text", version)
                self.written[number] = version
            except (Unavailable, OutcomeUnknown):
                await asyncio.sleep(0.005)

    async def keep_reading(self, read: Read, until: float) -> None:
        while asyncio.get_running_loop().time() < until:
            numbers = random.choice(GROUPS)
            before = [self.written[number] for number in numbers]
            try:
                shown = await read(numbers)
            except (Unavailable, OutcomeUnknown):
                await asyncio.sleep(0.005)
                continue
            assert all(seen >= known for seen, known in zip(shown, before, strict=True)), (before, shown)
            self.reads += 1


async def cut_connections(stores: Sequence[Store], until: float) -> None:
    while asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.2)
        for connection in random.choice(stores).role_stores[note.role].nodes.sessions():
            connection.drop("cut by the test")


async def move_slots(cluster: Cluster, store: Store, until: float) -> None:
    layout = store.role_stores[note.role].layout
    while asyncio.get_running_loop().time() < until:
        slot = layout.slot(note(str(random.randrange(NOTES))))
        assert slot is not None
        source = await asyncio.to_thread(cluster.node_of, slot)
        target = random.choice([node for node in cluster.nodes if node is not source])
        await asyncio.to_thread(cluster.migrate, slot, source, target)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1 << 20, SMALL])
async def test_no_read_shows_the_state_before_an_acknowledged_write(
    place: Place, limit: int, request: pytest.FixtureRequest
) -> None:
    truth = Truth()
    async with process(place, limit=limit) as one, process(place, limit=limit) as two:
        await fill_shelf(one, NOTES)
        until = asyncio.get_running_loop().time() + SECONDS
        trouble = [cut_connections([one, two], until)]
        if place.name == "cluster":
            trouble.append(move_slots(request.getfixturevalue("cluster"), one, until))
        readers = [
            truth.keep_reading(partial(read, store), until)
            for store in (one, two)
            for read in (*READS, *READS)  # two of a kind, so that some join the fetches of others
        ]
        await asyncio.gather(
            truth.keep_writing(one, range(0, NOTES, 2), until),
            truth.keep_writing(two, range(1, NOTES, 2), until),
            *readers,
            *trouble,
        )
        assert truth.reads > 50
        assert cache_of(one).hits > 0
        assert cache_of(one).size <= limit


@pytest.mark.parametrize("way", ["outside", "request", "page"])
async def test_a_key_cached_as_absent_is_followed_to_where_its_slot_has_moved(
    cluster_place: Place, cluster: Cluster, way: str
) -> None:
    """The node that had the slot removes nothing, so it sends no invalidation."""
    async with process(cluster_place) as one, process(cluster_place) as two:
        await fill_shelf(two, 3)
        await two.call("DEL", note("0"))

        async def read() -> int | None:
            if way != "outside":
                with request(one) as barrier:
                    if way == "page":
                        await one.run(ReadShelf(name=SHELF))
                    found, is_valid = await one.read_one(FIELDS, "0"), await barrier.validate()
                if is_valid:
                    return found
            return await one.read_one(FIELDS, "0")

        assert [await read() for _ in range(3)] == [0] * 3
        assert (FIELDS, "0") in cache_of(one).entries
        slot = one.role_stores[note.role].layout.slot(note("0"))
        assert slot is not None
        source = await asyncio.to_thread(cluster.node_of, slot)
        target = next(node for node in cluster.nodes if node is not source)
        await asyncio.to_thread(cluster.begin_migration, slot, source, target)
        await two.call("HINCRBY", note("0"), "version", 1)
        assert await read() == 1
        await two.call("DEL", note("0"))
        assert [await read() for _ in range(3)] == [0] * 3
        await asyncio.to_thread(cluster.end_migration, slot, source, target)
        await two.call("HINCRBY", note("0"), "version", 1)
        assert await read() == 1
