"""Many at once, on two workers."""

import asyncio

import pytest

from tests.faults.numbers import all_answered_more, answered, answered_by_workers
from tests.faults.visits import assert_store_clean, create_counter, total_of, visit
from tests.support.servers import Server

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
    before = await answered_by_workers(server)
    asked = 0
    async with asyncio.timeout(20):
        while not all_answered_more(server, before, await answered_by_workers(server)):
            await asyncio.gather(*(server.ask("/docs") for _ in range(100)))
            asked += 100
        while (counted := await answered(server, "/docs")) < asked:  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.05)
    assert counted == asked
