"""An import: films in batches into the index, what is known left out, what is bad told by its line.

Running it again goes on where it ended: films that are there unchanged are not written again.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from townsquare.kit.text import cleaned_line
from townsquare.services.search.models.films import Film
from townsquare.services.search.service.lexical.index import SqlLexicalIndex
from townsquare.services.search.service.lexical.rows import digest_of, record_of

T = TypeVar("T")

BATCH = 2_000  # films in one transaction
MOST_FAULTS = 100  # bad rows that are told one by one


class BadRow(NamedTuple):
    """A row that is no film."""

    line: int
    fault: str


class FilmImportReport(msgspec.Struct, kw_only=True):
    rows: int = 0
    added: int = 0  # or changed
    unchanged: int = 0  # here already
    known: int = 0  # films that our own catalogue has
    bad: int = 0
    faults: list[str] = []  # of the first bad rows


Tell = Callable[[FilmImportReport], object]


def nobody(_: FilmImportReport) -> None:
    """Hears of the progress when nobody else wants to."""


async def import_films(
    lexical: SqlLexicalIndex,
    source: str,
    rows: Iterable[Film | BadRow] | AsyncIterator[Film | BadRow],
    *,
    dry_run: bool = False,
    tell: Tell = nobody,
) -> FilmImportReport:
    """Add films under the name of their source; `tell` hears of the progress after each batch."""
    report = FilmImportReport()
    digests = await lexical.digests(source)
    async for batch in in_batches(rows):
        report.rows += len(batch)
        films: dict[int, Film] = {}
        for row in batch:
            if isinstance(row, Film):
                films[row.id] = cleaned(row)
            else:
                report.bad += 1
                if len(report.faults) < MOST_FAULTS:
                    report.faults.append(f"line {row.line}: {row.fault}")
        known = await lexical.known_elsewhere(list(films.values()), source)
        changed = [
            film
            for film in films.values()
            if film.id not in known and digests.get(film.id) != digest_of(record_of(film))
        ]
        report.known += len(known)
        report.unchanged += len(films) - len(known) - len(changed)
        report.added += len(changed)
        if changed and not dry_run:
            await lexical.add(changed, source)
        tell(report)
    return report


def cleaned(film: Film) -> Film:
    """Without characters that would control whatever shows it."""
    return msgspec.convert(cleaned_lines(msgspec.to_builtins(film)), Film)


def cleaned_lines(value: Any) -> Any:
    match value:
        case str():
            return cleaned_line(value)
        case dict():
            return {name: cleaned_lines(one) for name, one in value.items()}
        case list() | tuple():
            return [one for one in map(cleaned_lines, value) if one != ""]
    return value


async def in_batches(rows: Iterable[T] | AsyncIterator[T]) -> AsyncIterator[list[T]]:
    if isinstance(rows, AsyncIterator):
        batch: list[T] = []
        async for row in rows:
            batch.append(row)
            if len(batch) == BATCH:
                yield batch
                batch = []
        if batch:
            yield batch
        return
    rest: Iterator[T] = iter(rows)
    while found := list(islice(rest, BATCH)):
        yield found
