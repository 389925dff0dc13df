import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator

import pytest
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.support.engines import Cluster, Node, free_ports, throwaway_cluster, throwaway_node, wait_until
from tests.support.waiting import until
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.engine import engine_binary
from townsquare.store.wire.connection import ReplyError
from townsquare.store.wire.nodes import ClusterNodes, Nodes, connect, nodes_at


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with throwaway_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with throwaway_node() as node:
        yield node


@pytest.fixture
async def nodes(cluster: Cluster) -> AsyncIterator[Nodes]:
    cluster.flush()
    nodes = await connect(cluster.url, timeout=2)
    yield nodes
    await nodes.close()


def slot_of(key: str) -> int:
    return key_slot(key.encode())


def route(*command: str) -> tuple[int, tuple[str, ...]]:
    return slot_of(command[1]), command


@pytest.fixture
def moving(cluster: Cluster) -> Iterator[tuple[int, Node, Node]]:
    """A slot with its present and its future owner; back home afterwards."""
    slot = slot_of("{moving}")
    source = cluster.node_of(slot)
    target = next(node for node in cluster.nodes if node is not source)
    yield slot, source, target
    cluster.flush()
    for node in cluster.nodes:
        node.ask("CLUSTER", "SETSLOT", slot, "STABLE")
    owner = cluster.node_of(slot)
    if owner is not source:
        cluster.migrate(slot, owner, source)


async def test_one_node_takes_every_slot(node: Node) -> None:
    nodes = await connect(node.url, timeout=2)
    assert not nodes.clustered
    assert await nodes.execute(7, "SET", "a", 1) == b"OK"
    replies = await nodes.execute_many([(1, ("GET", "a")), (None, ("LPUSH", "a", 1)), (3, ("ECHO", "x"))])
    assert replies[0] == b"1"
    assert isinstance(replies[1], ReplyError)
    assert replies[2] == b"x"
    assert len(nodes.connections()) == 1
    await nodes.close()


async def test_connecting_to_nothing_says_where_and_leaves_nothing() -> None:
    (port,) = free_ports(1)
    with pytest.raises(Unavailable, match=f"127.0.0.1:{port}"):
        await connect(f"redis://127.0.0.1:{port}", timeout=0.2)
    with pytest.raises(Unavailable, match=f"127.0.0.1:{port}"):
        await connect(f"redis+cluster://127.0.0.1:{port}", timeout=0.2)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_store_that_is_not_there_yet_can_be_waited_for() -> None:
    with throwaway_node() as late:
        late.kill()
        nodes = nodes_at(late.url, timeout=0.2)
        with pytest.raises(Unavailable):
            await nodes.ready()
        with pytest.raises(Unavailable):
            await nodes.execute(None, "PING")
        late.start()
        await until(lambda: nodes.connections()[0].connected)
        await nodes.ready()
        assert await nodes.execute(None, "PING") == b"PONG"
        await nodes.close()


async def test_keys_of_all_slots_find_their_nodes(nodes: Nodes, cluster: Cluster) -> None:
    names = [f"key:{number}" for number in range(300)]
    assert nodes.clustered
    assert all(reply == b"OK" for reply in await nodes.execute_many([route("SET", n, n) for n in names]))
    for name in names[:50]:
        assert await nodes.execute(slot_of(name), "GET", name) == name.encode()
    assert await nodes.execute_many([route("GET", name) for name in names]) == [n.encode() for n in names]
    sizes = [node.ask("DBSIZE") for node in cluster.nodes]
    assert sum(sizes) == 300
    assert all(sizes)
    assert len(nodes.connections()) == 3


async def test_commands_without_keys_go_to_any_node(nodes: Nodes) -> None:
    assert await nodes.execute(None, "PING") == b"PONG"
    assert await nodes.execute_many([(None, ("ECHO", "a")), route("GET", "nothing")]) == [b"a", None]


