"""Our own export: JSON Lines, a header, then pages and comments.

    {"kind": "townsquare.comments", "version": 1}
    {"kind": "page", "id": "…", "url": "https://example.com/a", "title": "A"}
    {"kind": "comment", "id": "…", "page_id": "…", "author": {"name": "Ann"}, "content": "Hi"}

The lines are the structs of `models`, in any order. A converter for another system writes these lines.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec

from townsquare.comment_files.json_files import UNREADABLE, read_lines
from townsquare.comment_files.models import Imported, ImportedComment, ImportedPage, Skipped
from townsquare.comment_files.problems import BadImportFile
from townsquare.comment_files.values import lines

KIND: Literal["townsquare.comments"] = "townsquare.comments"
VERSION = 1


class ExportHeader(msgspec.Struct):
    kind: Literal["townsquare.comments"] = KIND
    version: int = VERSION


encode = msgspec.json.Encoder().encode
decode_header = msgspec.json.Decoder(ExportHeader).decode
decode = msgspec.json.Decoder(ImportedPage | ImportedComment).decode


def read(path: Path) -> Iterator[Imported]:
    found = enumerate(read_lines(path), 1)
    check(next(found, (0, b""))[1])
    for number, text in found:
        try:
            record = decode(text)
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"line {number:,}: {wrong}")
            continue
        if isinstance(record, ImportedComment):
            record = msgspec.structs.replace(record, content=lines(record.content))
        yield record


def check(text: bytes) -> None:
    try:
        header = decode_header(text)
    except UNREADABLE as wrong:
        raise BadImportFile(f"The first line: {wrong}") from None
    if header.version != VERSION:
        raise BadImportFile(f"This is version {header.version} of the format, we read {VERSION}")


def write(records: Iterable[ImportedPage | ImportedComment]) -> Iterator[bytes]:
    """The lines of an export."""
    yield from map(line_of, chain([ExportHeader()], records))


def line_of(record: ExportHeader | ImportedPage | ImportedComment) -> bytes:
    return encode(record) + b"\n"
