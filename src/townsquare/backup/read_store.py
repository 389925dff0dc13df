"""Reads all data of an environment as records, independent of layout and engine."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, cast

from townsquare.backup.file import CHUNK_BYTES, BackupRecord, BadBackup, Text, Type, text_of
from townsquare.keyspace import AnyKey, Layout, Registry, Role, bucket_of
from townsquare.keyspace.layout import TAG
from townsquare.store import keys
from townsquare.store.wire.connection import NodeConnection

BATCH = 500  # keys per SCAN
MEMBERS = 1_000  # larger collections are read in pages
NOT_COPIED = (keys.data_state, keys.lease, keys.outbox_lease)  # they belong to the store, not to the data

READ_KEYS = """
local members, bytes = tonumber(ARGV[1]), tonumber(ARGV[2])
local size = {string = 'STRLEN', hash = 'HLEN', set = 'SCARD', zset = 'ZCARD', list = 'LLEN', stream = 'XLEN'}
local now = redis.call('TIME')

local function value(kind, name)  -- bounded: by the size that was read before
  if kind == 'string' then return {redis.call('GET', name)} end
  if kind == 'hash' then return redis.call('HGETALL', name) end  -- bounded: see above
  if kind == 'set' then return redis.call('SMEMBERS', name) end  -- bounded: see above
  if kind == 'zset' then return redis.call('ZRANGE', name, 0, -1, 'WITHSCORES') end  -- bounded: see above
  if kind == 'list' then return redis.call('LRANGE', name, 0, -1) end  -- bounded: see above
  return redis.call('XRANGE', name, '-', '+', 'COUNT', members)
end

local found = {}
for place, name in ipairs(KEYS) do
  local kind = redis.call('TYPE', name).ok
  found[place] = {kind}
  if size[kind] then
    local expires = redis.pcall('PEXPIRETIME', name)
    if type(expires) == 'table' then  -- Redis 6.2
      expires = redis.call('PTTL', name)
      if expires >= 0 then expires = expires + now[1] * 1000 + math.floor(now[2] / 1000) end
    end
    local many = redis.call(size[kind], name)
    local small = many <= (kind == 'string' and bytes or members)
    found[place] = {kind, expires, small and value(kind, name) or false}
  end
