"""Indexes fill themselves in the background, once for all processes, and afterwards only with what is new."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from tests.support.films import FILMS, film, texts
from tests.support.qdrant import qdrant_stand_in
from tests.support.waiting import until
from townsquare.services.search.models.films import Film
from townsquare.services.search.parts import Vector
from townsquare.services.search.service import indexing as indexing_module
from townsquare.services.search.service.embeddings import EmbeddingsUnavailable, unit
from townsquare.services.search.service.indexes import SearchIndexes
from townsquare.services.search.service.indexing import Indexing, IndexState
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.local_embedder import LocalEmbedder
from townsquare.services.search.service.vectors.memory import MemoryVectorIndex
from townsquare.services.search.service.vectors.server import ServerVectorIndex
from townsquare.settings import Settings

WITH_TEXTS = [film for film in FILMS if film.texts]
TEXTS = 8 * len(WITH_TEXTS)


class FakeEmbedder:
    """Vectors out of a hash, at once; fails as often as it is told to."""

    model, dimensions = "fake", 8

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.failures = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise EmbeddingsUnavailable("away")
        self.texts += texts
        return [unit([byte - 127.5 for byte in sha256(text.encode()).digest()[:8]]) for text in texts]


def is_ready(state: IndexState) -> bool:
    return state.ready


def write(folder: Path, films: Sequence[Film]) -> Path:
    file = folder / "films.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(film) + b"\n" for film in films))
    return file


@asynccontextmanager
async def running(folder: Path, embedder: FakeEmbedder, qdrant_url: str = "") -> AsyncIterator[Indexing]:
    lexical = await SqlLexicalIndex.open(folder)

    async def open_vectors(dimensions: int) -> MemoryVectorIndex | ServerVectorIndex:
        if qdrant_url:
            return await ServerVectorIndex.open(qdrant_url, "", "films", dimensions)
        return MemoryVectorIndex(dimensions)

    indexing = Indexing(folder, lexical, embedder, open_vectors, catalogue_file=folder / "films.jsonl")
    task = asyncio.create_task(indexing.run())
    try:
        async with asyncio.timeout(60):
            yield indexing
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await indexing.close()
        await lexical.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WATCH_SECONDS", "WAIT_SECONDS", "RETRY_SECONDS"):
        monkeypatch.setattr(indexing_module, name, 0.01)


async def test_names_are_found_before_texts_are_read(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with running(tmp_path, embedder) as indexing:
        state = await indexing.wait(lambda state: state.names_ready and state.texts_total > 0)
        assert (state.films, state.texts_done, state.texts_total, state.ready) == (
            len(FILMS),
            0,
            TEXTS,
            False,
        )
        assert (await indexing._lexical.entities("spirited away"))[0].film_ids == (4,)
        embedder.gate.set()
        state = await indexing.wait(is_ready)
        assert (state.texts_done, state.texts_total) == (TEXTS, TEXTS)
        assert indexing.vectors
        assert set(await indexing.vectors.known()) == {film.id for film in WITH_TEXTS}


async def test_a_second_start_embeds_nothing(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    async with running(tmp_path, FakeEmbedder()) as indexing:
        await indexing.wait(is_ready)
    embedder = FakeEmbedder()
    async with running(tmp_path, embedder) as indexing:
        await indexing.compared()
        state = indexing.state
        assert (state.films, state.texts_done, state.texts_total, state.ready) == (
            len(FILMS),
            TEXTS,
            TEXTS,
            True,
        )
        assert indexing.vectors
        assert len(await indexing.vectors.known()) == len(WITH_TEXTS)
    assert embedder.texts == []


async def test_a_new_catalogue_embeds_only_what_is_new(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    async with running(tmp_path, FakeEmbedder()) as indexing:
        await indexing.wait(is_ready)
    changed = msgspec.structs.replace(
        WITH_TEXTS[0], runtime=100, texts={**WITH_TEXTS[0].texts, "reception": "Now loved by all who see it"}
    )
    write(tmp_path, [changed, *FILMS[2:]])  # the first is another, the second is gone
    embedder = FakeEmbedder()
    async with running(tmp_path, embedder) as indexing:
        await indexing.wait(is_ready)
        assert indexing.vectors
        assert set(await indexing.vectors.known()) == {film.id for film in WITH_TEXTS} - {2}
        assert await indexing._lexical.films([1, 2]) == [changed]
    assert len(embedder.texts) == 2  # that text and the anchor
    assert "Now loved by all who see it" in embedder.texts


async def test_what_another_process_adds_is_found_without_a_restart(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    async with running(tmp_path, FakeEmbedder()) as indexing:
        await indexing.wait(is_ready)
        other = await SqlLexicalIndex.open(tmp_path)
        await other.add(
            [film(1_000_001, "Imported", 1999, texts=texts("A stowaway on a whaling ship"))], "csv"
        )
        await other.close()
        assert indexing.vectors
        known = indexing.vectors._known  # type: ignore[attr-defined]
        await until(lambda: 1_000_001 in known)


async def test_several_processes_make_each_vector_once(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    embedders = [FakeEmbedder() for _ in range(3)]
    async with (
        running(tmp_path, embedders[0]) as one,
        running(tmp_path, embedders[1]) as two,
        running(tmp_path, embedders[2]) as three,
    ):
        for indexing in (one, two, three):
            await indexing.wait(is_ready)
            assert indexing.vectors
            assert len(await indexing.vectors.known()) == len(WITH_TEXTS)
    made = [text for embedder in embedders for text in embedder.texts]
    assert len(made) == len(set(made)) == TEXTS


async def test_another_process_goes_on_where_one_ended(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    stuck, other = FakeEmbedder(), FakeEmbedder()
    stuck.gate.clear()
    async with running(tmp_path, stuck) as first:
        await first.wait(lambda state: state.texts_total > 0)
        second = running(tmp_path, other)
        waiting = await second.__aenter__()
        await waiting.wait(lambda state: state.texts_total > 0)
        assert other.texts == []
    await waiting.wait(is_ready)
    assert len(other.texts) == TEXTS
    await second.__aexit__(None, None, None)


async def test_a_failure_is_told_and_tried_again(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    embedder = FakeEmbedder()
    embedder.failures = 1
    async with running(tmp_path, embedder) as indexing:
        state = await indexing.wait(lambda state: bool(state.fault))
        assert "away" in state.fault
        assert state.names_ready
        assert (await indexing.wait(is_ready)).fault == ""


async def test_a_server_is_filled_once_for_all(tmp_path: Path) -> None:
    write(tmp_path, FILMS)
    (tmp_path / "qdrant").mkdir()
    async with qdrant_stand_in(tmp_path / "qdrant") as stand_in:
        for _ in range(2):
            async with running(tmp_path, FakeEmbedder(), stand_in.url) as indexing:
                await indexing.wait(is_ready)
                assert indexing.vectors
                assert len(await indexing.vectors.known()) == len(WITH_TEXTS)
        assert (
            sum(request.startswith("PUT") and request.endswith("/points") for request in stand_in.requests)
            == 2
        )


async def test_it_is_ready_when_no_query_waits_for_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_read = asyncio.Event()

    async def load(embedder: LocalEmbedder) -> None:
        await was_read.wait()

    monkeypatch.setattr(LocalEmbedder, "load", load)
    settings = Settings.load(environ={}, data_dir=str(tmp_path))
    indexes = await SearchIndexes.open(settings, catalogue_file=write(tmp_path, []))
    waiting = asyncio.create_task(indexes.wait_until_ready())
    indexes.start()
    try:
        async with asyncio.timeout(60):
            await indexes.indexing.wait(is_ready)
            await asyncio.sleep(0)  # whoever else waits for it has heard of it
            assert not waiting.done()
            was_read.set()
            await waiting
    finally:
        await indexes.close()