async def test_errors_in_a_cluster_batch_stay_in_their_places(nodes: Nodes) -> None:
    replies = await nodes.execute_many([route("SET", "a", "x"), route("INCR", "a"), route("SET", "b", "y")])
    assert replies[0] == replies[2] == b"OK"
    assert isinstance(replies[1], ReplyError)


async def test_a_moved_slot_is_followed(
    nodes: Nodes, cluster: Cluster, moving: tuple[int, Node, Node]
) -> None:
    slot, source, target = moving
    await nodes.execute(slot, "SET", "{moving}a", 1)
    cluster.migrate(slot, source, target)
    assert await nodes.execute(slot, "INCR", "{moving}a") == 2
    assert target.ask("GET", "{moving}a") == b"2"
    assert isinstance(nodes, ClusterNodes)
    moved_to = nodes._slots[slot]
    assert moved_to is not None
    assert moved_to.address is not None
    assert moved_to.address.port == target.port


async def test_a_moved_slot_is_followed_in_a_batch(
    nodes: Nodes, cluster: Cluster, moving: tuple[int, Node, Node]
) -> None:
    slot, source, target = moving
    cluster.migrate(slot, source, target)
    commands = [route("SET", f"other:{number}", "x") for number in range(20)]
    commands[5:5] = [route("INCR", "{moving}n"), route("INCR", "{moving}n"), route("INCR", "{moving}n")]
    replies = await nodes.execute_many(commands)
    assert replies[5:8] == [1, 2, 3]
    assert replies[:5] + replies[8:] == [b"OK"] * 20


async def test_a_moving_slot_is_asked_for(
    nodes: Nodes, cluster: Cluster, moving: tuple[int, Node, Node]
) -> None:
    slot, source, target = moving
    await nodes.execute(slot, "SET", "{moving}stays", "here")
    cluster.begin_migration(slot, source, target)
    assert await nodes.execute(slot, "SET", "{moving}new", "there") == b"OK"
    assert target.ask("CLUSTER", "COUNTKEYSINSLOT", slot) == 1
    assert await nodes.execute_many(
        [route("GET", "{moving}stays"), route("GET", "{moving}new"), route("GET", "{moving}none")]
    ) == [b"here", b"there", None]


async def test_keys_torn_apart_by_a_move_are_tried_again(
    nodes: Nodes, cluster: Cluster, moving: tuple[int, Node, Node]
) -> None:
    slot, source, target = moving
    await nodes.execute(slot, "MSET", "{moving}a", 1, "{moving}b", 2)
    cluster.begin_migration(slot, source, target)
    source.ask("MIGRATE", "127.0.0.1", target.port, "{moving}a", 0, 5000)
    source.ask("CONFIG", "RESETSTAT")
    both = asyncio.create_task(nodes.execute(slot, "MGET", "{moving}a", "{moving}b"))
    many = asyncio.create_task(nodes.execute_many([route("MGET", "{moving}a", "{moving}b")]))
    await until(lambda: "errorstat_TRYAGAIN" in source.ask("INFO", "errorstats"))
    assert not both.done()
    await asyncio.to_thread(cluster.move_keys, slot, source, target)
    await asyncio.to_thread(cluster.end_migration, slot, source, target)
    assert await both == [b"1", b"2"]
    assert await many == [[b"1", b"2"]]


async def test_keys_that_stay_torn_apart_are_given_up(
    nodes: Nodes, cluster: Cluster, moving: tuple[int, Node, Node]
) -> None:
    slot, source, target = moving
    await nodes.execute(slot, "MSET", "{moving}a", 1, "{moving}b", 2)
    cluster.begin_migration(slot, source, target)
    source.ask("MIGRATE", "127.0.0.1", target.port, "{moving}a", 0, 5000)
    with pytest.raises(Unavailable):
        await nodes.execute(slot, "MGET", "{moving}a", "{moving}b")


