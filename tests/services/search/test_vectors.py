"""Films by their vectors: in the process, and on a Qdrant server."""

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.films import FILMS
from tests.support.qdrant import qdrant_stand_in
from townsquare.services.search.models.films import VECTOR_NAMES, VectorName
from townsquare.services.search.parts import FilmFilter, Vector
from townsquare.services.search.service.embeddings import unit
from townsquare.services.search.service.indexing import FilledVectorIndex
from townsquare.services.search.service.vectors import memory
from townsquare.services.search.service.vectors.memory import MemoryVectorIndex
from townsquare.services.search.service.vectors.payloads import VectorsUnavailable
from townsquare.services.search.service.vectors.server import ServerVectorIndex
from townsquare.services.search.service.vectors.vector_files import VectorFiles, compact, restored

DIMENSIONS = 16
WITH_TEXTS = [film for film in FILMS if film.texts]


def vector_of(film_id: int, name: VectorName) -> Vector:
    """With whole numbers up to 127, which are stored without a loss."""
    chance = random.Random(f"{film_id} {name}")
    return unit([127, *(chance.randint(-127, 127) for _ in range(DIMENSIONS - 1))])


VECTORS: dict[int, dict[VectorName, Vector]] = {
    film.id: {name: vector_of(film.id, name) for name in VECTOR_NAMES} for film in WITH_TEXTS
}
del VECTORS[8]["production"]  # a film may lack one


@pytest.fixture(params=["memory", "server"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FilledVectorIndex]:
    if request.param == "memory":
        yield await filled(MemoryVectorIndex(DIMENSIONS))
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


async def test_films_in_memory_may_be_many_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than there is room for at first, and more than are compared without a thread."""
    monkeypatch.setattr(memory, "FIRST_ROOM", 2)
    monkeypatch.setattr(memory, "QUICK", 3)
    index = await filled(MemoryVectorIndex(DIMENSIONS))
    for gone in (WITH_TEXTS[-1], WITH_TEXTS[0]):
        await index.remove([gone.id])
        known = await index.known()
        assert gone.id not in known
        for film in (film for film in WITH_TEXTS if film.id in known):
            vector = VECTORS[film.id]["anchor"]
            where = FilmFilter(genres=film.genres, first_year=film.year, last_year=film.year)
            (best,) = await index.search("anchor", vector, limit=1, where=where)
            assert best.film_id == film.id
            assert best.score == pytest.approx(1, abs=1e-5)
            assert (await index.search("anchor", vector, limit=1))[0].film_id == film.id


def test_a_vector_takes_a_byte_for_each_number_and_keeps_its_cosines() -> None:
    chance = random.Random(1)
    vectors = [unit([chance.gauss(0, 1) for _ in range(512)]) for _ in range(50)]
    short = [compact(vector) for vector in vectors]
    assert {row.nbytes for row in short} == {512}
    long = [restored(row) for row in short]
    assert all(product(vector, vector) == pytest.approx(1, abs=1e-5) for vector in long)
    assert [compact(vector).tolist() for vector in long] == [row.tolist() for row in short]
    for one in range(50):
        for other in range(50):
            exact = product(vectors[one], vectors[other])
            assert product(vectors[one], long[other]) == pytest.approx(exact, abs=0.002)


def test_stored_vectors_are_read_by_other_processes_and_survive_a_crash(tmp_path: Path) -> None:
    digests = [f"{number:016x}" for number in range(3)]
    vectors = [unit([number, 127, 2, 3]) for number in range(3)]
    writer, reader = VectorFiles(tmp_path, 4), VectorFiles(tmp_path, 4)
    writer.append(digests[:1], vectors[:1])
    with (tmp_path / "rows").open("ab") as file:
        file.write(b"half a vector")
    with (tmp_path / "digests").open("ab") as file:
        file.write(b"half")
    reader.refresh()
    assert reader.missing(digests) == set(digests[1:])
    reader.append(digests[1:], vectors[1:])
    writer.refresh()
    assert [list(vector) for vector in writer.read(digests)] == [pytest.approx(list(one)) for one in vectors]
    assert not writer.missing(digests)


def test_vectors_that_come_with_the_package_are_not_made_again(tmp_path: Path) -> None:
    bundled, digests = tmp_path / "bundled", [f"{number:016x}" for number in range(2)]
    vectors = [unit([number, 127, 2, 3]) for number in range(2)]
    VectorFiles(bundled, 4).append(digests[:1], vectors[:1])
    files = VectorFiles(tmp_path / "own", 4, bundled)
    assert files.missing(digests) == {digests[1]}
    files.append(digests[1:], vectors[1:])
    assert [list(vector) for vector in files.read(digests)] == [pytest.approx(list(one)) for one in vectors]
    assert (bundled / "rows").stat().st_size == 4
