"""Commands and pipelines by key."""

from tests.toy.keys import person
from tests.toy.service import Toy
from townsquare.keyspace import Layout
from townsquare.store.near import RecordRead


async def test_a_record_reads_what_is_there_now(service: Toy) -> None:
    read = RecordRead(tuple, "HMGET", person("ann"), "name", "display")
    assert await service.store.read([read, ("EXISTS", person("ann"))]) == [(None, None), 0]
    await service.join("ann")
    assert await service.store.read([read, ("EXISTS", person("ann"))]) == [(b"ann", b"Ann"), 1]
    assert await service.store.read_record(read) == (b"ann", b"Ann")


def test_a_record_is_packed_for_the_layout_it_meets() -> None:
    read = RecordRead(dict, "HGETALL", person("ann"))
    plain, clustered = Layout("test"), Layout("test", clustered=True)
    for layout in (plain, clustered, plain):
        read.render(layout)
        assert read.slot == layout.slot(person("ann"))
        assert isinstance(read.packed, bytes)
        assert layout.name(person("ann")).encode() in read.packed
