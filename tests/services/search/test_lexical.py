"""Films by their names and facts: on SQLite and on Postgres the same."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Row, select

from tests.support.films import FILMS, film
from tests.support.postgres import postgres_binaries, throwaway_postgres
from townsquare.services.search.models.films import Film
from townsquare.services.search.parts import FilmFilter
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.lexical.tables import facts, metadata, open_postgres

BY_ID = {film.id: film for film in FILMS}


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    if postgres_binaries() is None:
        pytest.skip("no Postgres is installed")
    with throwaway_postgres() as url:
        yield url


def emptied(url: str) -> str:
    if url:
        engine = open_postgres(url)
        metadata.drop_all(engine)
        engine.dispose()
    return url


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture(scope="module")
def filled(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all films, or beside a database with them, for tests that only read."""
    folder = tmp_path_factory.mktemp("lexical")

    async def fill() -> None:
        index = await SqlLexicalIndex.open(folder, emptied(url))
        await index.add(FILMS)
        await index.close()

    asyncio.run(fill())
    return folder


@pytest.fixture
async def index(filled: Path, url: str) -> AsyncIterator[SqlLexicalIndex]:
    index = await SqlLexicalIndex.open(filled, url)
    yield index
    await index.close()


TYPED = [
    ("interstelar", "Interstellar", "movie_title"),
    ("shawshenk redemtion", "The Shawshank Redemption", "movie_title"),
    ("shawshank", "The Shawshank Redemption", "movie_title"),
    ("seven", "Se7en", "movie_title"),
    ("se7en", "Se7en", "movie_title"),
    ("7 samuri", "Seven Samurai", "movie_title"),
    ("七人の侍", "七人の侍", "movie_title"),
    ("千と千尋", "千と千尋の神隠し", "movie_title"),
    ("wall-e", "WALL·E", "movie_title"),
    ("walle", "WALL·E", "movie_title"),
    ("fury road", "Mad Max: Fury Road", "movie_title"),
    ("godfather 2", "The Godfather Part II", "movie_title"),
    ("mr and mrs smith", "Mr. & Mrs. Smith", "movie_title"),
    ("amelie", "Amélie", "movie_title"),
    ("it", "It", "movie_title"),
    ("miyazaki", "Hayao Miyazaki", "person"),
    ("miazaki", "Hayao Miyazaki", "person"),
    ("kurosawa", "Akira Kurosawa", "person"),
    ("christofer nolan", "Christopher Nolan", "person"),
    ("mathew mcconaughy", "Matthew McConaughey", "person"),
    ("bradpitt", "Brad Pitt", "person"),
    ("skarsgard", "Bill Skarsgård", "person"),
    ("pennywise", "Pennywise", "character"),
    ("furiosa", "Imperator Furiosa", "character"),
    ("red redding", 'Ellis "Red" Redding', "character"),
    ("ghibli", "Studio Ghibli", "studio"),
    ("pixar", "Pixar Animation Studios", "studio"),
    ("mad max", "Mad Max", "franchise"),
]


async def test_names_as_people_type_them(index: SqlLexicalIndex) -> None:
    found = {phrase: (await index.entities(phrase))[0] for phrase, *_ in TYPED}
    assert [(phrase, match.name, match.category) for phrase, match in found.items()] == TYPED
    assert min(match.likeness for match in found.values()) >= 0.7


async def test_an_exact_name_is_surer_than_a_part_or_a_misspelling(index: SqlLexicalIndex) -> None:
    exact, article, part, misspelt = [
        (await index.entities(phrase))[0].likeness
        for phrase in ("Spirited Away", "Shawshank Redemption", "spirited", "spirted away")
    ]
    assert exact == 1.0
    assert exact > article > misspelt > 0.85
    assert article > part > 0.7


