"""Files of one's own: JSON lines or CSV, gzipped or not, read line by line."""

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from townsquare.services.search.importing.rows import NoFilm, film_of
from townsquare.services.search.importing.run import BadRow
from townsquare.services.search.models.films import Film
from townsquare.services.search.problems import BadImportSource

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
