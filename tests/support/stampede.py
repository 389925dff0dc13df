"""A stampede: many callers in many processes want the same cold value from one of three libraries.

LIBRARY URL PORT PROCESSES CALLERS SECONDS LEASE kill|spare. Each process answers a line: how many of its
callers were answered rightly, and in how many seconds. The Redis at PORT has a list of when computations
began. With `kill` the first who computes dies by SIGKILL.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from redis import Redis

VALUE = {"answer": 42}
Compute = Callable[[], Awaitable[Any]]


async def townsquare(url: str, lease: int, compute: Compute) -> Compute:
    from townsquare.cache import Cache
    from townsquare.cache.keys import cache as cache_keys
    from townsquare.keyspace import Registry
    from townsquare.store.keys import system
    from townsquare.store.store import Store
    from townsquare.store.wire.nodes import connect

    nodes = await connect(url)
    store = Store(Registry([system, cache_keys]), "bench", nodes, nodes)
    namespace = Cache(store, lease_seconds=lease).namespace("stampede", ttl=60)
    return lambda: namespace.get_or_compute("one", compute)


async def cashews(url: str, lease: int, compute: Compute) -> Compute:
    from cashews import Cache  # type: ignore[attr-defined,unused-ignore]

    cache = Cache()
    cache.setup(url)
    await cache.ping()
    return cache(ttl=lease, key="one", lock=True)(compute)  # its lock lives as long as the value


async def aiocache(url: str, lease: int, compute: Compute) -> Compute:
    from aiocache import RedisCache, cached_stampede
    from aiocache.serializers import JsonSerializer

    port = int(url.rpartition(":")[2])
    return cached_stampede(  # type: ignore[no-any-return]
        lease=lease, ttl=60, key="one", cache=RedisCache, serializer=JsonSerializer(), port=port
    )(compute)


LIBRARIES = {"townsquare": townsquare, "cashews": cashews, "aiocache": aiocache}


async def work(
    library: str, url: str, port: int, processes: int, callers: int, seconds: float, lease: int, kill: bool
) -> str:
    shared = Redis(port=port)

    async def compute() -> dict[str, int]:
        if shared.rpush("computed", time.time()) == 1 and kill:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(seconds)
        return VALUE

    ask = await LIBRARIES[library](url, lease, compute)
    shared.incr("ready")
    while int(shared.get("ready") or 0) < processes:  # noqa: ASYNC110 - of other processes
        await asyncio.sleep(0.01)
    began = time.time()
    answers = await asyncio.gather(*(ask() for _ in range(callers)), return_exceptions=True)
    return f"{sum(answer == VALUE for answer in answers)} {time.time() - began:.3f}"


def main() -> None:
    library, url, port, processes, callers, seconds, lease, kill = sys.argv[1:]
    children = []
    for _ in range(int(processes)):
        child = os.fork()
        if not child:
            given = (int(processes), int(callers), float(seconds), int(lease), kill == "kill")
            line = asyncio.run(work(library, url, int(port), *given))
            os.write(1, line.encode() + b"\n")
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
