"""Writes records into a store of any layout."""

import re
from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from math import isfinite

import numpy
from valkey.crc import key_slot

from townsquare.backup.file import BackupRecord, BadBackup, Type, bytes_of
from townsquare.backup.read_store import entries, is_copied
from townsquare.keyspace import Layout, Registry, Role
from townsquare.keyspace.buckets import SLOT_OF_BUCKET
from townsquare.store.store import Store
from townsquare.store.wire.cluster import Routed
from townsquare.store.wire.connection import Arg, ReplyError

COMMANDS = 1_000  # in one pipeline
BATCH_BYTES = 4 * 1024 * 1024

PLAIN = Layout("any")
LARGEST_STREAM_PART = 2**64 - 1
LATEST_EXPIRY = 2**53  # milliseconds
SCORE = re.compile(rb"[+-]?(inf|[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?)")
ADD = {"hash": "HSET", "set": "SADD", "list": "RPUSH"}


class Validator:
    """Verifies the records of a file one after the other. Redis must not refuse one of them later."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._hashes = array("Q")  # of the names: millions fit into memory
        self._last_id = (0, 0)  # of the stream whose lines are being read

    def validate(self, record: BackupRecord, current: bool) -> None:
        """Raise unless the record can be written and, if its service is `current`, is as it was declared."""
        if not record.more:
            self._hashes.append(hash_of(record))
            self._last_id = (0, 0)
        validate(self._registry, record, current)
        if record.type == "stream":
            for id in stream_ids(record):
                if id < self._last_id or (id == self._last_id and record.value):
                    raise BadBackup(f"{record.key} has ids that do not increase")
                self._last_id = id

    def repeated(self) -> set[int]:
        """The hashes of names that may occur twice."""
        found = numpy.frombuffer(self._hashes, dtype=numpy.uint64)
        found.sort()
        return {int(each) for each in found[1:][found[1:] == found[:-1]]}


def hash_of(record: BackupRecord) -> int:
    return int.from_bytes(blake2b(bytes_of(record.key), digest_size=8).digest())


def require_one_type(records: Iterable[BackupRecord], hashes: set[int]) -> None:
    """Raise if a key occurs with two types. A scan may find a key twice, which does no harm."""
    types: dict[bytes, Type] = {}
    for record in records:
        if hash_of(record) in hashes:
            name = bytes_of(record.key)
            if types.setdefault(name, record.type) != record.type:
                raise BadBackup(f"{name!r} occurs twice, with different types")


def validate(registry: Registry, record: BackupRecord, current: bool) -> None:
    name = bytes_of(record.key).decode(errors="surrogateescape")
    service, colon, text = name.partition(":")
    if not (colon and text and service.isidentifier() and service.isascii()):
        raise BadBackup(f"{name!r} is not the name of a key")
    expiry_is_valid = record.expires is None or 0 < record.expires < LATEST_EXPIRY
    values = [bytes_of(each) for each in record.value]
    if not (expiry_is_valid and is_valid(record.type, values, record.last_id)):
        raise BadBackup(f"{name} has a damaged value")
    key = registry.parse(PLAIN.prefix + name, PLAIN) if current else None
    if key is None:
        return
    if not is_copied(key):
        raise BadBackup(f"{name} does not belong into a backup")
    expected = key.declared.kind.redis_type
    if key.bucket != record.home or expected not in (record.type, "any"):
        raise BadBackup(f"{name} has another type or home than its declaration")


def is_valid(kind: Type, values: list[bytes], last_id: str) -> bool:
    try:
        if kind == "stream":
            found = [*entries(values)]
            ids = [entry[0] for entry in found] if found else [last_id.encode()]
            whole = all(len(entry) == 2 + int(entry[1]) > 2 and len(entry) % 2 == 0 for entry in found)
            return whole and all(map(is_stream_id, ids))
        if kind == "zset":
            return len(values) % 2 == 0 < len(values) and all(map(is_score, values[1::2]))
    except (ValueError, IndexError):
        return False
    if kind == "hash":
        return len(values) % 2 == 0 < len(values)
    return len(values) == 1 if kind == "string" else bool(values)


def is_stream_id(text: bytes) -> bool:
    """A plain number from 0-1 to the largest one."""
    first, _, second = text.partition(b"-")
    if not (
        first.isdigit() and second.isdigit() and len(text) <= len("-") + 2 * len(str(LARGEST_STREAM_PART))
    ):
        return False
    parts = int(first), int(second)
    return parts > (0, 0) and max(parts) <= LARGEST_STREAM_PART


def stream_ids(record: BackupRecord) -> Iterator[tuple[int, int]]:
    """The ids that Redis takes only if they increase."""
    found = [*entries([bytes_of(each) for each in record.value])]
    for id in [entry[0] for entry in found] if found else [record.last_id.encode()]:
        first, _, second = id.partition(b"-")
        yield int(first), int(second)


def is_score(text: bytes) -> bool:
    """Redis refuses numbers that a double cannot represent."""
    if not SCORE.fullmatch(text):
        return False
    number, zero = float(text), not re.search(rb"[1-9]", text.partition(b"e")[0])
    return b"inf" in text or (isfinite(number) and (number != 0 or zero))


def commands(record: BackupRecord, name: bytes) -> Iterator[list[Arg]]:
    """If a key occurs twice, the last one stays."""
    if record.type != "string" and not record.more:
        yield ["DEL", name]
    match record.type:
        case "string":
            yield ["APPEND" if record.more else "SET", name, bytes_of(record.value[0])]
        case "zset":
            values = [bytes_of(each) for each in record.value]
            flat = (each for pair in zip(values[1::2], values[::2], strict=True) for each in pair)
            yield ["ZADD", name, *flat]
        case "stream":
            found = [*entries([bytes_of(each) for each in record.value])]
            for id, _, *pairs in found:
                yield ["XADD", name, id, *pairs]
            if not found and not record.more:  # an empty stream
                yield ["XADD", name, "MAXLEN", 0, record.last_id, "x", "x"]
            elif not found:
                yield ["XSETID", name, record.last_id]
        case _:
            yield [ADD[record.type], name, *(bytes_of(each) for each in record.value)]
    if record.expires is not None:
        yield ["PEXPIREAT", name, record.expires]


class StoreWriter:
    def __init__(self, store: Store) -> None:
        self._side = store.role_stores[Role.DATA]
        self._waiting: list[Routed] = []
        self._size = 0
        self.keys = 0

    async def write(self, record: BackupRecord) -> None:
        layout = self._side.layout
        service, _, text = bytes_of(record.key).partition(b":")
        tag = b"{%b}:" % record.home.encode() if layout.clustered else b""
        name = b"%b%b:%b%b" % (layout.prefix.encode(), service, tag, text)
        slot = SLOT_OF_BUCKET[record.home] if layout.clustered else None
        for command in commands(record, name):
            self._waiting.append((slot, command))
        self._size += sum(map(len, map(bytes_of, record.value)))
        self.keys += not record.more
        if len(self._waiting) >= COMMANDS or self._size >= BATCH_BYTES:
            await self.flush()

    async def flush(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        for (_, command), reply in zip(
            waiting, await self._side.nodes.execute_many(waiting) if waiting else [], strict=True
        ):
            expired = command[0] == "XSETID" and isinstance(reply, ReplyError) and "no such key" in str(reply)
            if isinstance(reply, ReplyError) and not expired:
                raise BadBackup(f"Redis refuses {command[0]!r} on {command[1]!r}: {reply}")


async def delete_all(store: Store, role: Role, spared: Iterable[str] = ()) -> None:
    """Delete the keys of one role, except these names. One Redis may have the keys of both roles.

    Undeclared keys count as data.
    """
    side, kept = store.role_stores[role], set(spared)
    async for names in store.scan(role):
        parsed = ((name, store.registry.parse(name, side.layout)) for name in names if name not in kept)
        found = [
            name.encode(errors="surrogateescape")
            for name, key in parsed
            if (Role.DATA if key is None else key.declared.role) is role
        ]
        unlink: list[Routed] = [(key_slot(name), ["UNLINK", name]) for name in found]
        for reply in await side.nodes.execute_many(unlink) if unlink else []:
            if isinstance(reply, ReplyError):
                raise reply
