"""`townsquare search import …`: films from elsewhere, with a bar, from a terminal."""

from collections.abc import AsyncIterator, Container, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

import click

from townsquare.kit.command_parameters import Argument, Option
from townsquare.kit.terminal import ProgressBar
from townsquare.service_resources import Resources
from townsquare.services.search.problems import BadImportSource
from townsquare.settings import Settings

BAD_ROWS = 2  # the exit code when some rows were no films
SHOWN = 20  # bad rows

Source = Annotated[
    str,
    Argument(
        help="A file (JSON lines or CSV, gzipped or not), or bokeh (17,472 films, CC0), or tmdb (by key)."
    ),
]
SourceName = Annotated[
    str | None, Option("--name", help="Of the source, by which it is known again. Default: the file's.")
]
FilmCount = Annotated[int, Option("--count", min=1, max=10_000, help="How many films of TMDB.")]
DryRun = Annotated[bool, Option("--dry-run", help="Read and judge everything, change nothing.")]


async def import_command(
    square: Resources,
    source: Source,
    name: SourceName = None,
    count: FilmCount = 1000,
    dry_run: DryRun = False,
) -> int:
    """Add films to the catalogue. Run again, it goes on where it ended.

    Columns of TMDB 5000, Wikipedia movie plots and MovieLens are understood. Films that are known by title
    and year are left out; a running server finds the others within seconds.
    """
    from townsquare.services.search.importing.run import FilmImportReport, import_films
    from townsquare.services.search.service.indexes import SearchIndexes

    async with AsyncExitStack() as opened:
        indexes = await SearchIndexes.open(square.settings)
        opened.push_async_callback(indexes.close)
        label = source if source in ("bokeh", "tmdb") else name or Path(source).name
        known = await indexes.lexical.digests(label)
        rows = films_of(source, label, count, known, square.settings, opened)
        await indexes.indexing.update_names()  # what our own catalogue has is not brought twice
        bar = opened.enter_context(ProgressBar(f"Importing {label}"))

        def tell(report: FilmImportReport) -> None:
            bar.update(report.rows)

        report = await import_films(indexes.lexical, label, rows, dry_run=dry_run, tell=tell)
    for fault in report.faults[:SHOWN]:
        click.secho(fault, fg="red", err=True)
    click.echo(
        f"{report.rows:,} rows: {report.added:,} films {'would be ' if dry_run else ''}added, "
        f"{report.unchanged:,} unchanged, {report.known:,} known from elsewhere, {report.bad:,} bad."
    )
    return BAD_ROWS if report.bad else 0


def films_of(
    source: str, label: str, count: int, known: Container[int], settings: Settings, opened: AsyncExitStack
) -> Iterable[Any] | AsyncIterator[Any]:
    from townsquare.services.search.importing import bokeh, files, tmdb
    from townsquare.services.search.service.tmdb import Tmdb

    if source == "bokeh":
        bokeh.database()
        return bokeh.read()
    if source == "tmdb":
        if not settings.tmdb_key:
            raise BadImportSource("TMDB takes a key: set tmdb_key")
        client = Tmdb(settings.tmdb_url, settings.tmdb_key)
        opened.push_async_callback(client.close)
        return tmdb.read(client, count, known)
    if not Path(source).is_file():
        raise BadImportSource(f"There is no file {source}; or say bokeh, or tmdb")
    return files.read_file(Path(source), label)
