"""Commands and pipelines by key."""

from tests.toy.keys import person
from tests.toy.service import Toy
from townsquare.keyspace import Layout
from townsquare.store.store import render, repeated


async def test_a_repeated_command_reads_what_is_there_now(service: Toy) -> None:
    read = repeated("HMGET", person("ann"), "name", "display")
    assert await service.store.pipeline([read, ("EXISTS", person("ann"))]) == [[None, None], 0]
    await service.join("ann")
    names = [[b"ann", b"Ann"], 1]
    assert await service.store.pipeline([read, ("EXISTS", person("ann"))]) == names
    assert await service.store.call(*read) == names[0]


def test_a_repeated_command_is_packed_for_the_layout_it_meets() -> None:
    read = repeated("HGETALL", person("ann"))
    plain, clustered = Layout("test"), Layout("test", clustered=True)
    assert render(plain, read) is render(plain, read), "packed once"
    for layout in (plain, clustered, plain):
        slot, packed = render(layout, read)
        assert slot == layout.slot(person("ann"))
        assert isinstance(packed, bytes)
        assert layout.name(person("ann")).encode() in packed
