"""JSON files: one object per line, as in Remark42's backups and our exports, or one document."""

import mmap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from townsquare.comment_files.problems import BadImportFile

T = TypeVar("T")

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
LONGEST_LINE = 64 << 20  # bytes: the first line of a backup names every user
JUNK = b"\xef\xbb\xbf \t\r\n"
HEAD = 1 << 12  # bytes that may precede the document


def read_lines(path: Path) -> Iterator[bytes]:
    """Every line that is not empty, the first from its "{" on."""
    with path.open("rb") as file:
        is_first = True
        while found := file.readline(LONGEST_LINE):
            if len(found) == LONGEST_LINE:
                raise BadImportFile("A line is too long")
            text = found[max(found.find(b"{"), 0) :] if is_first else found
            text = text.strip(JUNK)
            if text:
                is_first = False
                yield text


def read_document(path: Path, decode: Callable[[memoryview], T], first: bytes = b"{") -> T:
    """The document from its first bracket on. The file is mapped: `msgspec.Raw` members are not copied."""
    with path.open("rb") as file:
        text = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        return decode(text[max(bytes(text[:HEAD]).find(first), 0) :])
    except UNREADABLE as wrong:
        raise BadImportFile(f"The JSON is broken: {wrong}") from None
