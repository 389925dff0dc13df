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

from townsquare.comment_files.models import BadImportFile, Imported, ImportedComment, ImportedPage
from townsquare.comment_files.unpacking import UNREADABLE, decoded, read_lines
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
    texts = read_lines(path)
    check(next(texts, b""))
    for record in decoded(texts, decode, "line", start=2):
        if isinstance(record, ImportedComment):
            yield msgspec.structs.replace(record, content=lines(record.content))
        else:
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
