"""The process that reads one untrusted import file, with limits on its memory, CPU time and files.

It writes length-prefixed MessagePack messages to its standard output: progress, a summary when the whole
file is read, then the comments in batches. `reading` starts it.
"""

import os
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import cast

import msgspec

from townsquare.comment_files import formats
from townsquare.comment_files.arranging import arranged
from townsquare.comment_files.formats import FormatName
from townsquare.comment_files.models import BadImportFile, ImportedComment, ImportedPage, Skipped
from townsquare.kit.child_process import limit

MIB = 1 << 20
MEMORY = 1024 * MIB  # without the mapping of the file; a million comments need about 600 MiB
SECONDS, SECONDS_PER_MIB, MOST_SECONDS = 60, 5, 1_800  # of CPU time
OPEN_FILES = 64
TOO_MUCH_MEMORY = "Reading it needs too much memory"


class ReadProgress(msgspec.Struct, tag="progress"):
    read: int  # comments


class ReadSummary(msgspec.Struct, tag="summary"):
    format: str
    total: int
    orphans: int
    skipped: dict[str, int]
    samples: list[Skipped]
    repaired: list[str]


class PageComments(msgspec.Struct, tag="comments"):
    """Some comments of one page, parents first."""

    page: ImportedPage
    comments: list[ImportedComment]


class ReadFailure(msgspec.Struct, tag="failure"):
    detail: str


class ReadEnd(msgspec.Struct, tag="end"):
    pass


ReaderMessage = ReadProgress | ReadSummary | PageComments | ReadFailure | ReadEnd

encode = msgspec.msgpack.Encoder().encode


def send(message: ReaderMessage) -> None:
    data = encode(message)
    sys.stdout.buffer.write(len(data).to_bytes(4, "big") + data)
    sys.stdout.buffer.flush()


def limit_resources(size: int, largest: int) -> None:
    limit(resource.RLIMIT_DATA, MEMORY)
    limit(resource.RLIMIT_AS, MEMORY + size)  # not every system counts mappings in RLIMIT_DATA
    limit(resource.RLIMIT_CPU, min(SECONDS + SECONDS_PER_MIB * size // MIB, MOST_SECONDS))
    limit(resource.RLIMIT_FSIZE, 3 * largest + 64 * MIB)
    limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    limit(resource.RLIMIT_CORE, 0)


def end_with_parent() -> None:
    """The parent holds the other end of standard input, and closes it when it dies."""
    os.read(sys.stdin.fileno(), 1)  # without the lock of `sys.stdin`, which would abort a normal exit
    os._exit(1)


def main(file: str, format: str, largest: int, batch: int) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    limit_resources(min(Path(file).stat().st_size, largest), largest)
    try:
        with (
            formats.opened(
                Path(file),
                cast(FormatName | None, format or None),
                largest,
                lambda size: limit_resources(size, largest),
            ) as (name, records),
            arranged(records, lambda read: send(ReadProgress(read))) as comments,
        ):
            skipped = {str(reason): count for reason, count in comments.skipped.items()}
            send(
                ReadSummary(
                    name, comments.total, comments.orphans, skipped, comments.samples, comments.repaired
                )
            )
            for page, some in comments.batches(batch):
                send(PageComments(page, some))
        send(ReadEnd())
    except BadImportFile as bad:
        send(ReadFailure(bad.detail))
    except MemoryError:
        send(ReadFailure(TOO_MUCH_MEMORY))
    except OSError as error:
        send(ReadFailure(f"It cannot be read: {error.strerror}"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
