"""Files with one JSON object a line, as Remark42's backups and our own exports are."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from townsquare.services.threads.importing.problems import BadImportFile

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
LONGEST_LINE = 64 << 20  # bytes: the first line of a backup names every user
JUNK = b"\xef\xbb\xbf \t\r\n"


def read_lines(path: Path) -> Iterator[bytes]:
    """Every line that has something in it; what stands before the first "{" does not matter."""
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