async def test_what_is_no_name_finds_none(index: SqlLexicalIndex) -> None:
    phrases = ["id", "its", "hit", "if", "wal", "the", "of the", "", "...", "killer", "🎬", "x" * 200]
    found = [match for matches in await index.entities_many(phrases, misspelt=True) for match in matches]
    assert not [match for match in found if match.likeness > 0.85]


async def test_a_character_without_a_name_is_meant_by_the_whole_of_it_only(index: SqlLexicalIndex) -> None:
    assert (await index.entities("the killer"))[0].film_ids == (2,)
    assert await index.entities("killer") == []


async def test_films_of_one_name_come_with_the_best_known_first(index: SqlLexicalIndex) -> None:
    assert (await index.entities("godzilla", "movie_title"))[0].film_ids == (13, 12)
    assert (await index.entities("freeman"))[0].film_ids == (1, 2)
    assert [match.category for match in await index.entities("godzilla")][:2] == ["movie_title", "franchise"]


async def test_a_category_leaves_the_others_out(index: SqlLexicalIndex) -> None:
    assert (await index.entities("mad max", "movie_title"))[0].film_ids == (7,)
    assert {match.category for match in await index.entities("smith", "character")} == {"character"}


async def test_many_phrases_are_answered_like_each_alone(index: SqlLexicalIndex) -> None:
    phrases = ["nolan", "pitt", "nobody at all"]
    assert await index.entities_many(phrases, misspelt=True) == [
        await index.entities(phrase) for phrase in phrases
    ]


async def test_words_find_films_by_how_many_of_them_they_have(index: SqlLexicalIndex) -> None:
    found = await index.search("brad pitt freeman", limit=3)
    assert found[0].film_id == 2
    assert 0 < found[1].score < found[0].score <= 1
    assert [
        hit.film_id for hit in await index.search("pitt", limit=9, where=FilmFilter(first_year=2000))
    ] == [11]


FILTERED: list[tuple[FilmFilter, set[int]]] = [
    (FilmFilter(first_year=1990, last_year=1999), {1, 2}),
    (FilmFilter(first_year=2014), {5, 7, 10, 12}),
    (FilmFilter(last_year=1999, without_years=((1900, 1989), (2005, 2009))), {1, 2}),
    (FilmFilter(longest=125), {4, 6, 7, 8}),  # and none whose runtime nobody knows
    (FilmFilter(shortest=200), {3, 9}),
    (FilmFilter(without_minutes=((126, 199),)), {3, 4, 6, 7, 8, 9}),
    (FilmFilter(genres=("drama", "adventure")), {3, 10}),
    (FilmFilter(genres=("drama",), without_genres=("crime", "science fiction")), {1, 3}),
    (FilmFilter(languages=("ja", "fr")), {3, 4, 8}),
    (FilmFilter(genres=("family",), without_languages=("ja",)), {6}),
    (FilmFilter(countries=("US",), without_countries=("GB", "AU"), first_year=2000), {5, 6}),
    (FilmFilter(certifications=("PG", "G")), {4, 6}),
    (FilmFilter(ids=(1, 2, 99), without_ids=(1,)), {2}),
    (FilmFilter(ids=()), set()),
]


async def test_filters_hold(index: SqlLexicalIndex) -> None:
    for where, ids in FILTERED:
        found = await index.matching(where, limit=50)
        assert set(found) == ids, where
        assert found == sorted(found, key=lambda id: (-BY_ID[id].fame, -BY_ID[id].quality))


async def test_the_first_of_a_series_is_no_sequel(tmp_path: Path) -> None:
    index = await SqlLexicalIndex.open(tmp_path)
    series = {1: ("Alien", 1979), 2: ("Alien", 1986), 3: ("Rocky", 1982), 4: ("", 1990), 5: ("Alien", 1992)}
    await index.add(
        [Film(id=id, title=f"No. {id}", year=year, franchise=name) for id, (name, year) in series.items()]
    )
    assert await index.sequels() == [2, 5]
    await index.close()


