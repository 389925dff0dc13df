from collections.abc import AsyncIterator, Iterator

import pytest

from tests.conftest import EVERY_KEY
from tests.support.engines import Cluster, Node
from tests.support.squares import Place, open_store, undeclared_names
from townsquare.cache import Cache
from townsquare.keyspace import Registry
from townsquare.services.search.keys import search
from townsquare.store.store import Store

KEYS = Registry({one.service: one for one in (*EVERY_KEY.keyspaces, search)}.values())


@pytest.fixture
def known_keys() -> Registry:
    return KEYS


@pytest.fixture
def clustered_place(cluster: Cluster) -> Iterator[Place]:
    """A cluster for both roles."""
    cluster.flush()
    yield Place("cluster", cluster.url, cluster.url)
    assert not undeclared_names(cluster.nodes, KEYS, clustered=True)


@pytest.fixture(params=["plain_place", "clustered_place"])
def place(request: pytest.FixtureRequest) -> Place:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Place)
    return found


@pytest.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    async with open_store(place, KEYS) as store:
        yield store


@pytest.fixture
async def cache(store: Store) -> AsyncIterator[Cache]:
    made = Cache(store, chance=lambda: 0.0)  # never refreshed early
    yield made
    await made.close()


@pytest.fixture
def dying_node(cache_node: Node) -> Iterator[Node]:
    """The node of the cache, started again after the test."""
    yield cache_node
    if cache_node.process is None:
        cache_node.start()
