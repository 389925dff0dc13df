"""Cached records, several processes that read and write them, and the ways in which a request reads."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec

from tests.support.engines import Node
from tests.support.squares import Place
from townsquare.keyspace import Keyspace, Registry, fixed
from townsquare.store.client_cache import Barrier, ClientCache, Composite, Record
from townsquare.store.keys import system
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

notes = Keyspace("notes", "Cached records of a test.")
SHELF = "shelf"


class Note(msgspec.Struct, frozen=True):
    text: str
    version: int = 0


@notes.hash("note:{id}", record=Note, home="note:{id}", cached=True)
def note(id: str) -> None:
    """A note."""


@notes.string("word:{id}", home="word:{id}", lifetime=fixed(60), cached=True)
def word(id: str) -> None:
    """A word that expires."""


@notes.sorted_set("shelf:{name}", home="shelf:{name}")
def shelf(name: str) -> None:
    """Ids of notes in an order."""


REGISTRY = Registry([system, notes])
lua = LuaFolder(notes, Path(__file__).parent / "lua")


@lua.script
class ReadShelf(Script[list[str]]):
    name: str


def note_of(values: Sequence[bytes | None]) -> Note | None:
    return Note(values[0].decode(), int(values[1] or 0)) if values[0] is not None else None


NOTE = Record(note, "HMGET", "text", "version", decode=note_of)
VERSIONS = Composite[tuple[int, ...]](memory=lambda versions: 8 * len(versions))
FIELDS = Record(note, "HLEN", decode=int)  # cached as 0 where there is no note


@asynccontextmanager
async def process(place: Place, *, limit: int = 1 << 20) -> AsyncIterator[Store]:
    """A process of its own, as far as Redis can tell."""
    cache = ClientCache(limit) if limit else None
    data, rest = await connect(place.data_url, tracker=cache), await connect(place.cache_url, tracker=cache)
    store = Store(REGISTRY, "test", data, rest, client_cache=cache)
    try:
        yield store
    finally:
        await store.close()


@contextmanager
def request(store: Store, *, eager: bool = False) -> Iterator[Barrier]:
    """A request of this task."""
    barrier = store.begin_barrier(eager=eager)
    assert barrier is not None
    try:
        yield barrier
    finally:
        barrier.end()


def cache_of(store: Store) -> ClientCache:
    assert store.client_cache is not None
    return store.client_cache


async def write(store: Store, id: str, text: str, version: int = 0) -> None:
    await store.call("HSET", note(id), "text", text, "version", version)


async def fill_shelf(store: Store, count: int) -> None:
    """Notes on a shelf, each with its number as id and text."""
    for number in range(count):
        await write(store, str(number), str(number))
        await store.call("ZADD", shelf(SHELF), number, str(number))


async def text_of(store: Store, id: str) -> str | None:
    found = await store.read_one(NOTE, id)
    return found.text if found else None


async def read_outside_a_request(store: Store, numbers: Sequence[int]) -> list[int]:
    return versions(await store.read_all(NOTE, list(map(str, numbers))))


async def read_one_by_one(store: Store, numbers: Sequence[int]) -> list[int]:
    """A request as the web layer runs it: it runs again if a record that it used has changed."""
    with request(store) as barrier:
        found = versions([await store.read_one(NOTE, str(number)) for number in numbers])
        if await barrier.validate():
            return found
    return await read_outside_a_request(store, numbers)


async def read_page(store: Store, numbers: Sequence[int]) -> list[int]:
    """A request that uses a record before its skeleton, and the others after it."""
    with request(store) as barrier:
        (first,) = versions([await store.read_one(NOTE, str(numbers[0]))])
        await store.run(ReadShelf(name=SHELF))
        found = versions(await store.read_all(NOTE, [str(number) for number in numbers[1:]]))
        if await barrier.validate():
            return [first, *found]
    return await read_outside_a_request(store, numbers)


async def read_joined(store: Store, numbers: Sequence[int]) -> list[int]:
    """A request that uses a composite of its records after its skeleton."""
    ids = [str(number) for number in numbers]
    with request(store) as barrier:
        await store.run(ReadShelf(name=SHELF))
        found = await store.composite(VERSIONS, tuple(ids))
        if found is None:
            records = await store.read_all(NOTE, ids)
            found = tuple(versions(records))
            made_of = [((NOTE, id), record) for id, record in zip(ids, records, strict=True)]
            store.add_composite(VERSIONS, tuple(ids), found, made_of)
        if await barrier.validate():
            return [*found]
    return await read_outside_a_request(store, numbers)


READS = (read_outside_a_request, read_one_by_one, read_page, read_joined)


def versions(found: Sequence[Note | None]) -> list[int]:
    return [one.version if one else 0 for one in found]


def commands(nodes: Iterable[Node]) -> Counter[str]:
    """How often each command was called since `forget_commands`, in lower case."""
    calls: Counter[str] = Counter()
    for node in nodes:
        for name, figures in node.ask("INFO", "commandstats").items():
            calls[name.removeprefix("cmdstat_")] += figures["calls"]
    return calls


def forget_commands(nodes: Iterable[Node]) -> None:
    for node in nodes:
        node.ask("CONFIG", "RESETSTAT")
