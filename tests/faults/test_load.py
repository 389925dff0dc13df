"""Many at once, on two workers."""

import asyncio

import pytest

from tests.faults.numbers import answered, answered_by
from tests.faults.visits import assert_store_clean, create_counter, total_of, visit
from tests.support.servers import Server
from tests.support.waiting import until

pytestmark = pytest.mark.faults

VISITORS = 1_000


async def test_a_thousand_visitors_at_once_count_a_thousand(server: Server) -> None:
    id = await create_counter(server)
    answers = await asyncio.gather(*(visit(server, id, visitor) for visitor in range(VISITORS)))
    assert {answer.status for answer in answers} == {200}
    assert {answer.json["data"]["total"] for answer in answers} == set(range(1, VISITORS + 1))
    assert await total_of(server, id) == VISITORS
    await assert_store_clean(server)


async def test_one_visitor_a_thousand_times_at_once_counts_one(server: Server) -> None:
    id = await create_counter(server)
    answers = await asyncio.gather(*(visit(server, id, "the same") for _ in range(VISITORS)))
    assert [answer.json["data"]["duplicate"] for answer in answers].count(False) == 1
    assert await total_of(server, id) == 1


async def test_metrics_are_summed_over_the_workers_that_share_the_load(server: Server) -> None:
    await asyncio.gather(*(server.ask("/docs") for _ in range(200)))
    await until(lambda: sum(answered_by(server, pid, "/docs") for pid in server.worker_pids()) >= 200)
    shares = [answered_by(server, pid, "/docs") for pid in server.worker_pids()]
    assert min(shares) > 10
    assert await answered(server, "/docs") == sum(shares) == 200
