"""Which system a file comes from, by how it begins."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from townsquare.services.threads.importing import commento, disqus, isso, native, remark42, wordpress
from townsquare.services.threads.importing.models import Imported
from townsquare.services.threads.importing.problems import BadImportFile
from townsquare.services.threads.importing.unpacking import LARGEST, unpacked

FormatName = Literal["disqus", "wordpress", "isso", "remark42", "commento", "native"]
Read = Callable[[Path], Iterator[Imported]]

READERS: dict[FormatName, Read] = {
    "disqus": disqus.read,
    "wordpress": wordpress.read,
    "isso": isso.read,
    "remark42": remark42.read,
    "commento": commento.read,
    "native": native.read,
}
HEAD = 1 << 16
SQLITE = b"SQLite format 3\0"
ZIP = b"PK\x03\x04"
NAME = re.compile(r'"(\w+)"\s*:')


def format_of(path: Path) -> FormatName:
    """The name of the format of an unpacked file."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise BadImportFile("The file is empty")
    if head.startswith(SQLITE):
        return "isso"
    if head.startswith(ZIP):
        raise BadImportFile("Unpack the ZIP archive first and import the file in it")
    text = head.replace(b"\0", b"").decode(errors="ignore")  # UTF-16 has a zero beside every letter
    found = format_of_xml(text) or format_of_json(text)
    if not found:
        raise BadImportFile(f"It is none of: {', '.join(READERS)}")
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
    if "commentHex" in names or names[:2] in (["version", "comments"], ["version", "commenters"]):
        return "commento"
    if "locator" in names or names[:2] in (["version", "users"], ["version", "posts"]):
        return "remark42"
    return None


@contextmanager
def opened(
    path: Path, format: FormatName | None = None, largest: int = LARGEST
) -> Iterator[tuple[FormatName, Iterator[Imported]]]:
    """The format of a file, guessed if it is not given, and what is in it, in the order of the file."""
    with unpacked(path, largest) as plain:
        name = format or format_of(plain)
        yield name, READERS[name](plain)
