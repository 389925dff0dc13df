"""Redis goes away: requests are slower, none fails, and it is seen."""

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest

from tests.cache.conftest import KEYS
from tests.support.engines import Node
from tests.support.logs import capture_logs
from tests.support.squares import Place, open_store
from tests.support.waiting import until
from townsquare.cache import Cache
from townsquare.keyspace import Role
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

pytestmark = pytest.mark.faults


@pytest.fixture
async def store(plain_place: Place) -> AsyncIterator[Store]:
    async with open_store(plain_place, KEYS) as store:
        yield store


async def test_without_redis_everything_is_computed_and_afterwards_cached_again(
    cache: Cache, store: Store, dying_node: Node
) -> None:
    answers = cache.namespace("answers", ttl=60)
    calls = 0

    async def ask() -> int:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.01)
        return calls

    async def ask_many(places: list[int]) -> list[int]:
        return [place * 2 for place in places]

    assert await answers.get_or_compute("q", ask) == 1
    with capture_logs() as logs:
        dying_node.kill()
        assert await asyncio.gather(*(answers.get_or_compute("q", ask) for _ in range(20))) == [2] * 20
        assert await answers.get_or_compute("q", ask) == 3
        assert await answers.get_or_compute_many(["a", "b"], ask_many) == [0, 2]
        assert await answers.get("q") is None
        await answers.set("q", 5)
        assert sum("the cache is unreachable" in line["event"] for line in logs) == 1
        assert cache.counts.total["answers"]["error"] > 3
        dying_node.start()

        async def is_back() -> bool:
            await answers.get_or_compute("r", ask)
            return any(line["event"] == "the cache is reachable again" for line in logs)

        async with asyncio.timeout(10):
            while not await is_back():  # noqa: ASYNC110 - any condition
                await asyncio.sleep(0.02)
    before = calls
    await answers.get_or_compute("r", ask)
    await answers.get_or_compute("r", ask)
    assert calls <= before + 1


async def test_who_computes_while_redis_goes_away_still_answers(
    cache: Cache, store: Store, dying_node: Node
) -> None:
    answers = cache.namespace("answers", ttl=60)
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def ask() -> str:
        begun.set()
        await may_end.wait()
        return "whole"

    asking = [asyncio.create_task(answers.get_or_compute("q", ask)) for _ in range(3)]
    await begun.wait()
    dying_node.kill()
    (connection,) = store.role_stores[Role.CACHE].nodes.connections()
    await until(lambda: not connection.connected)
    may_end.set()
    assert await asyncio.gather(*asking) == ["whole"] * 3


async def test_a_silent_redis_costs_one_patience_not_many(plain_place: Place, dying_node: Node) -> None:
    data, nodes = await connect(plain_place.data_url), await connect(plain_place.cache_url, timeout=0.3)
    store = Store(KEYS, "test", data, nodes)
    cache = Cache(store)
    answers = cache.namespace("answers", ttl=60)

    async def ask() -> str:
        return "whole"

    assert dying_node.process
    dying_node.process.send_signal(signal.SIGSTOP)
    try:
        began = asyncio.get_running_loop().time()
        for number in range(10):
            assert await answers.get_or_compute(str(number), ask) == "whole"
        assert asyncio.get_running_loop().time() - began < 2  # ten times three commands would be nine seconds
    finally:
        dying_node.process.send_signal(signal.SIGCONT)
    await cache.close()
    await store.close()
