"""Files of one's own, JSON lines or CSV: a row as a film.

The columns of TMDB 5000, Wikipedia plots and MovieLens are known, and our own."""

import csv
import gzip
import io
import json
from collections.abc import Iterator, Mapping
from math import log10
from pathlib import Path
from typing import IO, Any

import msgspec

from townsquare.services.search.importing import values
from townsquare.services.search.importing.run import BadRow
from townsquare.services.search.models.films import CHANNELS, Channel, Film, FilmRole
from townsquare.services.search.problems import BadImportSource
from townsquare.services.search.service.genres import certification_of

GZIP = b"\x1f\x8b"
LONGEST_FIELD = 4 << 20  # of a CSV: the crew of one film is long


def read_file(path: Path, source: str) -> Iterator[Film | BadRow]:
    """Every row as a film, or with its line and why it is none."""
    try:
        with opened(path) as file:
            first = file.read(1)
            file.seek(0)
            rows = json_rows(file) if first == "{" else csv_rows(file)
            for line, row in rows:
                yield film_or_fault(line, row, source)
    except (OSError, EOFError, UnicodeDecodeError) as fault:
        raise BadImportSource(f"{path.name}: {getattr(fault, 'strerror', None) or fault}") from None


def opened(path: Path) -> IO[str]:
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    return (
        gzip.open(path, "rt", encoding="utf-8-sig", newline="")
        if packed
        else path.open(encoding="utf-8-sig", newline="")
    )


def film_or_fault(line: int, row: Any, source: str) -> Film | BadRow:
    if not isinstance(row, dict):
        return BadRow(line, str(row))
    try:
        return film_of(row, source)
    except NoFilm as fault:
        return BadRow(line, str(fault))


