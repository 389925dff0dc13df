"""Commands and pipelines by key."""

from typing import Any

import pytest

from tests.toy.keys import Person, follows, person
from tests.toy.service import Toy
from townsquare.keyspace import DeclarationError
from townsquare.store.client_cache import Record, RecordRead, whole_value
from townsquare.store.commands import Command

NAMES = Record(person, "HMGET", "name", "display", decode=tuple)


async def test_a_record_reads_what_is_there_now(service: Toy) -> None:
    """Its key is not declared `cached`, and the store has no client cache."""
    reads: list[Command | RecordRead[Any]] = [NAMES("ann"), ("EXISTS", person("ann"))]
    assert await service.store.read(reads) == [(None, None), 0]
    await service.join("ann")
    assert await service.store.read(reads) == [(b"ann", b"Ann"), 1]
    assert await service.store.read_one(NAMES, "ann") == (b"ann", b"Ann")
    assert await service.store.read_all(NAMES, ["bob", "ann"]) == [(None, None), (b"ann", b"Ann")]
    assert await service.store.read_all(NAMES, []) == await service.store.read([]) == []


async def test_the_record_of_a_whole_value_is_made_once(service: Toy) -> None:
    await service.join("ann")
    assert whole_value(person) is whole_value(person)
    found = await service.store.read_one(whole_value(person), "ann")
    assert isinstance(found, Person)
    assert found == await service.store.get(person("ann"))
    with pytest.raises(DeclarationError, match="grows with use"):
        whole_value(follows)
