"""A million reads of the trending films while they are replaced a thousand times: what readers see."""

import asyncio
import multiprocessing
import time
from multiprocessing.sharedctypes import Synchronized
from typing import TypeAlias

import uvloop
from tests.support.engines import throwaway_node

from bench.report import Result
from townsquare.keyspace import Registry
from townsquare.services.search.keys import search
from townsquare.services.search.service.trending import MOST_TRENDING, Trending
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

Progress: TypeAlias = "Synchronized[int]"  # reads so far

READS, SWAPS, TASKS = 1_000_000, 1_000, 50


class Alternating:
    """One whole set of films, then another that shares none with it."""

    turn = 0

    async def fetch(self) -> range:
        self.turn += 1
        first = 1 + self.turn % 2 * 100_000
        return range(first, first + MOST_TRENDING)


async def opened(url: str) -> Store:
    nodes = await connect(url)
    return Store(Registry([system, search]), "bench", nodes, nodes)


async def swap(url: str, reading: Progress) -> int:
    """So that the swaps are spread over all of the reads."""
    store = await opened(url)
    trending = Trending(store, Alternating())
    done = 0
    while done < SWAPS:
        if reading.value >= done * (READS // SWAPS):
            await trending.refresh()
            done += 1
        else:
            await asyncio.sleep(0.001)
    await store.close()
    return done


def swap_in_process(url: str, reading: Progress) -> None:
    uvloop.run(swap(url, reading))


async def read(url: str, reading: Progress) -> tuple[dict[str, int], float]:
    store = await opened(url)
    trending = Trending(store, Alternating())
    await trending.refresh()
    whole = {frozenset(range(first, first + MOST_TRENDING)) for first in (1, 100_001)}
    seen = {"whole sets": 0, "empty sets": 0, "mixed or partial sets": 0}
    left = READS

    async def work() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            found = await trending.current()
            seen["whole sets" if found in whole else "mixed or partial sets" if found else "empty sets"] += 1
            if left % 500 == 0:
                reading.value = READS - left

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(TASKS)))
    took = time.perf_counter() - began
    await store.close()
    return seen, took


def run() -> list[Result]:
    context = multiprocessing.get_context("spawn")
    reading = context.Value("l", 0)
    with throwaway_node() as node:
        swapping = context.Process(target=swap_in_process, args=(node.url, reading))
        swapping.start()
        try:
            seen, took = uvloop.run(read(node.url, reading))
            swapping.join(60)
        finally:
            swapping.kill()
    if swapping.exitcode != 0:
        raise SystemExit("the sets were not swapped to the end")
    return [
        Result(
            "Trending films, read while they are replaced",
            f"{READS:,} reads in {took:.0f} s by {TASKS} tasks during {SWAPS:,} swaps by another process, "
            f"{MOST_TRENDING} films each.",
            ["what a reader saw", "reads"],
            [[name, f"{count:,}"] for name, count in seen.items()],
        )
    ]