end
return found
"""


class StoreScan:
    """All records of one environment on some nodes."""

    def __init__(self, nodes: Sequence[NodeConnection], layout: Layout, registry: Registry) -> None:
        self._nodes = nodes
        self._layout = layout
        self._registry = registry
        self.large = 0  # keys read in pages
        self.total = 0  # keys of the nodes, of all environments
        self.seen = 0

    async def records(self, *, by_home: bool = False) -> AsyncIterator[BackupRecord]:
        """With `by_home`, all small keys of a home are read in one step: consistent during writes."""
        self.total = sum([await node.execute("DBSIZE") for node in self._nodes])
        for node in self._nodes:
            async for groups in self._names_by_home(node) if by_home else self._names_by_batch(node):
                for group in groups:
                    async for record in self._read(node, group):
                        yield record

    async def _names_by_batch(self, node: NodeConnection) -> AsyncIterator[Iterable[list[bytes]]]:
        async for names in self._scan(node):
            yield self._by_bucket(names).values() if self._layout.clustered else [names]

    async def _names_by_home(self, node: NodeConnection) -> AsyncIterator[Iterable[list[bytes]]]:
        names = {name async for batch in self._scan(node) for name in batch}
        yield self._by_bucket(names).values()

    async def _scan(self, node: NodeConnection) -> AsyncIterator[list[bytes]]:
        cursor = b"0"
        while True:
            pattern = f"{self._layout.prefix}*"
            cursor, names = await node.execute("SCAN", cursor, "MATCH", pattern, "COUNT", BATCH)
            yield [*dict.fromkeys(names)]
            if cursor == b"0":
                return

    def _by_bucket(self, names: Iterable[bytes]) -> dict[str, list[bytes]]:
        groups: dict[str, list[bytes]] = defaultdict(list)
        for name in names:
            groups[self._place(name)[1]].append(name)
        return groups

    def _place(self, raw: bytes) -> tuple[bytes, str, AnyKey | None]:
        """The name without environment and hash tag, its bucket, and the declared key."""
        name = raw.decode(errors="surrogateescape")
        key = self._registry.parse(name, self._layout)
        service, _, text = name[len(self._layout.prefix) :].partition(":")
        bucket = key.bucket if key else bucket_of(text.encode(errors="surrogateescape").decode("latin-1"))
        if self._layout.clustered and (tagged := TAG.fullmatch(text)):
            bucket, text = tagged[1], tagged[2]
        return f"{service}:{text}".encode(errors="surrogateescape"), bucket, key

    async def _read(self, node: NodeConnection, group: list[bytes]) -> AsyncIterator[BackupRecord]:
        places = [(name, *self._place(name)) for name in group]
        wanted = [place for place in places if is_copied(place[3])]
        self.seen += len(group)
        for start in range(0, len(wanted), MEMBERS):
            part = wanted[start : start + MEMBERS]
            names = [name for name, *_ in part]
            replies = await node.execute("EVAL", READ_KEYS, len(names), *names, MEMBERS, CHUNK_BYTES)
            for (name, short, bucket, key), reply in zip(part, replies, strict=True):
                kind = reply[0].decode()
                if kind == "none" or (key and key.declared is keys.outbox and reply[2] == []):
                    continue  # it has expired, or all its effects are applied
                if len(reply) == 1:
                    raise BadBackup(f"{short!r} has the type {kind}, which a backup cannot contain")
                record = BackupRecord(text_of(short), bucket, cast(Type, kind), [])
                record.expires = reply[1] if reply[1] >= 0 else None
                async for line in self._lines(node, name, record, reply[2]):
                    yield line

    async def _lines(
        self, node: NodeConnection, name: bytes, record: BackupRecord, value: list[Any] | None
    ) -> AsyncIterator[BackupRecord]:
        if value is None:
            self.large += 1
            async for page in pages(node, name, record.type):
                for line in in_chunks(record, page):
                    yield line
                    record.more = True
        else:
            for line in in_chunks(record, flat_entries(value) if record.type == "stream" else value):
                yield line
                record.more = True
        if record.type == "stream":
            record.last_id = await last_id(node, name)
            yield line_of(record, [], record.more)


def is_copied(key: AnyKey | None) -> bool:
    return key is None or (key.declared.role is Role.DATA and key.declared not in NOT_COPIED)


def in_chunks(record: BackupRecord, flat: Sequence[bytes]) -> Iterable[BackupRecord]:
    """Lines of about CHUNK_BYTES. Pairs and entries of a stream stay together."""
    chunk: list[Text] = []
    size, more = 0, record.more
    units = (
        entries(flat) if record.type == "stream" else units_of(flat, 1 + (record.type in ("hash", "zset")))
    )
    for unit in units:
        length = sum(map(len, unit))
        if chunk and size + length > CHUNK_BYTES:
            yield line_of(record, chunk, more)
            chunk, size, more = [], 0, True
        chunk += map(text_of, unit)
        size += length
    if chunk:
        yield line_of(record, chunk, more)


def line_of(record: BackupRecord, value: list[Text], more: bool) -> BackupRecord:
    return BackupRecord(record.key, record.home, record.type, value, record.expires, more, record.last_id)


def units_of(flat: Sequence[bytes], length: int) -> Iterable[Sequence[bytes]]:
    return (flat[place : place + length] for place in range(0, len(flat), length))


def entries(flat: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """The entries of a stream: each is its id, the number of the following values, and these."""
    place = 0
    while place < len(flat):
        end = place + 2 + max(0, int(flat[place + 1]))
        yield flat[place:end]
        place = end


def flat_entries(found: Iterable[Any]) -> list[bytes]:
    flat: list[bytes] = []
    for id, pairs in found:
        flat += [id, b"%d" % len(pairs), *pairs]
    return flat


async def last_id(node: NodeConnection, name: bytes) -> str:
    info = await node.execute("XINFO", "STREAM", name)
    return cast(bytes, info[b"last-generated-id"]).decode()


async def pages(node: NodeConnection, name: bytes, kind: Type) -> AsyncIterator[list[bytes]]:
    """The value of a large key, in pages; members may occur twice, except in lists."""
    scan = {"hash": "HSCAN", "set": "SSCAN", "zset": "ZSCAN"}.get(kind)
    if scan:
        cursor = b"0"
        while True:
            cursor, page = await node.execute(scan, name, cursor, "COUNT", MEMBERS)
            yield page
            if cursor == b"0":
                return
    place, start = 0, b"-"
    while True:
        if kind == "string":
            page = [await node.execute("GETRANGE", name, place, place + CHUNK_BYTES - 1)]
            place += CHUNK_BYTES
        elif kind == "list":
            page = await node.execute("LRANGE", name, place, place + MEMBERS - 1)
            place += MEMBERS
        else:
            found = await node.execute("XRANGE", name, start, "+", "COUNT", MEMBERS)
            start = b"(" + found[-1][0] if found else start
            page = flat_entries((id, flatten(pairs)) for id, pairs in found)
        if not page or (kind == "string" and not page[0]):
            return
        yield page


def flatten(pairs: Any) -> list[bytes]:
    return [each for pair in pairs.items() for each in pair] if isinstance(pairs, dict) else list(pairs)
