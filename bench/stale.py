"""Four processes that write and read at once, in all kinds of trouble: no read shows what was before a write.

A read that begins after a write was acknowledged, to whichever process, must show that write or a later one.
BENCH_SECONDS is how long, on one node and again on a cluster.
"""

import asyncio
import contextlib
import multiprocessing
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from multiprocessing.queues import Queue
from typing import Any, NamedTuple

import uvloop
from tests.store.near.world import KeptReads, asked, note, process, requested, write
from tests.support.engines import Cluster, Node, is_whole, throwaway_cluster, throwaway_node, wait_until
from tests.support.squares import Place

from bench.report import Result
from townsquare.keyspace import Layout
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.store import Store

SECONDS = float(os.environ.get("BENCH_SECONDS", "60"))
PROCESSES, READERS = 4, 3  # of each kind
NOTES = 400
TOGETHER = 10  # notes that are read at once
SMALL = 200_000  # bytes of memory: about a third of the notes fit
DURABLE = {"appendonly": "yes", "appendfsync": "always"}
PAUSE = 0.01


class Tally(NamedTuple):
    reads: int
    writes: int
    away: int  # asked while the store was not there
    hits: int
    drops: int
    stale: list[str]


class Side:
    """What one process does, and what it saw."""

    def __init__(self, store: Store, written: Any, number: int, until: float) -> None:
        self.store, self.written, self.until = store, written, until
        self.own = range(number, NOTES, PROCESSES)
        self.reads = self.writes = self.away = 0
        self.stale: list[str] = []

    async def write(self) -> None:
        version = 0
        while time.monotonic() < self.until:
            version += 1
            chosen = random.choice(self.own)
            try:
                await write(self.store, str(chosen), "text", version)
            except (Unavailable, OutcomeUnknown):
                self.away += 1
                await asyncio.sleep(PAUSE)
                continue
            self.written[chosen] = version
            self.writes += 1
            await asyncio.sleep(0)

    async def read(self, read: Callable[[Sequence[int]], Awaitable[list[int]]]) -> None:
        while time.monotonic() < self.until:
            first = random.randrange(NOTES - TOGETHER)
            numbers = range(first, first + TOGETHER)
            before = [self.written[number] for number in numbers]
            try:
                found = await read(numbers)
            except (Unavailable, OutcomeUnknown):
                self.away += 1
                await asyncio.sleep(PAUSE)
                continue
            self.reads += 1
            for number, known, version in zip(numbers, before, found, strict=True):
                if version < known:
                    self.stale.append(f"note {number}: {version} after {known}")


def work(place: Place, written: Any, number: int, begin: Any, told: "Queue[Tally]") -> None:
    async def live() -> Tally:
        async with process(place, limit=SMALL if number % 2 else 64 << 20) as store:
            begin.wait()
            side = Side(store, written, number, time.monotonic() + SECONDS)
            kinds = (partial(asked, store), partial(requested, store), KeptReads(store).versions)
            await asyncio.gather(side.write(), *(side.read(kind) for kind in kinds * READERS))
            assert store.near is not None
            return Tally(
                side.reads, side.writes, side.away, store.near.hits, store.near.drops, side.stale[:5]
            )

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        told.put(runner.run(live()))


def trouble(nodes: list[Node], cluster: Cluster | None, until: float) -> dict[str, int]:
    """Connections cut, engines killed, slots moved, one after the other until the end."""
    done = {"cuts": 0, "kills": 0, "moves": 0}
    layout = Layout("test", clustered=True)
    while time.monotonic() < until - 4:
        time.sleep(0.5)
        for node in nodes:
            node.ask("CLIENT", "KILL", "TYPE", "normal")
        done["cuts"] += 1
        if cluster is not None:
            for _ in range(20):
                slot = layout.slot(note(str(random.randrange(NOTES))))
                assert slot is not None
                source = cluster.node_of(slot)
                cluster.migrate(slot, source, random.choice([one for one in nodes if one is not source]))
                done["moves"] += 1
        if done["cuts"] % (8 if cluster is None else 2) == 0:
            victim = random.choice(nodes)
            victim.kill()
            victim.start()
            if cluster is not None:
                wait_until(lambda: all(is_whole(one, len(nodes)) for one in nodes), "the cluster to be whole")
            done["kills"] += 1
    return done


@contextlib.contextmanager
def places() -> Iterator[list[tuple[Place, list[Node], Cluster | None]]]:
    with throwaway_node(**DURABLE) as node, throwaway_node() as cache, throwaway_cluster() as cluster:
        for one in cluster.nodes:
            one.ask("CONFIG", "SET", "appendonly", "yes")
            one.ask("CONFIG", "SET", "appendfsync", "always")
            one.options |= DURABLE
        yield [
            (Place("plain", node.url, cache.url), [node], None),
            (Place("cluster", cluster.url, cache.url), cluster.nodes, cluster),
        ]


def measure(place: Place, nodes: list[Node], cluster: Cluster | None) -> list[str]:
    context = multiprocessing.get_context("spawn")
    written = context.Array("q", NOTES, lock=False)
    told: Queue[Tally] = context.Queue()
    begin = context.Barrier(PROCESSES + 1)
    running = [
        context.Process(target=work, args=(place, written, number, begin, told))
        for number in range(PROCESSES)
    ]
    for one in running:
        one.start()
    begin.wait()
    done = trouble(nodes, cluster, time.monotonic() + SECONDS)
    tallies = [told.get(timeout=60) for _ in running]
    for one in running:
        one.join(10)
    stale = [text for tally in tallies for text in tally.stale]
    if stale:
        raise AssertionError(f"{place.name}: {stale}")
    sums = [
        sum(getattr(tally, name) for tally in tallies)
        for name in ("writes", "reads", "hits", "drops", "away")
    ]
    return [place.name, *(f"{number:,}" for number in sums), *map(str, done.values()), "0"]


def run() -> list[Result]:
    with places() as found:
        rows = [measure(*one) for one in found]
    return [
        Result(
            "Nothing stale",
            f"{PROCESSES} processes for {SECONDS:g} s, each with a writer and {READERS} readers of ten; "
            "half of them have room for a third of the records. A read that begins after a write was "
            "acknowledged shows that write or a later one.",
            ["", "writes", "reads", "hits", "drops", "refused", "cuts", "kills", "slots moved", "stale"],
            rows,
        )
    ]
