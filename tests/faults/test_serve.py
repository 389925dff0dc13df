"""`townsquare serve` as people run it: options, stores by URL, one owner of a port and a folder."""

import asyncio
import math
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pytest_asyncio import fixture

from tests.faults.visits import TOKEN, VISIT, assert_store_clean, create_counter, has_counted, total_of, visit
from tests.support.engines import Node, free_ports, throwaway_node
from tests.support.proxy import proxy_to
from tests.support.servers import START_PATIENCE, Server, alive, running_server
from tests.support.waiting import until
from townsquare.keyspace import Role

pytestmark = pytest.mark.faults

DEBIAN_REDIS = Path("/usr/bin/redis-server")


@pytest.fixture(scope="module")
def debian_redis() -> Iterator[Node]:
    if not DEBIAN_REDIS.exists():
        pytest.skip(f"no {DEBIAN_REDIS}: apt-get install redis-server")
    with throwaway_node(binary=DEBIAN_REDIS) as node:
        yield node


@pytest.fixture(scope="module")
def valkey(data_node: Node) -> Node:
    data_node.ask("FLUSHALL")
    return data_node


@pytest.fixture(scope="module", params=["debian_redis", "valkey"])
def redis(request: pytest.FixtureRequest) -> Node:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Node)
    return found


@fixture(scope="module", loop_scope="module")
async def server_by_url(
    tmp_path_factory: pytest.TempPathFactory, redis: Node, cache_node: Node
) -> AsyncIterator[Server]:
    urls = {"data_url": redis.url, "cache_url": cache_node.url}
    async with running_server(tmp_path_factory.mktemp("by_url") / "data", env="shop", **urls) as server:
        yield server


async def test_a_counter_lives_its_whole_life_on_the_embedded_store(server: Server) -> None:
    await live_a_whole_life(server)


async def test_a_counter_lives_its_whole_life_on_a_redis_by_url(server_by_url: Server) -> None:
    await live_a_whole_life(server_by_url)


async def live_a_whole_life(server: Server) -> None:
    id = await create_counter(server)
    answers = [(await visit(server, id, visitor)).json["data"] for visitor in ("a", "a", "b")]
    assert [(each["total"], each["duplicate"]) for each in answers] == [(1, False), (1, True), (2, False)]
    drawn = await server.ask("/api/visit", action="get", id=id, format="image")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert drawn.text.startswith("<svg")
    stranger = await server.ask(VISIT, action="set", id=id, token="another token", total=7)
    assert stranger.status == 403
    owner = await server.ask(VISIT, action="set", id=id, token=TOKEN, total=41)
    assert owner.json["data"]["total"] == 41
    assert (await visit(server, id, "c")).json["data"]["total"] == 42
    await assert_store_clean(server)
    deleted = await server.ask(VISIT, action="delete", id=id, token=TOKEN)
    assert deleted.json["data"] == {"id": id, "deleted": True}
    assert (await server.ask(VISIT, action="get", id=id)).status == 404
    await assert_store_clean(server)


async def test_a_redis_by_url_has_all_keys_under_the_environment(server_by_url: Server, redis: Node) -> None:
    id = await create_counter(server_by_url)
    assert redis.ask("GET", f"shop:widgets:counter:{id}:total") == b"0"
    assert all(name.startswith(b"shop:") for name in redis.ask("KEYS", "*"))
    folder = server_by_url.folder
    assert not folder.exists() or os.listdir(folder) == ["search"], (
        "no engine: only the index of films is here"
    )


async def test_a_stop_leaves_no_process_and_the_next_start_knows_everything(server: Server) -> None:
    id = await create_counter(server)
    await visit(server, id, 1)
    pids = server.pids()
    assert len(pids) == 5  # the server, two workers, two engines
    assert await server.stop() == 0
    assert not any(map(alive, pids))
    assert not {name for name in os.listdir(server.folder) if name.endswith((".sock", ".pid"))}
    await server.start()
    assert await total_of(server, id) == 1
    assert await has_counted(server, id, 1)


async def test_a_second_server_on_the_port_says_so_and_ends(server: Server, tmp_path: Path) -> None:
    second = await run_to_its_end(server, server.command(folder=tmp_path / "other"))
    assert second.returncode == 1
    (line,) = second.stderr.splitlines()
    assert line == f"Cannot listen on 127.0.0.1:{server.port}: the port is in use; choose another with --port"


async def test_a_second_server_on_the_folder_says_so_and_ends(server: Server) -> None:
    second = await run_to_its_end(server, server.command(port=free_ports(1)[0]))
    assert second.returncode == 1
    (line,) = second.stderr.splitlines()
    assert line.startswith(f"The data folder {server.folder} is in use by process {server.pid}")
    assert (await server.ask("/readyz")).status == 200


async def test_a_redis_that_is_not_there_is_named_and_nothing_is_started(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    server = Server(tmp_path / "data", data_url=f"redis://127.0.0.1:{port}", command_timeout="0.3")
    ended = await run_to_its_end(server, server.command())
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"Cannot reach Redis at 127.0.0.1:{port}: Connection refused")
    assert not server.folder.exists()


@pytest.mark.parametrize("role", list(Role))
async def test_a_store_that_goes_away_while_a_worker_starts_is_waited_for(
    tmp_path: Path, data_node: Node, cache_node: Node, role: Role
) -> None:
    nodes = {Role.DATA: data_node, Role.CACHE: cache_node}
    async with proxy_to("127.0.0.1", nodes[role].port) as proxy:
        urls = {f"{each}_url": node.url for each, node in nodes.items()} | {f"{role}_url": proxy.url}
        server = Server(tmp_path / "data", workers=2, command_timeout="0.5", **urls)
        try:
            proxy.admits = 1  # the server, which examines the store before its workers connect
            starting = asyncio.create_task(server.start())
            await until(lambda: starting.done() or server.log.count("worker died") >= 2, START_PATIENCE)
            proxy.admits = math.inf
            await starting
            await server.becomes_ready()
        finally:
            await server.bury()


async def run_to_its_end(server: Server, command: list[str]) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run, command, env=server.environ(), capture_output=True, text=True, timeout=30
    )
