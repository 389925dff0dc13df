"""The cache library against cashews and aiocache in a stampede, and against redisvl with embeddings."""

import asyncio
import statistics
import subprocess
import sys
import time
from array import array
from collections.abc import Awaitable, Callable

import uvloop
from redisvl.extensions.cache.embeddings import EmbeddingsCache
from tests.support.engines import Node, throwaway_node

from bench.report import Result
from townsquare.cache import Cache, text_digest
from townsquare.cache.keys import cache as cache_keys
from townsquare.keyspace import Registry
from townsquare.services.search import keys
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

PROCESSES, CALLERS = 16, 100
LIBRARIES = ("townsquare", "cashews", "aiocache")
SCENES = {  # seconds of the computation, lease, whether the first who computes dies
    "a cold value": (0.5, 10, False),
    "who computes it dies; lease 3 s": (0.5, 3, True),
    "computing takes 2.5 s; lease 1 s": (2.5, 1, False),
}
VECTORS, DIMENSIONS, ROUNDS, SECONDS = 2_000, 1_536, 3, 1.0
MODEL = "text-embedding-3-small"


def stampede(library: str, seconds: float, lease: int, kill: bool) -> str:
    with throwaway_node() as node, throwaway_node() as tally:
        given = (
            library,
            node.url,
            tally.port,
            PROCESSES,
            CALLERS,
            seconds,
            lease,
            "kill" if kill else "spare",
        )
        command = [sys.executable, "-m", "tests.support.stampede", *map(str, given)]
        ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
        lines = [line.split() for line in ran.stdout.splitlines()]
        computed = int(tally.ask("LLEN", "computed"))
    answered = sum(int(right) for right, _ in lines)
    wanted = (PROCESSES - kill) * CALLERS
    missing = "" if answered == wanted else f", {wanted - answered:,} not answered"
    return f"{computed:,} in {max(float(took) for _, took in lines):.1f} s{missing}"


def stampedes() -> Result:
    rows = [[scene, *(stampede(library, *terms) for library in LIBRARIES)] for scene, terms in SCENES.items()]
    return Result(
        "A cache stampede",
        f"{PROCESSES} processes × {CALLERS} callers want one value at the same moment: how often it is "
        "computed, and when the last caller has it. Each library as it recommends: `get_or_compute`, "
        "`@cache(lock=True)`, `cached_stampede`.",
        ["", *LIBRARIES],
        rows,
    )


async def rate(read: Callable[[int], Awaitable[object]], tasks: int) -> float:
    """Reads a second, with so many tasks reading one after the other."""
    end, done = time.perf_counter() + SECONDS, 0

    async def work() -> None:
        nonlocal done
        while time.perf_counter() < end:
            assert await read(done % VECTORS)
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(tasks)))
    return done / (time.perf_counter() - began)


def bytes_of(node: Node) -> int:
    return int(node.ask("INFO", "memory")["used_memory"])


async def embeddings(ours: Node, theirs: Node) -> list[list[str]]:
    nodes = await connect(ours.url)
    store = Store(Registry([system, cache_keys, keys.search]), "bench", nodes, nodes)
    cache = Cache(store)
    redisvl = EmbeddingsCache(redis_url=theirs.url, ttl=7 * 86_400)
    texts = [f"a slow-burn space film of the eighties, number {number}" for number in range(VECTORS)]
    wanted = [keys.embedding(MODEL, text_digest(text)) for text in texts]

    async def computed(places: list[int]) -> "list[array[float]]":
        return [
            array("f", ((place * 31 + at) % 997 / 997 - 0.5 for at in range(DIMENSIONS))) for place in places
        ]

    def vector(place: int) -> list[float]:
        return [(place * 31 + at) % 997 / 997 - 0.5 for at in range(DIMENSIONS)]

    await redisvl.aset(content="warm", model_name=MODEL, embedding=vector(0))
    await cache.set(keys.embedding(MODEL, text_digest("warm")), array("f", vector(0)))
    before = bytes_of(ours), bytes_of(theirs)
    await cache.get_or_compute_many(wanted, computed)
    for place, text in enumerate(texts):
        await redisvl.aset(content=text, model_name=MODEL, embedding=vector(place))
    sizes = [(bytes_of(node) - start) / VECTORS for node, start in zip((ours, theirs), before, strict=True)]

    async def never(_: list[int]) -> "list[array[float]]":
        raise AssertionError("it is cached")

    async def nothing() -> "array[float]":
        raise AssertionError("it is cached")

    def eight(place: int) -> list[int]:
        return [(place + more) % VECTORS for more in range(8)]

    reads: dict[str, tuple[int, Callable[[int], Awaitable[object]], Callable[[int], Awaitable[object]]]] = {
        "reads a second, 1 task": (
            1,
            lambda at: cache.get_or_compute(wanted[at], nothing),
            lambda at: redisvl.aget(content=texts[at], model_name=MODEL),
        ),
        "reads a second, 20 tasks": (
            20,
            lambda at: cache.get_or_compute(wanted[at], nothing),
            lambda at: redisvl.aget(content=texts[at], model_name=MODEL),
        ),
        "batches of 8 a second, 1 task": (
            1,
            lambda at: cache.get_or_compute_many([wanted[each] for each in eight(at)], never),
            lambda at: redisvl.amget(contents=[texts[each] for each in eight(at)], model_name=MODEL),
        ),
    }
    rows = [["bytes a vector", f"{sizes[0]:,.0f}", f"{sizes[1]:,.0f}", f"{sizes[0] / sizes[1]:.2f}"]]
    for name, (tasks, mine, its) in reads.items():
        pairs = [(await rate(mine, tasks), await rate(its, tasks)) for _ in range(ROUNDS)]
        fast, slow = (statistics.median(side) for side in zip(*pairs, strict=True))
        rows.append([name, f"{fast:,.0f}", f"{slow:,.0f}", f"{fast / slow:.1f}"])
    await cache.close()
    await redisvl.adisconnect()
    await nodes.close()
    return rows


def run() -> list[Result]:
    with (
        throwaway_node() as ours,
        throwaway_node() as theirs,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        rows = runner.run(embeddings(ours, theirs))
    return [
        stampedes(),
        Result(
            "Cached embeddings",
            f"{VECTORS:,} vectors of {DIMENSIONS:,} floats against `redisvl.EmbeddingsCache`, one process; "
            "memory as Redis tells it, reads as the median of three rounds; vectors decoded.",
            ["", "townsquare", "redisvl", "ratio"],
            rows,
        ),
    ]
