"""Films by their vectors: in the process, and on a Qdrant server."""

import os
import random
from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.films import FILMS
from tests.support.qdrant import qdrant_stand_in
from townsquare.services.search.models.films import VECTOR_NAMES, VectorName
from townsquare.services.search.parts import FilmFilter, Vector
from townsquare.services.search.service.embeddings import unit
from townsquare.services.search.service.indexing import FilledVectorIndex
from townsquare.services.search.service.vectors import edge
from townsquare.services.search.service.vectors.edge import EdgeVectorIndex
from townsquare.services.search.service.vectors.kept import KeptVectors
from townsquare.services.search.service.vectors.payloads import VectorsUnavailable
from townsquare.services.search.service.vectors.server import ServerVectorIndex

DIMENSIONS = 16
WITH_TEXTS = [film for film in FILMS if film.texts]


def vector_of(film_id: int, name: VectorName) -> Vector:
    chance = random.Random(f"{film_id} {name}")
    return unit([chance.gauss(0, 1) for _ in range(DIMENSIONS)])


VECTORS: dict[int, dict[VectorName, Vector]] = {
    film.id: {name: vector_of(film.id, name) for name in VECTOR_NAMES} for film in WITH_TEXTS
}
del VECTORS[8]["production"]  # a film may lack one


@pytest.fixture(params=["edge", "server"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FilledVectorIndex]:
    if request.param == "edge":
        edge = await EdgeVectorIndex.open(tmp_path / "shards", DIMENSIONS)
        yield await filled(edge)
        await edge.close()
        assert not list((tmp_path / "shards").iterdir())
        return
    async with qdrant_stand_in(tmp_path) as stand_in:
        server = await ServerVectorIndex.open(stand_in.url, "", "films", DIMENSIONS)
        yield await filled(server)
        await server.close()


async def filled(index: FilledVectorIndex) -> FilledVectorIndex:
    await index.add([(film, VECTORS[film.id]) for film in WITH_TEXTS], {film.id: "v1" for film in WITH_TEXTS})
    return index


def product(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_the_nearest_come_first_with_their_cosines(index: FilledVectorIndex) -> None:
    wanted = VECTORS[3]["plot_events"]
    hits = await index.search("plot_events", wanted, limit=4)
    exact = sorted(((product(wanted, VECTORS[id]["plot_events"]), id) for id in VECTORS), reverse=True)[:4]
    assert [hit.film_id for hit in hits] == [id for _, id in exact]
    assert [hit.score for hit in hits] == pytest.approx([score for score, _ in exact], abs=1e-5)


async def test_a_film_without_a_vector_is_not_found_by_it(index: FilledVectorIndex) -> None:
    hits = await index.search("production", VECTORS[1]["production"], limit=50)
    assert {hit.film_id for hit in hits} == set(VECTORS) - {8}
    assert set(await index.scores("production", VECTORS[1]["production"], [8, 1, 99])) == {1}


async def test_filters_hold(index: FilledVectorIndex) -> None:
    wanted: list[tuple[FilmFilter, set[int]]] = [
        (FilmFilter(first_year=2001, last_year=2008), {4, 6, 8}),
        (FilmFilter(first_year=2001, without_years=((2009, 2050),)), {4, 6, 8}),
        (FilmFilter(longest=122), {6, 7, 8}),
        (FilmFilter(shortest=1, without_minutes=((123, 900),)), {6, 7, 8}),
        (FilmFilter(genres=("animation", "family"), without_languages=("ja",)), {6}),
        (FilmFilter(languages=("ja", "fr"), without_ids=(3,)), {4, 8}),
        (FilmFilter(countries=("US",), without_countries=("AU",), certifications=("R",)), {1, 2, 5}),
        (FilmFilter(without_genres=("drama", "horror", "animation")), {2, 7, 8}),
        (FilmFilter(ids=(1, 5, 99)), {1, 5}),
        (FilmFilter(ids=()), set()),
    ]
    for where, ids in wanted:
        hits = await index.search("anchor", VECTORS[1]["anchor"], limit=50, where=where)
        assert {hit.film_id for hit in hits} == ids, where


async def test_vectors_come_back(index: FilledVectorIndex) -> None:
    found = await index.vectors([1, 8, 99])
    assert set(found) == {1, 8}
    assert set(found[8]) == set(VECTOR_NAMES) - {"production"}
    assert list(found[1]["anchor"]) == pytest.approx(list(VECTORS[1]["anchor"]), abs=1e-6)


async def test_a_film_is_replaced_and_removed(index: FilledVectorIndex) -> None:
    await index.add([(WITH_TEXTS[0], {"anchor": VECTORS[2]["anchor"]})], {WITH_TEXTS[0].id: "v2"})
    await index.remove([3, 99])
    assert await index.known() == {id: "v2" if id == 1 else "v1" for id in VECTORS if id != 3}
    assert set((await index.vectors([1]))[1]) == {"anchor"}
    assert (await index.scores("anchor", VECTORS[2]["anchor"], [1]))[1] == pytest.approx(1, abs=1e-5)


async def test_a_server_that_is_away_is_a_problem_with_a_name(tmp_path: Path) -> None:
    async with qdrant_stand_in(tmp_path) as stand_in:
        index = await ServerVectorIndex.open(stand_in.url, "", "films", DIMENSIONS)
        stand_in.broken = True
        with pytest.raises(VectorsUnavailable):
            await index.search("anchor", VECTORS[1]["anchor"], limit=1)
    with pytest.raises(VectorsUnavailable):
        await index.known()
    await index.close()


async def test_a_shard_that_a_dead_process_left_is_deleted(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    (tmp_path / "left.lock").touch()
    one = await EdgeVectorIndex.open(tmp_path, DIMENSIONS)
    other = await EdgeVectorIndex.open(tmp_path, DIMENSIONS)
    assert not left.exists()
    await filled(one)
    assert await other.search("anchor", VECTORS[1]["anchor"], limit=1) == []
    assert await one.search("anchor", VECTORS[1]["anchor"], limit=1)
    await one.close()
    await other.close()


async def test_nothing_is_mapped_that_the_disk_may_have_no_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of a mapped file that finds no room ends the process."""
    index = await EdgeVectorIndex.open(tmp_path, DIMENSIONS)
    monkeypatch.setattr(edge, "ROOM", 1 << 60)
    with pytest.raises(OSError, match="of the disk"):
        await filled(index)
    with pytest.raises(OSError, match="of the disk"):
        await EdgeVectorIndex.open(tmp_path, DIMENSIONS)
    await index.close()
    assert os.listdir(tmp_path) == []


def test_kept_vectors_are_read_by_other_processes_and_survive_a_crash(tmp_path: Path) -> None:
    digests = [f"{number:016x}" for number in range(3)]
    vectors = [array("f", [number, 1, 2, 3]) for number in range(3)]
    writer, reader = KeptVectors(tmp_path, 4), KeptVectors(tmp_path, 4)
    writer.append(digests[:1], vectors[:1])
    with (tmp_path / "vectors").open("ab") as file:
        file.write(b"half a vector")
    with (tmp_path / "digests").open("ab") as file:
        file.write(b"half")
    reader.refresh()
    assert reader.missing(digests) == set(digests[1:])
    reader.append(digests[1:], vectors[1:])
    writer.refresh()
    assert writer.read(digests) == vectors
    assert not writer.missing(digests)
