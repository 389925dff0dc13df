"""The file that somebody hands over as a plain file: unpacked if it is gzipped, and not without a bound."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from townsquare.services.threads.importing.problems import BadImportFile

GZIP = b"\x1f\x8b"
CHUNK = 1 << 20
LARGEST = 4 << 30  # bytes unpacked; a million comments are about one gigabyte


@contextmanager
def unpacked(path: Path, largest: int = LARGEST) -> Iterator[Path]:
    """The path, or while the block runs that of an unpacked copy."""
    try:
        with path.open("rb") as file:
            is_gzip = file.read(len(GZIP)) == GZIP
    except OSError as error:
        raise BadImportFile(f"{path}: {error.strerror}") from None
    if not is_gzip:
        yield path
        return
    with TemporaryDirectory(prefix="townsquare-import-") as folder:
        plain = Path(folder, "unpacked")
        unpack(path, plain, largest)
        yield plain


def unpack(path: Path, plain: Path, largest: int) -> None:
    size = 0
    try:
        with gzip.open(path) as packed, plain.open("wb") as out:
            while chunk := packed.read(CHUNK):
                size += len(chunk)
                if size > largest:
                    raise BadImportFile(f"It is larger than {largest >> 20:,} MiB when unpacked")
                out.write(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile) as broken:
        raise BadImportFile(f"It cannot be unpacked: {broken}") from None