def json_rows(file: IO[str]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                row = msgspec.json.decode(line)
            except msgspec.DecodeError as fault:
                yield number, str(fault)
            else:
                yield number, row if isinstance(row, dict) else "not an object"


def csv_rows(file: IO[str]) -> Iterator[tuple[int, Any]]:
    csv.field_size_limit(LONGEST_FIELD)
    head = file.readline()
    mark = max(",;\t|", key=head.count)
    reader = csv.DictReader(io.StringIO(head), delimiter=mark)
    names = list(reader.fieldnames or [])
    if len(names) < 2:
        raise BadImportSource("It is neither JSON lines nor a CSV with names of columns in its first line")
    body = csv.reader(file, delimiter=mark)
    while True:
        line = body.line_num + 2
        try:
            cells = next(body)
        except StopIteration:
            return
        except csv.Error as fault:
            yield line, str(fault)
            continue
        if len(cells) > len(names):
            yield line, f"{len(cells)} cells where {len(names)} are named"
        elif cells:
            yield line, dict(zip(names, cells, strict=False))


COLUMNS = {
    "title": ("title", "primarytitle", "movie_title", "name", "film"),
    "original_title": ("original_title", "originaltitle"),
    "year": ("year", "release year", "release_year", "startyear", "release_date", "released"),
    "runtime": ("runtime", "runtimeminutes", "duration"),
    "genres": ("genres", "genre"),
    "directors": ("directors", "director"),
    "writers": ("writers", "writer"),
    "cast": ("cast", "actors"),
    "studios": ("studios", "production_companies", "studio", "production"),
    "countries": ("countries", "production_countries", "country", "origin/ethnicity"),
    "languages": ("languages", "original_language", "language", "spoken_languages"),
    "certification": ("certification", "rated", "mpaa"),
    "franchise": ("franchise", "belongs_to_collection", "collection"),
    "imdb_id": ("imdb_id", "imdbid", "tconst"),
    "tmdb_id": ("tmdb_id", "tmdbid"),
    "source_id": ("id", "movieid", "movie_id", "wiki page"),
    "plot": ("plot", "overview", "plot_events", "synopsis", "description"),
    "votes": ("vote_count", "votes", "numvotes", "imdbvotes"),
    "rating": ("vote_average", "averagerating", "imdbrating"),
    "popularity": ("popularity",),
    "quality": ("quality",),
    "fame": ("fame",),
    "poster_url": ("poster_url", "poster"),
}
MOST_CAST = 12
VOTES_OF_A_CLASSIC = 6.5  # log10: so many people vote for the best known films
UNKNOWN_PEOPLE = frozenset(["unknown", "n/a", "none", ""])


class NoFilm(Exception):
    """Why a row is none."""


def film_of(row: Mapping[str, Any], source: str) -> Film:
    """Facts that cannot be read are left out; without a title and a year it is no film."""
    given = {
        str(name).strip().lstrip("\ufeff").lower(): value
        for name, value in row.items()
        if value not in (None, "")
    }

    def column(name: str) -> Any:
        return next((given[one] for one in COLUMNS[name] if one in given), None)

    title, year_in_title = values.title_of(str(column("title") or ""))
    if not title:
        raise NoFilm("no title")
    year = year_in_title or values.year_of(column("year"))
    if year is None:
        raise NoFilm(f"no year of {title!r}")
    imdb_id = imdb(column("imdb_id"))
    key = str(column("source_id") or f"{title} ({year})")
    original = str(column("original_title") or "").strip()
    try:
        return msgspec.convert(
            {
                "id": values.id_of(source, key, imdb_id),
                "title": title,
                "year": year,
                "original_title": original if original != title else "",
                "runtime": values.whole_number(column("runtime")),
                "certification": certification_of(str(column("certification") or "")),
                "countries": values.countries(column("countries")),
                "languages": values.languages(column("languages")),
                "genres": values.genres(column("genres")),
                "directors": people(column("directors")) or crew(given.get("crew"), "Director"),
                "writers": people(column("writers")) or crew(given.get("crew"), "Writer", "Screenplay"),
                "cast": cast(column("cast")),
                "studios": tuple(values.listed(column("studios"))),
                "franchise": franchise(column("franchise")),
                "imdb_id": imdb_id,
                "tmdb_id": values.whole_number(column("tmdb_id")),
                "poster_url": str(column("poster_url") or "")
                if str(column("poster_url")).startswith("http")
                else "",
                "quality": quality(column("quality"), column("rating")),
                "fame": fame(column("fame"), column("votes"), column("popularity")),
                "texts": texts(given, column("plot")),
            },
            Film,
        )
    except msgspec.ValidationError as fault:
        raise NoFilm(str(fault)) from None


def imdb(value: Any) -> str:
    """`tt0068646`, which MovieLens writes 68646."""
    text = str(value or "").strip()
    if text.isdigit():
        return f"tt{int(text):07d}"
    return text if text.startswith("tt") and text[2:].isdigit() else ""


def people(value: Any) -> tuple[str, ...]:
    return tuple(name for name in values.listed(value) if name.lower() not in UNKNOWN_PEOPLE)


def crew(value: Any, *jobs: str) -> tuple[str, ...]:
    """From TMDB's list of everybody."""
    members = objects(value)
    return tuple(dict.fromkeys(one["name"] for one in members if one.get("job") in jobs and one.get("name")))


def objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def cast(value: Any) -> tuple[FilmRole, ...]:
    known = objects(value)
    if known:
        roles = [
            FilmRole(str(one.get("actor") or one.get("name") or ""), str(one.get("character") or ""))
            for one in known
        ]
    else:
        roles = [FilmRole(name) for name in people(value)]
    return tuple(role for role in roles if role.actor)[:MOST_CAST]


def franchise(value: Any) -> str:
    if isinstance(value, str) and not value.strip().startswith("{"):
        return value.strip()
    try:
        known = value if isinstance(value, dict) else json.loads(value or "{}")
    except ValueError:
        return ""
    return str(known.get("name", "")).removesuffix(" Collection")


def quality(given: Any, rating: Any) -> int:
    known = values.percent(given)
    if known is None:
        known = values.percent(rating, 10.0)
    return 50 if known is None else known


def fame(given: Any, votes: Any, popularity: Any) -> int:
    """By the number of people who voted, else by how often its page is seen."""
    known = values.percent(given)
    if known is not None:
        return known
    counted = values.whole_number(str(votes or "").replace(",", ""))
    if counted:
        return min(100, round(100 * log10(1 + counted) / VOTES_OF_A_CLASSIC))
    return min(60, round(values.percent(popularity) or 0))


def texts(given: Mapping[str, Any], story: Any) -> dict[Channel, str]:
    own = given.get("texts")
    known = own if isinstance(own, dict) else given
    found = {channel: " ".join(str(known[channel]).split()) for channel in CHANNELS if known.get(channel)}
    if "plot_events" not in found and (begins := values.plot(story)):
        found["plot_events"] = begins
    return found
