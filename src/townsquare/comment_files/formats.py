"""The formats of import files, detected from the beginning of the file."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Literal, cast, get_args

from townsquare.comment_files import native
from townsquare.comment_files.models import BadImportFile, Imported
from townsquare.comment_files.unpacking import LARGEST, unpacked

FormatName = Literal[  # each is also the name of the module that reads it
    "disqus", "wordpress", "isso", "isso_json", "remark42", "commento", "comentario", "native"
]
Read = Callable[[Path], Iterator[Imported]]

FORMATS: tuple[FormatName, ...] = get_args(FormatName)
HEAD = 1 << 16
SQLITE = b"SQLite format 3\0"
NAME = re.compile(r'"(\w+)"\s*:')


def format_of(path: Path) -> FormatName:
    """The format of an unpacked file."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise BadImportFile("The file is empty")
    if head.startswith(SQLITE):
        return "isso"
    text = head.replace(b"\0", b"").decode(errors="ignore")  # UTF-16 has a zero beside every letter
    found = format_of_xml(text) or format_of_json(text)
    if not found:
        raise BadImportFile(f"It is none of: {', '.join(FORMATS)}")
    return found


def format_of_xml(text: str) -> FormatName | None:
    if re.search(r"<disqus[\s>]", text):
        return "disqus"
    if re.search(r"<rss[\s>]", text) and "://wordpress.org/export/" in text:
        return "wordpress"
    return None


def format_of_json(text: str) -> FormatName | None:
    if f'"{native.KIND}"' in text[:1000]:
        return "native"
    names = NAME.findall(text)
    if names[:2] == ["version", "pages"] or "userCreated" in names:
        return "comentario"
    if "commentHex" in names or names[:2] in (["version", "comments"], ["version", "commenters"]):
        return "commento"
    if "locator" in names or names[:2] in (["version", "users"], ["version", "posts"]):
        return "remark42"
    if text.lstrip("\ufeff \t\r\n").startswith("[") and "comments" in names:
        return "isso_json"
    return None


def reader_of(format: FormatName) -> Read:
    return cast(Read, import_module(f"townsquare.comment_files.{format}").read)


@contextmanager
def opened(
    path: Path,
    format: FormatName | None = None,
    largest: int = LARGEST,
    before_reading: Callable[[int], None] | None = None,
) -> Iterator[tuple[FormatName, Iterator[Imported]]]:
    """The format of a file, detected if it is not given, and its records in the order of the file.

    `before_reading` gets the unpacked size in bytes.
    """
    with unpacked(path, largest) as files:
        if before_reading:
            before_reading(sum(file.stat().st_size for file in files))
        name, readable = (format, files) if format else detected(files)
        yield name, chain.from_iterable(map(reader_of(name), readable))


def detected(files: Sequence[Path]) -> tuple[FormatName, list[Path]]:
    """The format of an archive and its files of that format; an archive may contain a readme as well."""
    if len(files) == 1:
        return format_of(files[0]), list(files)
    found: dict[Path, FormatName] = {}
    for file in files:
        with suppress(BadImportFile):
            found[file] = format_of(file)
    if len(set(found.values())) != 1:
        formats = ", ".join(sorted(set(found.values()))) or "no known format"
        raise BadImportFile(f"The archive must contain one format, it contains: {formats}")
    return next(iter(found.values())), list(found)