async def test_facets_are_those_that_some_film_has(index: SqlLexicalIndex) -> None:
    assert await index.facets("language") == sorted({code for film in FILMS for code in film.languages})


async def test_records_come_back_whole_and_in_order(index: SqlLexicalIndex) -> None:
    assert await index.films([3, 99, 1]) == [BY_ID[3], BY_ID[1]]


async def test_a_film_that_changes_loses_its_old_names(index: SqlLexicalIndex) -> None:
    before = await index.revision()
    await index.add([msgspec.structs.replace(BY_ID[12], title="Gojira Returns", directors=("Somebody New",))])
    assert (await index.entities("godzilla", "movie_title"))[0].film_ids == (13,)
    assert (await index.entities("gojira"))[0].film_ids == (12,)
    await index.remove([12, 13])
    assert await index.entities("gojira") == []
    assert await index.entities("somebody new") == []
    assert await index.count() == len(FILMS) - 2
    assert await index.revision() != before
    await index.add(FILMS)
    assert (await index.entities("godzilla", "movie_title"))[0].film_ids == (13, 12)


async def test_adding_twice_changes_nothing(index: SqlLexicalIndex) -> None:
    before = [await index.entities(phrase) for phrase in ("pitt", "mad max", "seven")]
    await asyncio.gather(index.add(FILMS), index.add(FILMS))
    assert [await index.entities(phrase) for phrase in ("pitt", "mad max", "seven")] == before
    assert await index.count() == len(FILMS)


async def test_who_has_more_and_better_known_films_comes_first(index: SqlLexicalIndex) -> None:
    await index.add(
        [
            film(101, "One Lake", 2000, directors=("Ann Quill",), fame=60),
            film(102, "Two Lakes", 2001, directors=("Ang Quill",), fame=80),
            film(103, "Three Lakes", 2002, directors=("Bruce Quill",), fame=80),
            film(104, "Four Lakes", 2003, directors=("Bruce Quill",), fame=70),
        ]
    )
    assert [match.name for match in await index.entities("quill")] == [
        "Bruce Quill",
        "Ang Quill",
        "Ann Quill",
    ]
    await index.remove([101, 102, 103, 104])


async def test_names_that_are_spelled_right_are_found_in_one_go(index: SqlLexicalIndex) -> None:
    phrases = ["nolan", "brad pitt", "nobody at all", "nolann"]
    found = await index.entities_many(phrases)
    assert [match.name for matches in found for match in matches[:1]] == ["Christopher Nolan", "Brad Pitt"]
    assert found[0][0].film_ids == (await index.entities("nolan"))[0].film_ids


async def test_a_title_is_found_while_it_is_typed_the_best_known_first(index: SqlLexicalIndex) -> None:
    await index.add([film(201, "Zebra Crossing", 2000, fame=10), film(202, "Zebra Wood", 2001, fame=90)])
    for typed in ("z", "zebra", "ZEBRA "):
        assert await index.titles(typed, 5) == [202, 201]
    assert await index.titles("zebra cro", 5) == [201]
    await index.remove([201, 202])
    assert await index.titles("z", 5) == []


async def test_tables_are_the_same_in_whatever_shares_films_are_added(tmp_path: Path) -> None:
    """And nothing but the spellings of words is left when all are removed."""
    kept: list[dict[str, set[Row[Any]]]] = []
    for size in (len(FILMS), 3):
        index = await SqlLexicalIndex.open(tmp_path / str(size))
        for begin in range(0, len(FILMS), size):
            await index.add(FILMS[begin : begin + size])
        kept.append(rows(index))
        await index.remove([film.id for film in FILMS])
        assert {table for table, left in rows(index).items() if left} == {"search_spellings"}
        await index.close()
    assert kept[0] == kept[1]


def rows(index: SqlLexicalIndex) -> dict[str, set[Row[Any]]]:
    with index._engine.connect() as connection:
        return {
            name: set(connection.execute(select(table)))
            for name, table in metadata.tables.items()
            if table is not facts
        }
