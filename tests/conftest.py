import signal
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.support.clock import PinnedClock
from tests.support.engines import Cluster, Node, throwaway_cluster, throwaway_node
from tests.support.squares import Place, assert_declared, browse, open_square
from townsquare.square import Square
from townsquare.store.store import Store

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # we were started in the background: servers that
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests start must not inherit that


@pytest.fixture(scope="session")
def data_node() -> Iterator[Node]:
    with throwaway_node() as node:
        yield node


@pytest.fixture(scope="session")
def cache_node() -> Iterator[Node]:
    with throwaway_node(maxmemory="100mb", maxmemory_policy="volatile-lru") as node:
        yield node


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with throwaway_cluster() as cluster:
        yield cluster


@pytest.fixture
def plain_place(data_node: Node, cache_node: Node) -> Place:
    """One empty node a role."""
    data_node.ask("FLUSHALL")
    cache_node.ask("FLUSHALL")
    return Place("plain", data_node.unix_url, cache_node.unix_url)


@pytest.fixture
def cluster_place(cluster: Cluster, cache_node: Node) -> Place:
    """An empty cluster for data, one node for the cache."""
    cluster.flush()
    cache_node.ask("FLUSHALL")
    return Place("cluster", cluster.url, cache_node.unix_url)


@pytest.fixture(params=["plain", "cluster"])
def place(request: pytest.FixtureRequest) -> Place:
    """Both layouts, one after the other: a test does not know which it runs on."""
    found = request.getfixturevalue(f"{request.param}_place")
    assert isinstance(found, Place)
    return found


@pytest.fixture
def clock() -> PinnedClock:
    return PinnedClock()


@pytest.fixture
async def square(place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    async with open_square(place, clock) as square:
        yield square
        await assert_declared(square.store)


@pytest.fixture
def store(square: Square) -> Store:
    return square.store


@pytest.fixture
async def http(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(square) as client:
        yield client
