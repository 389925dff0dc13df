"""The server, or one of its workers, dies or is asked to stop."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest

from tests.faults.numbers import answered, each_has_answered_more
from tests.faults.visits import (
    VISIT,
    Crowd,
    Visit,
    assert_store_clean,
    create_counter,
    has_counted,
    total_of,
    visit,
)
from tests.support.engines import Node
from tests.support.proxy import proxy_to
from tests.support.servers import NoAnswer, Server, alive, running_server
from tests.support.waiting import until
from townsquare.keyspace import Role

pytestmark = pytest.mark.faults


async def test_after_a_killed_server_the_next_adopts_its_engines_and_all_they_know(server: Server) -> None:
    id = await create_counter(server)
    async with Crowd(server, [id]) as crowd:
        await crowd.has(acknowledged, 50)
        engines = [server.engine_pid(role) for role in Role]
        workers = server.worker_pids()
        await server.kill()
        await until(lambda: not any(map(alive, workers)))
    await server.start()
    assert [server.engine_pid(role) for role in Role] == engines
    total = await total_of(server, id)
    assert len(crowd.acknowledged()) <= total <= len(crowd.acknowledged()) + len(crowd.uncertain())
    await assert_store_clean(server)


async def test_after_everything_was_killed_the_next_start_has_all_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path / "data", workers=2, durability="always") as server:
        id = await create_counter(server)
        async with Crowd(server, [id]) as crowd:
            await crowd.has(acknowledged, 50)
            await server.kill(everything=True)
        await server.start()
        total = await total_of(server, id)
        assert len(crowd.acknowledged()) <= total <= len(crowd.acknowledged()) + len(crowd.uncertain())
        assert await has_counted(server, id, crowd.acknowledged()[-1].visitor)
        await assert_store_clean(server)


async def test_a_killed_worker_is_replaced_and_no_request_hangs(server: Server) -> None:
    id = await create_counter(server)
    killed, other = server.worker_pids()
    async with Crowd(server, [id]) as crowd:
        await each_has_answered_more(server)
        before = await answered(server, VISIT)
        os.kill(killed, signal.SIGKILL)
        await until(lambda: len(set(server.worker_pids()) - {killed, other}) == 1)
        await each_has_answered_more(server)
    assert alive(other)
    broken = [visit for visit in crowd.visits if visit.answer is None]
    assert len(broken) <= crowd.lanes  # only what the dead one was just answering
    assert len(crowd.acknowledged()) + len(broken) == len(crowd.visits)
    total = await total_of(server, id)
    assert len(crowd.acknowledged()) <= total <= len(crowd.acknowledged()) + len(broken)
    assert await answered(server, VISIT) > before  # with what the dead one had answered


async def test_a_request_that_is_being_answered_is_finished_before_the_server_stops(
    tmp_path: Path, data_node: Node
) -> None:
    data_node.ask("FLUSHALL")
    async with (
        proxy_to("127.0.0.1", data_node.port) as proxy,
        running_server(tmp_path / "data", workers=2, data_url=proxy.url) as server,
    ):
        id = await create_counter(server)
        pids = server.pids()
        seen = proxy.bytes_seen
        proxy.hold_replies()
        last = asyncio.create_task(visit(server, id, "the last"))
        await until(lambda: proxy.bytes_seen > seen)
        os.kill(server.pid, signal.SIGTERM)
        await turned_away(server)
        assert not last.done()
        proxy.release()
        assert (await last).json["data"]["total"] == 1
        assert await server.ended() == 0
        assert not any(map(alive, pids))


async def test_a_second_signal_ends_the_server_at_once(tmp_path: Path, data_node: Node) -> None:
    async with (
        proxy_to("127.0.0.1", data_node.port) as proxy,
        running_server(tmp_path / "data", data_url=proxy.url, command_timeout="60") as server,
    ):
        pids = server.pids()
        seen = proxy.bytes_seen
        proxy.hold_replies()
        endless = asyncio.create_task(server.ask(VISIT, action="get", id="example-100680ad"))
        await until(lambda: proxy.bytes_seen > seen)
        os.kill(server.pid, signal.SIGTERM)
        await turned_away(server)
        os.kill(server.pid, signal.SIGTERM)
        with pytest.raises(NoAnswer):
            await endless
        assert await server.ended() == 0
        assert not any(map(alive, pids))


async def turned_away(server: Server) -> None:
    """Wait until no worker takes new requests."""
    async with asyncio.timeout(10):
        with contextlib.suppress(NoAnswer):
            while True:
                await server.ask("/healthz")


def acknowledged(visit: Visit) -> bool:
    return visit.acknowledged
