"""Writers and readers at once: a read that begins after a write was acknowledged shows it, or a later one."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from tests.store.near.world import Note, note, process, read_note, write
from tests.support.engines import Cluster
from tests.support.squares import Place
from townsquare.keyspace import Registry
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.near import RecordRead
from townsquare.store.store import Store

NOTES = 12
SECONDS = 1.5
SMALL = 40_000  # bytes: fewer notes than there are, so that some make room for others all the time


@pytest.fixture
def known_keys() -> Registry | None:
    return None


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

    async def keep_reading(self, store: Store, until: float, *, as_request: bool) -> None:
        while asyncio.get_running_loop().time() < until:
            numbers = random.sample(range(NOTES), 4)
            before = [self.written[number] for number in numbers]
            reads = [read_note(str(number)) for number in numbers]
            try:
                found = await requested(store, reads) if as_request else await store.read(reads)
            except (Unavailable, OutcomeUnknown):
                await asyncio.sleep(0.005)
                continue
            shown = [one.version if one else 0 for one in found]
            assert all(seen >= known for seen, known in zip(shown, before, strict=True)), (before, shown)
            self.reads += 1


async def requested(store: Store, reads: Sequence[RecordRead[Note]]) -> list[Note | None]:
    """As the web layer does it: used as it comes, checked at the end, else asked anew."""
    reading = store.reading()
    assert reading is not None
    try:
        found = [one for read in reads for one in await store.read([read])]
        confirmed = await reading.confirm()
    finally:
        reading.end()
    return found if confirmed else await store.read(reads)


async def cut_connections(stores: Sequence[Store], until: float) -> None:
    while asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.2)
        for link in random.choice(stores).role_stores[note.role].nodes.links():
            link.drop("cut by the test")


async def move_slots(cluster: Cluster, store: Store, until: float) -> None:
    layout = store.role_stores[note.role].layout
    while asyncio.get_running_loop().time() < until:
        slot = layout.slot(note(str(random.randrange(NOTES))))
        assert slot is not None
        source = await asyncio.to_thread(cluster.node_of, slot)
        target = random.choice([node for node in cluster.nodes if node is not source])
        await asyncio.to_thread(cluster.migrate, slot, source, target)


@pytest.mark.parametrize("limit", [1 << 20, SMALL])
async def test_nobody_reads_what_was_before_an_acknowledged_write(
    place: Place, limit: int, request: pytest.FixtureRequest
) -> None:
    truth = Truth()
    until = asyncio.get_running_loop().time() + SECONDS
    async with process(place, limit=limit) as one, process(place, limit=limit) as two:
        trouble = [cut_connections([one, two], until)]
        if place.name == "cluster":
            trouble.append(move_slots(request.getfixturevalue("cluster"), one, until))
        readers = [
            truth.keep_reading(store, until, as_request=flag)
            for store in (one, two)
            for flag in (False, True)
        ]
        await asyncio.gather(
            truth.keep_writing(one, range(0, NOTES, 2), until),
            truth.keep_writing(two, range(1, NOTES, 2), until),
            *readers,
            *trouble,
        )
        assert truth.reads > 50
        assert one.near is not None
        assert one.near.hits > 0
        assert one.near.size <= limit
