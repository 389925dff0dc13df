"""Memory per declaration, by sampling.

All names are scanned and counted. Of each declaration a random sample is measured with MEMORY USAGE. The
error is the half-width of the 95 % confidence interval; it is 0 if the sample has all keys.
"""

import math
import random
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from townsquare.explorer.history import Growth, growth_of, read_history, used_memory
from townsquare.keyspace import Role
from townsquare.store.store import Store
from townsquare.store.wire.connection import NodeConnection

SAMPLE = 500  # keys of one declaration
BATCH = 500
LARGEST = 20
CONFIDENCE = 1.96  # standard errors: 95 %
UNDECLARED = "(not declared)"


class DeclarationMemory(msgspec.Struct, frozen=True):
    service: str
    pattern: str
    role: str
    keys: int
    bytes: int
    error: int  # bytes, more or less
    measured: int


class LargeKey(msgspec.Struct, frozen=True):
    name: str
    bytes: int


class MemoryReport(msgspec.Struct, frozen=True):
    declarations: list[DeclarationMemory]  # the largest first
    largest: list[LargeKey]  # among the measured keys
    bytes: int
    error: int
    used: int  # by the nodes of the data store, with their overhead
    limit: int  # maxmemory of these nodes, or 0
    growth: Growth | None


class Sample:
    """A uniform sample of a stream of unknown length (reservoir sampling)."""

    def __init__(self, size: int, chosen: random.Random) -> None:
        self._size = size
        self._random = chosen
        self.seen = 0
        self.items: list[tuple[NodeConnection, str]] = []

    def add(self, item: tuple[NodeConnection, str]) -> None:
        self.seen += 1
        if len(self.items) < self._size:
            self.items.append(item)
        elif (place := self._random.randrange(self.seen)) < self._size:
            self.items[place] = item


class Group(NamedTuple):
    role: Role
    service: str
    pattern: str


async def measure_memory(store: Store, *, sample: int = SAMPLE, seed: int | None = None) -> MemoryReport:
    """Scan all keys, and measure up to `sample` of each declaration."""
    samples = await sampled(store, sample, random.Random(seed))
    rows: list[DeclarationMemory] = []
    largest: list[LargeKey] = []
    for group, its in samples.items():
        sizes = await sizes_of(its.items)
        largest += [LargeKey(name, size) for (_, name), size in zip(its.items, sizes, strict=True)]
        largest = sorted(largest, key=lambda one: -one.bytes)[:LARGEST]
        total, error = estimate(sizes, its.seen)
        rows.append(
            DeclarationMemory(group.service, group.pattern, group.role, its.seen, total, error, len(sizes))
        )
    used, limit = await used_memory(store)
    return MemoryReport(
        declarations=sorted(rows, key=lambda row: -row.bytes),
        largest=largest,
        bytes=sum(row.bytes for row in rows),
        error=round(math.hypot(*(row.error for row in rows))),
        used=used,
        limit=limit,
        growth=growth_of(await read_history(store), used, limit),
    )


async def sampled(store: Store, size: int, chosen: random.Random) -> dict[Group, Sample]:
    samples: dict[Group, Sample] = {}
    for role, side in store.role_stores.items():
        for node in side.nodes.connections():
            async for names in store.scan_node(role, node):
                for name in names:
                    key = store.registry.parse(name, side.layout)
                    if key is not None and key.declared.role is not role:
                        continue  # both roles are on one node: counted under its own
                    declared = key.declared if key else None
                    group = (
                        Group(role, declared.service, declared.pattern)
                        if declared
                        else Group(role, "", UNDECLARED)
                    )
                    if group not in samples:
                        samples[group] = Sample(size, chosen)
                    samples[group].add((node, name))
    return samples


async def sizes_of(items: Sequence[tuple[NodeConnection, str]]) -> list[int]:
    """Bytes of each key; 0 if it is gone."""
    sizes = [0] * len(items)
    of_node: dict[NodeConnection, list[int]] = {}
    for index, (node, _) in enumerate(items):
        of_node.setdefault(node, []).append(index)
    for node, indexes in of_node.items():
        for start in range(0, len(indexes), BATCH):
            part = indexes[start : start + BATCH]
            names = [items[index][1].encode(errors="surrogateescape") for index in part]
            replies = await node.execute_many([["MEMORY", "USAGE", name] for name in names])
            for index, reply in zip(part, replies, strict=True):
                sizes[index] = reply if isinstance(reply, int) else 0
    return sizes


def estimate(sizes: Sequence[int], count: int) -> tuple[int, int]:
    """The total of all keys and its error, from a sample of them without replacement."""
    if not sizes:
        return 0, 0
    if len(sizes) >= count:
        return sum(sizes), 0
    spread = statistics.stdev(sizes) if len(sizes) > 1 else sizes[0]
    unmeasured = math.sqrt(1 - len(sizes) / count)
    return (
        round(statistics.fmean(sizes) * count),
        math.ceil(CONFIDENCE * spread / math.sqrt(len(sizes)) * count * unmeasured),
    )
