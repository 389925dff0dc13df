"""The backup file: gzip-compressed lines of JSON, described in docs/backup.md.

The first line is the header, the last one has a checksum of all others. A file without its last line, or with
another checksum, is refused as a whole.
"""

import gzip
import hashlib
import os
import tempfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from townsquare.problems import Problem

FORMAT = 1
LONGEST_LINE = 64 * 1024 * 1024  # bytes
MOST_VALUES = 1_000_000  # in a line: Redis takes no command with more
CHUNK_BYTES = 1024 * 1024  # of values in one line, unless one value is longer
COMPRESSION = 1  # the fastest: a higher level halves the speed and saves a tenth
PARTIAL = ".partial"


class BadBackup(Problem):
    code, status, title = "bad_backup", 422, "The backup cannot be used"


class Base64(msgspec.Struct, frozen=True):
    """Bytes that are not UTF-8."""

    base64: str


Text = str | Base64
Bucket = Annotated[str, Meta(pattern=r"^[0-3][0-9a-f]{2}\Z")]
Type = Literal["string", "hash", "set", "zset", "list", "stream"]


class BackupHeader(msgspec.Struct, tag_field="line", tag="header", kw_only=True):
    format: int
    townsquare: str  # the version that made the backup
    made_at: str  # ISO 8601
    env: str
    engine: str
    layout: Literal["plain", "cluster"]
    consistency: str
    versions: dict[str, Annotated[int, Meta(ge=1)]]  # of the key layout of each service
    supply: list[str]  # secrets that are settings: the operator must supply them again


class BackupRecord(msgspec.Struct, tag_field="line", tag="key", omit_defaults=True):
    """A key, or a part of a large one."""

    key: Text  # service:name, without environment and hash tag
    home: Bucket
    type: Type
    value: Annotated[
        list[Text], Meta(max_length=MOST_VALUES)
    ]  # hash: field, value, …; zset: member, score, …; stream: id, count, field, value, …
    expires: int | None = None  # ms since 1970
    more: bool = False  # continues the key of the line before
    last_id: str = ""  # of a stream, in its last line, which has no value


class BackupEnd(msgspec.Struct, tag_field="line", tag="end"):
    keys: int
    sha256: str


Line = BackupHeader | BackupRecord | BackupEnd

_decode: Callable[[bytes], Line] = msgspec.json.Decoder(Line).decode
_encode = msgspec.json.Encoder().encode


def text_of(raw: bytes) -> Text:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Base64(b64encode(raw).decode())


def bytes_of(text: Text) -> bytes:
    try:
        return text.encode() if isinstance(text, str) else b64decode(text.base64, validate=True)
    except ValueError:
        raise BadBackup("A value is not valid base64 or UTF-8") from None


class BackupWriter:
    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.keys = 0

    def write(self, line: BackupHeader | BackupRecord) -> None:
        encoded = _encode(line) + b"\n"
        if len(encoded) > LONGEST_LINE:
            raise BadBackup(f"A value is too long for a backup: {getattr(line, 'key', '')}")
        self.keys += isinstance(line, BackupRecord) and not line.more
        self._digest.update(encoded)
        self._stream.write(encoded)

    def finish(self) -> None:
        self._stream.write(_encode(BackupEnd(self.keys, self._digest.hexdigest())) + b"\n")


@contextmanager
def written_backup(path: Path) -> Iterator[BackupWriter]:
    """Write a backup with mode 0600. The file gets its name when it is complete and on disk."""
    if path.exists():
        raise BadBackup(f"{path} exists: choose another name")
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    except OSError as error:
        raise BadBackup(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(number, "wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=COMPRESSION, filename="") as stream:
                writer = BackupWriter(stream)
                yield writer
                writer.finish()
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        raise BadBackup(f"{path} cannot be written: {error.strerror}") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def read_backup(path: Path) -> Iterator[Line]:
    """All lines in bounded memory. A damaged file raises `BadBackup` before the last line is returned."""
    try:
        with gzip.open(path, "rb") as stream:
            yield from _checked_lines(stream)
    except (OSError, EOFError, zlib.error) as error:
        raise BadBackup(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except BadBackup as bad:
        raise BadBackup(f"{path}: {bad.detail}") from None


def _checked_lines(stream: gzip.GzipFile) -> Iterator[Line]:
    digest = hashlib.sha256()
    keys, number = 0, 0
    key: tuple[Text, Bucket, Type] | None = None
    while encoded := stream.readline(LONGEST_LINE + 1):
        number += 1
        line = _decoded(encoded, number)
        if isinstance(line, BackupHeader) != (number == 1):
            raise BadBackup("it does not begin with one header")
        if isinstance(line, BackupEnd):
            if line != BackupEnd(keys, digest.hexdigest()) or stream.read(1):
                raise BadBackup("the checksum is wrong: the file is damaged")
            yield line
            return
        if isinstance(line, BackupRecord):
            before, key = key, (line.key, line.home, line.type)
            if line.more and key != before:
                raise BadBackup(f"line {number} continues another key")
            keys += not line.more
        elif line.format != FORMAT:
            raise BadBackup(f"it has format {line.format}, this Townsquare reads format {FORMAT}")
        digest.update(encoded)
        yield line
    raise BadBackup("the file is incomplete: its end is missing")


def _decoded(encoded: bytes, number: int) -> Line:
    if len(encoded) > LONGEST_LINE:
        raise BadBackup(f"line {number} is too long")
    try:
        return _decode(encoded)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise BadBackup(f"line {number} is not a line of a backup") from None
