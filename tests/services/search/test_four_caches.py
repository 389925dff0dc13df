"""The four namespaces as the seed describes them, read directly from Redis."""

import struct
from array import array
from collections.abc import AsyncIterator

import pytest

from tests.conftest import EVERY_KEY
from tests.support.engines import Node
from tests.support.squares import Place
from townsquare.cache import Cache, text_digest
from townsquare.keyspace import Registry
from townsquare.services.search import keys
from townsquare.services.search.models.details import FilmDetails
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.services.search.scripts import SwapTrending
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

MODEL = "text-embedding-3-small"
DIMENSIONS = 1_536
DAY = 86_400
KEYS = Registry({one.service: one for one in (*EVERY_KEY.keyspaces, keys.search)}.values())


@pytest.fixture
def known_keys() -> Registry:
    return KEYS


class Environment:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.cache = Cache(store)

    async def fill(self, query: str, *, trending: list[int], budget: int = 0) -> None:
        vector = array("f", (place / DIMENSIONS for place in range(DIMENSIONS)))
        await self.cache.set(keys.embedding(MODEL, text_digest(query)), vector)
        meaning = QueryUnderstandingResponse(similar_to=[query])
        await self.cache.set(keys.understanding(keys.QU_VERSION, text_digest(query)), meaning)
        await self.cache.set(keys.tmdb_movie(7), FilmDetails(id=7, title="Heat", budget=budget))
        await self.store.run(SwapTrending(ids=trending, day="2026-03-14"))  # type: ignore[arg-type]


@pytest.fixture
async def environments(plain_place: Place) -> AsyncIterator[tuple[Environment, Environment]]:
    """Staging and production in one Redis."""
    nodes = await connect(plain_place.cache_url)
    yield tuple(Environment(Store(KEYS, env, nodes, nodes)) for env in ("staging", "prod"))  # type: ignore[misc]
    await nodes.close()


async def test_types_sizes_and_lifetimes(
    environments: tuple[Environment, Environment], cache_node: Node
) -> None:
    await environments[1].fill("It", trending=[3, 1, 2])
    digest = "555c7b8b3856c5f4"
    names = {
        f"prod:search:emb:{MODEL}:{digest}": (b"string", 7 * DAY),
        f"prod:search:qu:v{keys.QU_VERSION}:{digest}": (b"string", DAY),
        "prod:search:tmdb:movie:7": (b"string", DAY),
        "prod:search:trending:current": (b"set", None),
        "prod:search:trending:refreshed": (b"string", None),
    }
    assert {name.decode() for name in cache_node.ask("SCAN", 0, "COUNT", 1_000)[1]} == {*names}
    for name, (kind, seconds) in names.items():
        assert cache_node.ask("TYPE", name) == kind
        left = cache_node.ask("TTL", name)
        assert left == -1 if seconds is None else seconds - 10 < left <= seconds
    raw = cache_node.ask("GET", f"prod:search:emb:{MODEL}:{digest}")
    assert len(raw) == 6_144
    assert struct.unpack(f"<{DIMENSIONS}f", raw)[::512] == pytest.approx((0, 1 / 3, 2 / 3))
    assert cache_node.ask("GET", "prod:search:tmdb:movie:7").startswith(b'{"id":7,"title":"Heat"')
    assert cache_node.ask("SMEMBERS", "prod:search:trending:current") == {b"1", b"2", b"3"}


async def test_case_tells_queries_apart_and_white_space_does_not(
    environments: tuple[Environment, Environment], cache_node: Node
) -> None:
    for query in ("It", "it", " It", "It\n", "slow  burn", "slow\tburn "):
        await environments[1].fill(query, trending=[1])
    names = cache_node.ask("SCAN", 0, "COUNT", 1_000)[1]
    assert sum(b":emb:" in name for name in names) == 3
    assert sum(b":qu:" in name for name in names) == 3


async def test_environments_in_one_redis_never_meet(environments: tuple[Environment, Environment]) -> None:
    staging, prod = environments
    await staging.fill("It", trending=[1], budget=1)
    assert await prod.cache.get(keys.understanding(keys.QU_VERSION, text_digest("It"))) is None
    assert await prod.cache.get(keys.embedding(MODEL, text_digest("It"))) is None
    assert await prod.cache.get(keys.tmdb_movie(7)) is None
    assert not await prod.store.call("EXISTS", keys.trending())
    await prod.fill("It", trending=[2], budget=2)
    found = await staging.cache.get(keys.tmdb_movie(7))
    assert found
    assert found.budget == 1
    assert await staging.store.call("SMEMBERS", keys.trending()) == [b"1"]
