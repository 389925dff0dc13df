"""The embedded engine dies under load: fail fast, come back alone, keep what was acknowledged."""

import contextlib
import fcntl
import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.faults.visits import Crowd, Visit, assert_store_clean, create_counter, has_counted, total_of, visit
from tests.support.servers import Server
from townsquare.keyspace import Role

pytestmark = pytest.mark.faults

COMMAND_TIMEOUT = 2.0
FAST = 0.25  # seconds: what a client waits at most for a 503 while the store is away
SYNCED = 1.0  # seconds: `everysec` may lose what is younger


@contextlib.contextmanager
def engine_away(server: Server, role: Role = Role.DATA) -> Iterator[None]:
    """Kill the engine, and hold what the next one must hold to run."""
    with (server.folder / f"{role.value}.lock").open("r+") as lock:
        os.kill(server.pid, signal.SIGSTOP)  # or the next engine might be there before we hold the lock
        try:
            os.kill(server.engine_pid(role), signal.SIGKILL)
            fcntl.flock(lock, fcntl.LOCK_EX)
        finally:
            os.kill(server.pid, signal.SIGCONT)
        yield


async def test_requests_fail_fast_while_it_is_away_and_work_when_it_is_back(server: Server) -> None:
    id = await create_counter(server)
    engine = server.engine_pid()
    async with Crowd(server, [id]) as crowd:
        await crowd.has(acknowledged, 50)
        with engine_away(server):
            await crowd.has(lambda visit: visit.refused, 200)
        await crowd.has(acknowledged, 50)
    failed = [visit.answer for visit in crowd.visits if not visit.acknowledged]
    assert {answer.status if answer else None for answer in failed} == {503}
    waits = sorted(answer.seconds for answer in failed if answer)
    assert waits[len(waits) * 9 // 10] < FAST  # the last tenth also waited for a busy machine
    assert waits[-1] < COMMAND_TIMEOUT  # nobody waited for the store
    assert server.engine_pid() != engine


async def test_what_was_acknowledged_a_second_before_it_died_is_kept(server: Server) -> None:
    id = await create_counter(server)
    async with Crowd(server, [id]) as crowd:
        await crowd.has(acknowledged, 50)
        begun = time.monotonic()
        await crowd.has(lambda visit: visit.acknowledged and visit.answered_at > begun + SYNCED, 50)
        killed = time.monotonic()
        with engine_away(server):
            await crowd.has(lambda visit: visit.refused, 1)
            back = time.monotonic()
        await crowd.has(acknowledged, 50)
    synced = crowd.acknowledged(before=killed - SYNCED)
    after = [visit for visit in crowd.acknowledged() if visit.answered_at > back]
    assert len(synced) >= 50
    total = await total_of(server, id)
    assert len(synced) + len(after) <= total <= len(crowd.acknowledged()) + len(crowd.uncertain())
    for kept in synced[-50:]:
        assert await has_counted(server, id, kept.visitor)
    await assert_store_clean(server)


async def test_without_the_cache_engine_counters_still_count(server: Server) -> None:
    id = await create_counter(server)
    engine = server.engine_pid(Role.CACHE)
    with engine_away(server, Role.CACHE):
        assert (await server.ask("/readyz")).json["stores"] == {"data": "ok", "cache": "away"}
        assert (await visit(server, id, 1)).json["data"]["total"] == 1
    await server.becomes_ready()
    assert server.engine_pid(Role.CACHE) != engine


def acknowledged(visit: Visit) -> bool:
    return visit.acknowledged
