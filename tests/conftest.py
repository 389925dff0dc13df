import gc
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from guestbook.keys import guestbook
from tests.support.clock import PinnedClock
from tests.support.engines import Cluster, Node, throwaway_cluster, throwaway_node
from tests.support.squares import Place, browse, open_square, undeclared_names
from tests.toy.keys import toy
from townsquare.keyspace import Registry
from townsquare.services import registry
from townsquare.square import Square
from townsquare.store.store import Store

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # we were started in the background: servers that
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests start must not inherit that

gc.disable()  # until all tests are collected: nothing that is imported becomes garbage

LONG = frozenset({"browser", "cli", "extension", "faults"})  # folders of tests that wait for other processes
EVERY_KEY = Registry([*registry().keyspaces, toy, guestbook])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="no browser, no fault injection, only one node")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--quick") and LONG.intersection(collection_path.parts) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests first: short ones fill the time of all workers to the end."""
    items.sort(key=lambda item: LONG.isdisjoint(item.path.parts))
    if config.getoption("--quick"):
        config.hook.pytest_deselected(items=[item for item in items if not is_quick(item)])
        items[:] = [item for item in items if is_quick(item)]


def is_quick(item: pytest.Item) -> bool:
    if any(map(item.get_closest_marker, ("browser", "faults", "slow"))):
        return False
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    on_cluster = any(str(value).startswith("cluster") for value in parameters.values())
    return not on_cluster and "cluster" not in getattr(item, "fixturenames", ())


def pytest_collection_finish() -> None:
    """What is there before the first test stays: looking through it again is a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def client_cache(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("with_client_cache"):
        monkeypatch.setenv("TOWNSQUARE_CLIENT_CACHE_MEMORY", "64mb")


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
def known_keys() -> Registry | None:
    """What a test may leave in its place; None where it writes what no declaration knows."""
    return EVERY_KEY


@pytest.fixture
def plain_place(data_node: Node, cache_node: Node, known_keys: Registry | None) -> Iterator[Place]:
    """One empty node a role."""
    data_node.flush()
    cache_node.flush()
    yield Place("plain", data_node.unix_url, cache_node.unix_url)
    assert not known_keys or not undeclared_names([data_node, cache_node], known_keys)


@pytest.fixture
def cluster_place(cluster: Cluster, cache_node: Node, known_keys: Registry | None) -> Iterator[Place]:
    """An empty cluster for data, one node for the cache."""
    cluster.flush()
    cache_node.flush()
    yield Place("cluster", cluster.url, cache_node.unix_url)
    assert not known_keys or not undeclared_names(cluster.nodes, known_keys, clustered=True)
    assert not known_keys or not undeclared_names([cache_node], known_keys)


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


@pytest.fixture
def store(square: Square) -> Store:
    return square.store


@pytest.fixture
async def http(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(square) as client:
        yield client
