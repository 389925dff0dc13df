"""Cut, silent and refused connections between the server and its Redis."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pytest_asyncio import fixture

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
from tests.support.proxy import Proxy, proxy_to
from tests.support.servers import Server, running_server
from tests.support.waiting import until

pytestmark = [pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]

PATIENCE = 0.5  # seconds that the server grants a command here
URLS = [f"https://{name}.example" for name in ("one", "two", "three")]


@fixture(scope="module", loop_scope="module")
async def proxy(data_node: Node) -> AsyncIterator[Proxy]:
    data_node.ask("FLUSHALL")
    async with proxy_to("127.0.0.1", data_node.port) as proxy:
        yield proxy


@fixture(scope="module", loop_scope="module")
async def lasting_server(
    tmp_path_factory: pytest.TempPathFactory, proxy: Proxy, cache_node: Node
) -> AsyncIterator[Server]:
    urls = {"data_url": proxy.url, "cache_url": cache_node.unix_url}
    folder = tmp_path_factory.mktemp("cuts") / "data"
    async with running_server(folder, workers=2, command_timeout=str(PATIENCE), **urls) as server:
        yield server


@fixture(loop_scope="module")
async def server(lasting_server: Server) -> Server:
    await lasting_server.becomes_ready()
    return lasting_server


async def test_cut_connections_fail_what_is_under_way_and_nothing_is_counted_or_answered_twice(
    server: Server, proxy: Proxy
) -> None:
    counters = [await create_counter(server, url) for url in URLS]
    async with Crowd(server, counters) as crowd:
        for _ in range(8):
            await crowd.has(acknowledged, 20)
            await cut_in_mid_flight(proxy)
            await crowd.has(lambda visit: not visit.acknowledged, 1)
        await crowd.has(acknowledged, 20)
    assert {visit.answer.status if visit.answer else None for visit in crowd.visits} == {200, 503}
    for acked in crowd.acknowledged():
        assert acked.answer is not None
        assert acked.answer.json["data"]["id"] == acked.counter
        assert not acked.answer.json["data"]["duplicate"]
    totals = sum([await total_of(server, id) for id in counters])
    assert len(crowd.acknowledged()) <= totals <= len(crowd.acknowledged()) + len(crowd.uncertain())
    await assert_store_clean(server)


async def test_a_silent_redis_is_given_up_in_time_and_then_refused_at_once(
    server: Server, proxy: Proxy
) -> None:
    id = await create_counter(server)
    proxy.hold_replies()
    answers = await asyncio.gather(*(visit(server, id, visitor) for visitor in range(20)))
    assert {(answer.status, answer.json["code"]) for answer in answers} <= {
        (503, "outcome_unknown"),
        (503, "store_unavailable"),
    }
    assert max(answer.seconds for answer in answers) < PATIENCE * 2 + 0.5
    proxy.release()
    unknown = sum(answer.json["code"] == "outcome_unknown" for answer in answers)
    assert await total_of(server, id) <= unknown
    assert not await has_counted(server, id, 21)


async def test_readiness_follows_the_store_and_health_does_not(server: Server, proxy: Proxy) -> None:
    id = await create_counter(server)
    assert (await server.ask("/readyz")).json == {"status": "ready", "stores": {"data": "ok", "cache": "ok"}}
    await proxy.refuse()
    away = await server.ask("/readyz")
    assert away.status == 503
    assert away.json == {"status": "unavailable", "stores": {"data": "away", "cache": "ok"}}
    assert (await server.ask("/healthz")).status == 200
    refused = await server.ask(VISIT, action="get", id=id)
    assert (refused.status, refused.json["code"]) == (503, "store_unavailable")
    assert refused.seconds < 0.25
    picture = await server.ask(VISIT, action="get", id=id, format="image")
    assert picture.status == 200  # a dash, so that no page shows a broken image
    assert ">-<" in picture.text
    await proxy.open()
    await server.becomes_ready()
    assert await total_of(server, id) == 0


async def cut_in_mid_flight(proxy: Proxy) -> None:
    """Redis has received commands, and their replies never come."""
    proxy.hold_replies()
    seen = proxy.bytes_seen
    await until(lambda: proxy.bytes_seen > seen)
    proxy.cut()
    proxy.release()


def acknowledged(visit: Visit) -> bool:
    return visit.acknowledged
