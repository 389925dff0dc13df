"""Where films come from, by the word that a command is given: `cc0`, `tmdb`, or a file."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from townsquare.services.search.importing import bokeh, tmdb
from townsquare.services.search.importing.files import read_file
from townsquare.services.search.importing.problems import BadImportSource
from townsquare.services.search.importing.run import BadRow, FilmImportReport, Tell, import_films
from townsquare.services.search.models.films import Film
from townsquare.services.search.service.opened import OpenSearch

CC0, TMDB = "cc0", "tmdb"

Rows = Iterator[Film | BadRow] | AsyncIterator[Film | BadRow]


async def import_from(
    word: str, opened: OpenSearch, *, count: int, dry_run: bool, tell: Tell
) -> FilmImportReport:
    if opened.lexical is None:
        raise BadImportSource("There is no index of names to import into")
    rows: Rows
    if word == CC0:
        name, rows = bokeh.SOURCE, bokeh.read()
    elif word == TMDB:
        if opened.tmdb is None:
            raise BadImportSource("TMDB takes a tmdb_key in the settings")
        known = await opened.lexical.digests(tmdb.SOURCE)
        name, rows = tmdb.SOURCE, tmdb.read(opened.tmdb, count, known)
    else:
        name = Path(word).name.partition(".")[0]
        rows = read_file(Path(word), name)
    return await import_films(opened.lexical, name, rows, dry_run=dry_run, tell=tell)
