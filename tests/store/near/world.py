"""Records that are kept near, several processes that read and write them, and what each may see."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from tests.support.squares import Place
from townsquare.keyspace import Keyspace, Registry, fixed
from townsquare.store.keys import system
from townsquare.store.near import NearCache, RecordRead
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

near = Keyspace("near", "Records of a test that are kept near.")


class Note(msgspec.Struct, frozen=True):
    text: str
    version: int = 0


@near.hash("note:{id}", record=Note, home="note:{id}", near=True)
def note(id: str) -> None:
    """A note."""


@near.string("word:{id}", home="word:{id}", lifetime=fixed(60), near=True)
def word(id: str) -> None:
    """A word that ends."""


REGISTRY = Registry([system, near])


@asynccontextmanager
async def process(place: Place, *, limit: int = 1 << 20) -> AsyncIterator[Store]:
    """A process of its own, as far as Redis can tell."""
    cache = NearCache(limit) if limit else None
    data, rest = await connect(place.data_url, tracker=cache), await connect(place.cache_url, tracker=cache)
    store = Store(REGISTRY, "test", data, rest, near=cache)
    try:
        yield store
    finally:
        await store.close()


def decoded(values: list[bytes | None]) -> Note | None:
    return Note(values[0].decode(), int(values[1] or 0)) if values[0] is not None else None


def read_note(id: str) -> RecordRead[Note]:
    return RecordRead(decoded, "HMGET", note(id), "text", "version")


async def write(store: Store, id: str, text: str, version: int = 0) -> None:
    await store.call("HSET", note(id), "text", text, "version", version)


async def text_of(store: Store, id: str) -> str | None:
    found = await store.read_record(read_note(id))
    return found.text if found else None
