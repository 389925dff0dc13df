"""The CC0 catalogue of bokeh-sampledata: 17,472 films of 1940 to 2014 from Wikidata, facts only."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from math import log10
from pathlib import Path
from typing import Any

from townsquare.services.search.importing import values
from townsquare.services.search.importing.run import BadRow
from townsquare.services.search.models.films import Film, FilmRole
from townsquare.services.search.problems import BadImportSource

SOURCE = "bokeh"
MOST_CAST = 40  # they are in alphabetical order: to cut them would lose the stars
REVIEWS_OF_A_CLASSIC = 400  # as many as the most reviewed film has
MOST_FAME = 70  # nobody of it says how well known a film is: our own catalogue comes first
CERTIFICATIONS = {"M/PG": "PG", "GP": "PG", "M": "PG", "X": "NC-17"}
ROWS = """
    SELECT o.*, t.Meter, t.Reviews, t.Production, t.BoxOffice
    FROM omdb o LEFT JOIN tomatoes t ON t.ID = o.ID ORDER BY o.ID
"""


def database() -> Path:
    try:
        from bokeh_sampledata.movies_data import movie_path
    except ImportError:
        raise BadImportSource("Install them first: pip install 'townsquare[search-facts]'") from None
    return Path(movie_path)


def read() -> Iterator[Film | BadRow]:
    with closing(sqlite3.connect(f"file:{database()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        for line, row in enumerate(connection.execute(ROWS), 1):
            yield film_of(line, dict(row))


def film_of(line: int, row: dict[str, Any]) -> Film | BadRow:
    title, year = " ".join((row["Title"] or "").split()), row["Year"]
    if not title or not year:
        return BadRow(line, "no title or no year")
    imdb_id = row["imdbID"] or ""
    return Film(
        id=values.id_of(SOURCE, str(row["ID"]), imdb_id),
        title=title,
        year=int(year),
        runtime=values.whole_number(row["Runtime"]),
        certification=CERTIFICATIONS.get(row["Rating"], row["Rating"] or ""),
        countries=values.countries(row["Country"]),
        languages=values.languages(row["Language"]),
        genres=values.genres(row["Genre"]),
        directors=names(row["Director"]),
        writers=names(row["Writer"]),
        cast=tuple(FilmRole(name) for name in names(row["Cast"])[:MOST_CAST]),
        studios=names(row["Production"]),
        imdb_id=imdb_id,
        quality=row["Metacritic"] or row["Meter"] or 50,
        fame=fame(row),
    )


def names(text: str | None) -> tuple[str, ...]:
    return tuple(values.listed(text or ""))


def fame(row: dict[str, Any]) -> int:
    """By how many critics wrote about it and how much it earned."""
    reviews = min(1.0, log10(1 + (row["Reviews"] or 0)) / log10(1 + REVIEWS_OF_A_CLASSIC))
    earned = min(1.0, max(0.0, (log10(row["BoxOffice"]) - 6) / 3)) if row["BoxOffice"] else 0.0
    return round(MOST_FAME * (0.6 * reviews + 0.4 * earned))
