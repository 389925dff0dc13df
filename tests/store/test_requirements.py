import pytest

from tests.support.engines import Cluster, Node, throwaway_node
from tests.support.squares import Place
from townsquare.keyspace import Role
from townsquare.problems import Unavailable
from townsquare.settings import Settings
from townsquare.store.requirements import NodeState, UnsafeStore, examine, judge, require_safe
from townsquare.store.wire.nodes import connect


def settings_of(data_url: str, **more: bool) -> Settings:
    return Settings(data_url=data_url, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-random", "volatile-lru", "volatile-ttl"])
async def test_a_redis_that_evicts_what_must_be_kept_is_refused_unless_told_otherwise(policy: str) -> None:
    with throwaway_node(maxmemory_policy=policy, appendonly="yes") as node:
        with pytest.raises(UnsafeStore, match="CONFIG SET maxmemory-policy noeviction") as refused:
            await require_safe(settings_of(node.url))
        assert policy in str(refused.value)
        assert "TOWNSQUARE_ALLOW_UNSAFE_STORE=true" in str(refused.value)
        (told,) = await require_safe(settings_of(node.url, allow_unsafe_store=True))
        assert told.code == "evicts"


async def test_a_cache_may_evict(cache_node: Node) -> None:
    nodes = await connect(cache_node.url)
    assert await examine(Role.CACHE, nodes) == []
    assert [found.code for found in await examine(Role.DATA, nodes)] == ["evicts", "not_persistent"]
    await nodes.close()


async def test_a_redis_that_keeps_nothing_is_told_of(data_node: Node) -> None:
    (told,) = await require_safe(settings_of(data_node.url))
    assert (told.severity, told.code) == ("warning", "not_persistent")
    assert "a restart loses all" in str(told)
    assert "`appendonly yes`" in str(told)


async def test_every_node_of_a_cluster_is_looked_at(cluster: Cluster, cluster_place: Place) -> None:
    assert [told.code for told in await require_safe(settings_of(cluster.url))] == ["not_persistent"]
    cluster.nodes[-1].ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(UnsafeStore):
            await require_safe(settings_of(cluster.url))
    finally:
        cluster.nodes[-1].ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    with pytest.raises(UnsafeStore, match=r"Use redis\+cluster://"):
        await require_safe(settings_of(cluster.nodes[0].url))


@pytest.mark.parametrize(
    ("version", "codes"), [("5.0.14", ["too_old"]), ("6.0.20", ["too_old"]), ("6.2.0", []), ("7.2.4", [])]
)
@pytest.mark.parametrize("role", list(Role))
def test_a_server_that_is_too_old_is_refused(version: str, codes: list[str], role: Role) -> None:
    found = judge(role, NodeState(version=version, append_only="1", policy="noeviction"))
    assert [one.code for one in found if one.severity == "refused"] == codes


def test_snapshots_alone_are_told_of() -> None:
    state = NodeState(append_only="0", policy="noeviction", snapshots="3600 1")
    assert [one.code for one in judge(Role.DATA, state)] == ["snapshots_only"]


def test_what_a_host_does_not_tell_is_not_held_against_it() -> None:
    assert judge(Role.DATA, NodeState()) == []


async def test_the_setting_of_a_store_that_is_away_is_named() -> None:
    with pytest.raises(Unavailable, match=r"start Redis, or correct the URL \(setting data_url\)"):
        await require_safe(settings_of("unix:///nowhere/at/all"))
