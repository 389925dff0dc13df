"""Many processes want one cold value: URL PORT PROCESSES CALLERS SECONDS LEASE kill|spare.

Each process answers a line: how often it computed, how many callers were answered rightly, and the seconds
from the first computation of all to its own answers. With `kill` the first who computes dies by SIGKILL.
"""

import asyncio
import os
import signal
import sys
import time

from redis import Redis

from townsquare.cache import Cache
from townsquare.cache.keys import cache as cache_keys
from townsquare.keyspace import Registry
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

VALUE = {"answer": 42}


async def work(
    url: str, port: int, callers: int, seconds: float, lease: int, kill: bool, begin: float
) -> str:
    nodes = await connect(url)
    store = Store(Registry([system, cache_keys]), "test", nodes, nodes)
    cache = Cache(store, lease_seconds=lease)
    shared = Redis(port=port)
    computed = 0

    async def compute() -> dict[str, int]:
        nonlocal computed
        computed += 1
        first = shared.incr("computed") == 1
        if first:
            shared.set("began", time.time())
        if first and kill:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(seconds)
        return VALUE

    namespace = cache.namespace("stampede", ttl=60)
    await asyncio.sleep(begin - time.time())
    answers = await asyncio.gather(*(namespace.get_or_compute("one", compute) for _ in range(callers)))
    took = time.time() - float(shared.get("began") or 0)
    right = sum(answer == VALUE for answer in answers)
    await cache.close()
    await store.close()
    shared.close()
    return f"{computed} {right} {took:.3f}"


def main() -> None:
    url, port, processes, callers, seconds, lease, kill = sys.argv[1:]
    begin = time.time() + 1.0  # when all are connected
    children = []
    for _ in range(int(processes)):
        child = os.fork()
        if not child:
            given = (int(callers), float(seconds), int(lease), kill == "kill", begin)
            line = asyncio.run(work(url, int(port), *given))
            os.write(1, line.encode() + b"\n")
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
