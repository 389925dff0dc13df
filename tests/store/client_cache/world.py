"""Records that are kept near, several processes that read and write them, and what each may see."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from tests.support.squares import Place
from townsquare.keyspace import Keyspace, Registry, fixed
from townsquare.store.keys import system
from townsquare.store.near import NearCache, RecordRead
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect
from townsquare.web.kept_answers import KeptAnswer, KeptAnswers

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


async def asked(store: Store, numbers: Sequence[int]) -> list[int]:
    return versions(await store.read([read_note(str(number)) for number in numbers]))


async def requested(store: Store, numbers: Sequence[int]) -> list[int]:
    """As the web layer does it: used as it comes, checked at the end, else asked anew."""
    reads = [read_note(str(number)) for number in numbers]
    reading = store.reading()
    assert reading is not None
    try:
        found = [one for read in reads for one in await store.read([read])]
        confirmed = await reading.confirm()
    finally:
        reading.end()
    return versions(found) if confirmed else await asked(store, numbers)


def versions(notes: Sequence[Note | None]) -> list[int]:
    return [one.version if one else 0 for one in notes]


class KeptReads:
    """Reads of several notes as one answer, kept as the web layer keeps those of requests."""

    def __init__(self, store: Store) -> None:
        assert store.near is not None
        self._store = store
        self._answers = KeptAnswers(store)

    async def versions(self, numbers: Sequence[int]) -> list[int]:
        asked = tuple(numbers)
        found = self._answers.find(asked)
        if found is not None:
            news = asyncio.get_running_loop().create_future()
            self._answers.after_news(found, partial(news.set_result, None))
            await news
            if self._answers.holds(found):
                return msgspec.json.decode(found.kept.body, type=list[int])
        reading = self._store.reading()
        assert reading is not None
        reading.record()
        try:
            replies = [await self._store.call("HGET", note(str(number)), "version") for number in numbers]
            versions = [int(one or 0) for one in replies]
            body = msgspec.json.encode(versions)
            answer = partial(KeptAnswer, lines=b"", body=body, route="", user="", gate=None)
            self._answers.keep(asked, reading, answer)
        finally:
            reading.end()
        return versions


async def text_of(store: Store, id: str) -> str | None:
    found = await store.read_record(read_note(id))
    return found.text if found else None
