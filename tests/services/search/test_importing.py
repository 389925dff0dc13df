"""Films from elsewhere."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.support.clock import PinnedClock
from tests.support.commands import commands_on
from tests.support.films import FILMS
from tests.support.squares import Place, open_square
from townsquare.services.search.importing import bokeh, tmdb
from townsquare.services.search.importing.files import read_file
from townsquare.services.search.importing.run import BadRow, FilmImportReport, import_films
from townsquare.services.search.importing.values import id_of, plot, whole_number
from townsquare.services.search.models.films import Film, FilmRole
from townsquare.services.search.problems import BadImportSource
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.tmdb import Tmdb

TMDB_5000 = """budget,genres,id,original_language,original_title,overview,production_companies,production_countries,release_date,runtime,title,vote_average,vote_count
1,"[{""id"": 28, ""name"": ""Action""}, {""id"": 878, ""name"": ""Science Fiction""}]",19995,en,Avatar,"In the 22nd century, a paraplegic Marine is dispatched to a moon.","[{""name"": ""Lightstorm Entertainment"", ""id"": 574}]","[{""iso_3166_1"": ""US"", ""name"": ""United States of America""}]",2009-12-10,162.0,Avatar,7.2,11800
1,[],7,en,,,[],[],,100,,5,1
"""  # noqa: E501
WIKIPEDIA = """Release Year,Title,Origin/Ethnicity,Director,Cast,Genre,Wiki Page,Plot
1999,The Quiet Lake,American,"Jo Doe, Al Roe",Unknown,romantic comedy,https://x/Quiet,"Two people meet.[1] They row across a lake. {more}"
"""  # noqa: E501
MOVIELENS = 'movieId,title,genres\n2571,"Matrix, The (1999)",Action|Sci-Fi|Thriller\n3,Untitled,Drama\n'


@pytest.fixture
async def lexical(tmp_path: Path) -> AsyncIterator[SqlLexicalIndex]:
    index = await SqlLexicalIndex.open(tmp_path / "index")
    yield index
    await index.close()


def read(tmp_path: Path, text: str, name: str = "films.csv") -> list[Film | BadRow]:
    path = tmp_path / name
    path.write_text(text)
    return list(read_file(path, "own"))


def one(found: list[Film | BadRow]) -> Film:
    (film,) = (row for row in found if isinstance(row, Film))
    return film


def test_tmdb_5000_is_understood(tmp_path: Path) -> None:
    found = read(tmp_path, TMDB_5000)
    film = one(found)
    assert (film.title, film.year, film.runtime, film.quality) == ("Avatar", 2009, 162, 72)
    assert (film.genres, film.countries, film.languages) == (("action", "science fiction"), ("US",), ("en",))
    assert film.studios == ("Lightstorm Entertainment",)
    assert film.original_title == ""
    assert 55 <= film.fame <= 70
    assert film.texts == {"plot_events": "In the 22nd century, a paraplegic Marine is dispatched to a moon."}
    assert found[1] == BadRow(3, "no title")


def test_wikipedia_plots_become_texts_of_a_bounded_length(tmp_path: Path) -> None:
    film = one(read(tmp_path, WIKIPEDIA.replace("{more}", "Then it rains on them. " * 40)))
    assert (film.directors, film.cast, film.genres, film.countries) == (
        ("Jo Doe", "Al Roe"),
        (),
        ("romance",),
        ("US",),
    )
    text = film.texts["plot_events"]
    assert text.startswith("Two people meet. They row across a lake.")
    assert 30 < len(text.split()) <= 60
    assert text.endswith(".")
    assert len(plot("word " * 500).split()) == 60


def test_movielens_titles_are_turned_round(tmp_path: Path) -> None:
    found = read(tmp_path, MOVIELENS)
    film = one(found)
    assert (film.title, film.year, film.genres) == (
        "The Matrix",
        1999,
        ("action", "science fiction", "thriller"),
    )
    assert found[1] == BadRow(3, "no year of 'Untitled'")


def test_lines_of_our_own_form_keep_their_texts_and_roles(tmp_path: Path) -> None:
    row = {
        "title": "Mine",
        "year": 2020,
        "cast": [{"actor": "A B", "character": "C"}],
        "texts": {"reception": "Loved by those who made it"},
        "imdb_id": "tt0000001",
        "fame": 12,
    }
    lines = json.dumps(row) + "\n\nnot json\n[1]\n" + json.dumps({"title": "No year"}) + "\n"
    path = tmp_path / "films.jsonl.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    film, *bad = read_file(path, "own")
    assert isinstance(film, Film)
    assert (film.cast, film.fame) == ((FilmRole("A B", "C"),), 12)
    assert film.texts == {"reception": "Loved by those who made it"}
    assert film.id == id_of("other", "whatever", "tt0000001") > 1_000_000
    assert [(row.line, bool(row.fault)) for row in bad if isinstance(row, BadRow)] == [
        (3, True),
        (4, True),
        (5, True),
    ]


@pytest.mark.parametrize("text", ["", "just one column\n", "\x00\x01"])
def test_what_is_no_file_of_films_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadImportSource):
        read(tmp_path, text)
    with pytest.raises(BadImportSource, match="No such file"):
        list(read_file(tmp_path / "missing.csv", "own"))


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("142", 142),
        (142.0, 142),
        ("142 min", 142),
        (1e308, None),
        ("1.5E3", None),
        ("9" * 5_000, None),
        (0, None),
    ],
)
def test_a_number_is_read_whole_or_not_at_all(written: object, number: int | None) -> None:
    assert whole_number(written) == number


def test_facts_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    row = {"title": "A", "year": 1999, "runtime": 1e308, "quality": "1e999", "certification": "not rated"}
    for cell, genres in (("{bad json", ()), ('[{"name": "Dra', ()), ("['Drama', 'War']", ("drama", "war"))):
        film = one(read(tmp_path, msgspec.json.encode(row | {"genres": cell}).decode(), "own.jsonl"))
        assert (film.runtime, film.quality, film.certification) == (None, 50, "Not Rated")
        assert film.genres == genres


async def test_an_import_tells_what_it_did_and_can_be_run_again(lexical: SqlLexicalIndex) -> None:
    await lexical.add(FILMS, "catalogue")
    new = Film(id=id_of("own", "1"), title="Brand New", year=2020)
    same = Film(
        id=id_of("own", "2"), title="Shawshank Redemption", year=1995
    )  # another year, another article
    rows: list[Film | BadRow] = [new, same, BadRow(3, "no title")]
    told: list[int] = []
    tried = await import_films(lexical, "own", rows, dry_run=True)
    assert await lexical.films([new.id]) == []
    done = await import_films(lexical, "own", rows, tell=lambda report: told.append(report.rows))
    expected = FilmImportReport(rows=3, added=1, known=1, bad=1, faults=["line 3: no title"])
    assert tried == done == expected
    assert told == [3]
    assert (await lexical.entities("brand new"))[0].film_ids == (new.id,)
    again = await import_films(lexical, "own", rows)
    assert (again.added, again.unchanged) == (0, 1)


async def test_control_characters_do_not_reach_the_catalogue(
    tmp_path: Path, lexical: SqlLexicalIndex
) -> None:
    row = {"title": "Al\0i\x1ben\u202e", "year": 1999, "cast": '[{"name": "Jo\\u001b[2J Doe"}]'}
    row |= {"genres": ["dra\x07ma", "\x07"], "plot": "It\nbe\x9bgins."}
    rows = read(tmp_path, json.dumps(row) + "\n" + json.dumps(row | {"title": "\0"}), "own.jsonl")
    report = await import_films(lexical, "own", rows)
    assert (report.added, report.faults) == (1, ["line 2: no title"])
    (film,) = await lexical.films([one(rows).id])
    assert (film.title, film.genres, film.cast) == ("Alien", ("drama",), (FilmRole("Jo[2J Doe"),))
    assert film.texts == {"plot_events": "It begins."}


@pytest.mark.slow
def test_the_cc0_catalogue_has_its_facts() -> None:
    pytest.importorskip("bokeh_sampledata")
    found = {film.imdb_id: film for film in bokeh.read() if isinstance(film, Film)}
    assert len(found) > 17_000
    film = found["tt0068646"]
    assert (film.title, film.year, film.runtime, film.certification) == ("The Godfather", 1972, 175, "R")
    assert film.directors == ("Francis Ford Coppola",)
    assert (film.countries, film.languages) == (("IT", "US"), ("en", "it"))
    assert FilmRole("Marlon Brando") in film.cast
    assert not film.texts
    assert film.fame > found["tt0093164"].fame  # an obscure one


class FakeTmdb:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.down = False

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/3/")
        self.asked.append(path)
        if self.down:
            return httpx.Response(401)
        if path == "discover/movie":
            first = 20 * (int(request.url.params["page"]) - 1)
            return httpx.Response(
                200, json={"results": [{"id": first + n} for n in range(1, 21)], "total_pages": 9}
            )
        number = int(path.split("/")[1])
        return httpx.Response(404) if number == 3 else httpx.Response(200, json=movie(number))


def movie(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "title": f"Film {number}",
        "release_date": "1999-03-30",
        "runtime": 136,
        "genres": [{"id": 28, "name": "Action"}],
        "belongs_to_collection": {"name": "The Matrix Collection"},
        "credits": {
            "cast": [{"name": "Keanu Reeves", "character": "Neo"}],
            "crew": [{"name": "Lana Wachowski", "job": "Director"}],
        },
        "release_dates": {"results": [{"iso_3166_1": "US", "release_dates": [{"certification": "R"}]}]},
        "poster_path": "/p.jpg",
        "vote_count": 20_000,
    }


async def test_tmdb_films_come_page_by_page_and_are_not_asked_for_twice(lexical: SqlLexicalIndex) -> None:
    fake = FakeTmdb()
    client = Tmdb("https://api.test/3", "0" * 32, sleep=lambda _: asyncio.sleep(0))
    client._client = httpx.AsyncClient(
        base_url="https://api.test/3/", transport=httpx.MockTransport(fake.answer)
    )
    report = await import_films(lexical, tmdb.SOURCE, tmdb.read(client, 25))
    assert (report.added, report.bad) == (24, 1)
    (film,) = await lexical.films([id_of("tmdb", "7")])
    assert (film.title, film.certification, film.franchise, film.tmdb_id) == ("Film 7", "R", "The Matrix", 7)
    assert (film.directors, film.cast) == (("Lana Wachowski",), (FilmRole("Keanu Reeves", "Neo"),))
    assert film.poster_url.endswith("/w342/p.jpg")
    fake.asked.clear()
    known = await lexical.digests(tmdb.SOURCE)
    await import_films(lexical, tmdb.SOURCE, tmdb.read(client, 25, known))
    assert fake.asked == ["discover/movie", "movie/3", "discover/movie"]
    fake.down = True
    with pytest.raises(BadImportSource, match="go on"):
        await import_films(lexical, tmdb.SOURCE, tmdb.read(client, 25, known))
    await client.close()


def test_a_file_is_imported_from_a_terminal(plain_place: Place, clock: PinnedClock, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(MOVIELENS)
    with commands_on(lambda: open_square(plain_place, clock, data_dir=str(tmp_path / "data"))) as say:
        tried = say("search", "import", str(file), "--dry-run")
        assert "2 rows: 1 films would be added" in tried.output
        assert "line 3: no year" in tried.output
        assert tried.exit_code == 2
        say("search", "import", str(file))
        assert "0 films added, 1 unchanged" in say("search", "import", str(file)).output
        missing = say("search", "import", "missing.csv")
        assert missing.exit_code == 1
        assert "There is no file missing.csv" in missing.output
