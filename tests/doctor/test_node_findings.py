"""Each finding about a node is provoked on a real engine."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.support.clock import PinnedClock
from tests.support.engines import Cluster, Node, free_ports, throwaway_node, wait_until
from tests.support.proxy import proxy_to
from tests.support.squares import Place
from townsquare.clock import SystemClock, iso
from townsquare.doctor import DoctorFinding, examine
from townsquare.doctor.checks.node import cluster_state
from townsquare.doctor.examine import read_node
from townsquare.keyspace import Role
from townsquare.open_store import open_store
from townsquare.store.store import Store


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """A node that is configured as it should be."""
    with throwaway_node(appendonly="yes") as node:
        yield node


@pytest.fixture
def place(node: Node, cache_node: Node) -> Place:
    node.flush()
    cache_node.flush()
    return Place("plain", node.unix_url, cache_node.unix_url)


@pytest.fixture
async def real_store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.settings(), SystemClock())
    yield store
    await store.close()


async def found(store: Store, place: Place, code: str, **settings: Any) -> DoctorFinding | None:
    findings = await examine(store, place.settings(**settings))
    assert all(one.found and one.advice for one in findings)
    return next((one for one in findings if one.code == code), None)


async def provoked(store: Store, place: Place, code: str) -> DoctorFinding:
    finding = await found(store, place, code)
    assert finding is not None
    return finding


async def test_a_node_that_is_configured_well_has_only_the_notice_of_a_missing_replica(
    real_store: Store, place: Place
) -> None:
    codes = {one.code for one in await examine(real_store, place.settings(backup_every="1d", workers=1))}
    assert codes - {"workers_below_cores", "latency"} == {"no_replica"}


@pytest.mark.parametrize(
    ("setting", "value", "code", "severity"),
    [
        ("maxmemory-policy", "allkeys-lru", "evicts", "critical"),
        ("appendonly", "no", "not_persistent", "warning"),
    ],
)
async def test_an_unsafe_configuration(
    setting: str, value: str, code: str, severity: str, node: Node, real_store: Store, place: Place
) -> None:
    assert await found(real_store, place, code) is None
    former = node.ask("CONFIG", "GET", setting)[setting.encode()]
    node.ask("CONFIG", "SET", setting, value)
    try:
        assert (await provoked(real_store, place, code)).severity == severity
    finally:
        node.ask("CONFIG", "SET", setting, former)


async def test_snapshots_without_an_append_only_file(node: Node, real_store: Store, place: Place) -> None:
    node.ask("CONFIG", "SET", "appendonly", "no")
    node.ask("CONFIG", "SET", "save", "3600 1")
    try:
        assert "appendonly yes" in (await provoked(real_store, place, "snapshots_only")).advice
    finally:
        node.ask("CONFIG", "SET", "save", "")
        node.ask("CONFIG", "SET", "appendonly", "yes")


async def test_a_node_of_a_cluster_by_its_own_url(cluster: Cluster, cache_node: Node) -> None:
    place = Place("plain", cluster.nodes[0].url, cache_node.unix_url)
    store = await open_store(place.settings(), SystemClock())
    try:
        assert (await provoked(store, place, "cluster_by_one_node")).severity == "critical"
    finally:
        await store.close()


async def test_a_cache_without_limit_and_one_that_cannot_evict(
    cache_node: Node, real_store: Store, place: Place
) -> None:
    cache_node.ask("CONFIG", "SET", "maxmemory", "0")
    try:
        assert (await provoked(real_store, place, "cache_unbounded")).severity == "warning"
        cache_node.ask("CONFIG", "SET", "maxmemory", "100mb")
        cache_node.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        assert (await provoked(real_store, place, "cache_cannot_evict")).severity == "warning"
    finally:
        cache_node.ask("CONFIG", "SET", "maxmemory", "100mb")
        cache_node.ask("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
    assert await found(real_store, place, "cache_cannot_evict") is None


async def test_memory_that_is_nearly_full(node: Node, real_store: Store, place: Place) -> None:
    node.ask("CONFIG", "SET", "maxmemory", int(node.ask("INFO", "memory")["used_memory"] * 1.05))
    try:
        assert "all writes fail" in (await provoked(real_store, place, "memory_nearly_full")).found
    finally:
        node.ask("CONFIG", "SET", "maxmemory", "0")


async def test_too_little_memory_for_a_fork(node: Node, real_store: Store, place: Place) -> None:
    total = node.ask("INFO", "memory")["total_system_memory"]
    node.ask("CONFIG", "SET", "maxmemory", int(total * 0.9))
    try:
        assert "overcommit" in (await provoked(real_store, place, "fork_headroom")).advice
    finally:
        node.ask("CONFIG", "SET", "maxmemory", "0")


async def test_a_disk_that_cannot_be_written(cache_node: Node) -> None:
    with throwaway_node(appendonly="yes") as node:
        place = Place("plain", node.unix_url, cache_node.unix_url)
        store = await open_store(place.settings(), SystemClock())
        (node.folder / "dump.rdb").mkdir()  # in the way of the file
        node.ask("BGSAVE")
        wait_until(lambda: node.ask("INFO", "persistence")["rdb_last_bgsave_status"] == "err", "BGSAVE fails")
        try:
            assert "rdb_last_bgsave_status" in (await provoked(store, place, "persistence_failing")).found
        finally:
            await store.close()


async def test_a_store_that_responds_slowly(node: Node, cache_node: Node) -> None:
    async with proxy_to("127.0.0.1", node.port) as proxy:
        place = Place("plain", proxy.url, cache_node.unix_url)
        store = await open_store(place.settings(), SystemClock())
        proxy.delay = 0.02
        try:
            assert "SLOWLOG" in (await provoked(store, place, "latency")).advice
        finally:
            await store.close()


async def test_a_clock_that_differs(place: Place) -> None:
    clock = PinnedClock(iso(SystemClock().now_ms() - 60_000))
    store = await open_store(place.settings(), clock)
    try:
        assert "+60.0 s" in (await provoked(store, place, "clock")).found
    finally:
        await store.close()


async def test_a_replica_that_is_used_as_the_primary(node: Node, cache_node: Node) -> None:
    with throwaway_node(appendonly="yes") as replica:
        replica.ask("REPLICAOF", "127.0.0.1", node.port)
        place = Place("plain", replica.unix_url, cache_node.unix_url)
        store = await open_store(place.settings(), SystemClock())
        try:
            assert str(node.port) in (await provoked(store, place, "replica")).found
        finally:
            await store.close()


async def test_a_primary_whose_replica_does_not_follow(node: Node, real_store: Store, place: Place) -> None:
    assert await found(real_store, place, "no_replica")
    node.ask("CONFIG", "SET", "repl-diskless-sync-delay", "600")
    try:
        with throwaway_node() as replica:
            replica.ask("REPLICAOF", "127.0.0.1", node.port)
            wait_until(
                lambda: node.ask("INFO", "replication")["connected_slaves"] == 1, "the replica connects"
            )
            assert "wait_bgsave" in (await provoked(real_store, place, "replica_behind")).found
            assert await found(real_store, place, "no_replica") is None
    finally:
        node.ask("CONFIG", "SET", "repl-diskless-sync-delay", "0")


async def test_a_cluster_without_replicas_cannot_fail_over(cluster_place: Place) -> None:
    store = await open_store(cluster_place.settings(), SystemClock())
    try:
        finding = await provoked(store, cluster_place, "no_replica")
        assert (finding.severity, "--cluster-replicas 1" in finding.advice) == ("warning", True)
    finally:
        await store.close()


async def test_a_cluster_that_does_not_serve_all_slots(cache_node: Node) -> None:
    with throwaway_node(cluster_enabled="yes", cluster_port=str(free_ports(1)[0])) as lone:
        place = Place("plain", lone.unix_url, cache_node.unix_url)
        store = await open_store(place.settings(), SystemClock())
        try:
            (connection,) = store.role_stores[Role.DATA].nodes.connections()
            facts = await read_node(store, Role.DATA, connection, embedded=False, both_roles=False)
            (finding,) = cluster_state(facts)
            assert finding.code == "cluster_down"
            assert "0 of 16384" in finding.found
        finally:
            await store.close()
