"""Gzip and ZIP archives, unpacked into a temporary folder up to a maximum size."""

import gzip
import mmap
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, TypeVar
from zipfile import BadZipFile, ZipFile

import msgspec

from townsquare.comment_files.models import BadImportFile, Skipped

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
CHUNK = 1 << 20
LARGEST = 4 << 30  # bytes unpacked; a million comments are about one gigabyte
MOST_FILES = 100  # in a ZIP archive; WordPress.com splits the export of a large site

BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, BadZipFile, NotImplementedError, RuntimeError)


@contextmanager
def unpacked(path: Path, largest: int = LARGEST) -> Iterator[list[Path]]:
    """The file itself, or the files of an archive until the end of the block."""
    try:
        with path.open("rb") as file:
            head = file.read(len(ZIP))
    except OSError as error:
        raise BadImportFile(f"{path}: {error.strerror}") from None
    if not head.startswith((GZIP, ZIP)):
        yield [path]
        return
    with TemporaryDirectory(prefix="townsquare-import-") as folder:
        unpack = unpack_gzip if head.startswith(GZIP) else unpack_zip
        try:
            files = unpack(path, Path(folder), largest)
        except BROKEN as broken:  # NotImplementedError and RuntimeError: methods and encryption of ZIP
            raise BadImportFile(f"It cannot be unpacked: {broken}") from None
        yield files


def unpack_gzip(path: Path, folder: Path, largest: int) -> list[Path]:
    with gzip.open(path) as packed:
        copy(packed, folder / "0", largest, largest)
    return [folder / "0"]


def unpack_zip(path: Path, folder: Path, largest: int) -> list[Path]:
    with ZipFile(path) as archive:
        members = [one for one in archive.infolist() if is_content(one.filename)]
        if not 0 < len(members) <= MOST_FILES:
            raise BadImportFile(f"The archive has {len(members):,} files; use 1 to {MOST_FILES}")
        room = largest
        for number, member in enumerate(members):
            with archive.open(member) as packed:
                room -= copy(packed, folder / str(number), room, largest)
    return [folder / str(number) for number in range(len(members))]


def is_content(name: str) -> bool:
    """Whether a name is a file of the archive, not a folder or metadata of an operating system."""
    return not name.endswith("/") and not any(
        part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts
    )


def copy(packed: IO[bytes] | gzip.GzipFile, plain: Path, room: int, largest: int) -> int:
    """Unpack a file into at most `room` bytes; return its size."""
    size = 0
    with plain.open("wb") as out:
        while chunk := packed.read(CHUNK):
            size += len(chunk)
            if size > room:
                raise BadImportFile(f"It is larger than {largest >> 20:,} MiB when unpacked")
            out.write(chunk)
    return size


T = TypeVar("T")
R = TypeVar("R")

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


def decoded(texts: Iterable[T], decode: Callable[[T], R], what: str, start: int = 1) -> Iterator[R | Skipped]:
    """Each decoded text, or why it cannot be read; `what` and the number name it."""
    for number, text in enumerate(texts, start):
        try:
            yield decode(text)
        except UNREADABLE as wrong:
            yield Skipped(reason="unreadable", detail=f"{what} {number:,}: {wrong}")


def read_document(path: Path, decode: Callable[[memoryview], T], first: bytes = b"{") -> T:
    """The document from its first bracket on. The file is mapped: `msgspec.Raw` members are not copied."""
    with path.open("rb") as file:
        text = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        return decode(text[max(bytes(text[:HEAD]).find(first), 0) :])
    except UNREADABLE as wrong:
        raise BadImportFile(f"The JSON is broken: {wrong}") from None