async def test_no_write_is_lost_or_doubled_while_slots_move(
    nodes: Nodes, cluster: Cluster, moving: tuple[int, Node, Node]
) -> None:
    slot, source, target = moving
    counted = 0
    done = asyncio.Event()

    async def count() -> None:
        nonlocal counted
        while not done.is_set():
            assert not isinstance(await nodes.execute(slot, "INCR", "{moving}n"), ReplyError)
            replies = await nodes.execute_many([route("INCR", "{moving}n"), route("INCR", "{moving}n")])
            assert not [reply for reply in replies if isinstance(reply, ReplyError)]
            counted += 3

    counters = [asyncio.create_task(count()) for _ in range(5)]
    for first, second in ((source, target), (target, source), (source, target)):
        await asyncio.to_thread(cluster.migrate, slot, first, second)
    done.set()
    await asyncio.gather(*counters)
    assert int(await nodes.execute(slot, "GET", "{moving}n")) == counted


async def test_a_dead_node_fails_its_slots_fast_and_only_those() -> None:
    with throwaway_cluster() as cluster:
        nodes = await connect(cluster.url, timeout=1)
        lost = cluster.node_of(0)
        lost_key = next(f"k{i}" for i in range(100_000) if cluster.node_of(slot_of(f"k{i}")) is lost)
        kept_key = next(f"k{i}" for i in range(100_000) if cluster.node_of(slot_of(f"k{i}")) is not lost)
        lost.kill()
        with pytest.raises((Unavailable, OutcomeUnknown)):
            await nodes.execute(slot_of(lost_key), "GET", lost_key)
        await until(lambda: sum(connection.connected for connection in nodes.connections()) == 2)
        loop = asyncio.get_running_loop()
        started = loop.time()
        with pytest.raises(Unavailable):
            await nodes.execute(slot_of(lost_key), "GET", lost_key)
        with pytest.raises(Unavailable):
            await nodes.execute_many([route("SET", kept_key, "x"), route("SET", lost_key, "x")])
        assert loop.time() - started < 0.05
        assert await nodes.execute(slot_of(kept_key), "GET", kept_key) is None
        await nodes.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_node_outside_any_cluster_is_refused(node: Node) -> None:
    with pytest.raises(Unavailable, match="cluster support disabled"):
        await connect(f"redis+cluster://127.0.0.1:{node.port}", timeout=1)


@pytest.fixture
def sentinel(node: Node, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("sentinel")
    (port,) = free_ports(1)
    configuration = folder / "sentinel.conf"
    configuration.write_text(
        f"port {port}\nbind 127.0.0.1\nsentinel monitor square 127.0.0.1 {node.port} 1\n"
    )
    process = subprocess.Popen(
        [str(engine_binary()), str(configuration), "--sentinel"], cwd=folder, stdout=subprocess.DEVNULL
    )
    sentinel = Node(folder, port)

    def answers() -> bool:
        try:
            return bool(sentinel.ask("PING"))
        except RedisError:
            return False

    wait_until(answers, "the sentinel answers")
    yield port
    process.kill()
    process.wait()


async def test_the_sentinels_name_the_node(node: Node, sentinel: int) -> None:
    (silent,) = free_ports(1)
    url = f"redis+sentinel://127.0.0.1:{silent},127.0.0.1:{sentinel}/square/2"
    nodes = await connect(url, timeout=2)
    assert b"db=2" in await nodes.execute(None, "CLIENT", "INFO")
    assert b"run_id:" + node.ask("INFO", "server")["run_id"].encode() in await nodes.execute(
        None, "INFO", "server"
    )
    await nodes.close()


async def test_a_service_that_no_sentinel_knows_is_refused(sentinel: int) -> None:
    with pytest.raises(Unavailable, match="no primary of 'elsewhere'"):
        await connect(f"redis+sentinel://127.0.0.1:{sentinel}/elsewhere", timeout=0.5)
