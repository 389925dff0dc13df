import asyncio
import errno
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.logs import capture_logs
from tests.support.waiting import until
from tests.web import stub_worker
from townsquare.settings import Settings
from townsquare.web.process import workers as module
from townsquare.web.process.workers import CannotServe, Workers

pytestmark = pytest.mark.slow

Start = Callable[..., Workers]


@pytest.fixture
async def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Start]:
    """Starts one worker after the other at one place, each of which does the next step of the plan."""
    monkeypatch.setattr(module, "MODULE", stub_worker.__name__)
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(module, "LAST_PAUSE", 0.05)
    plan = tmp_path / "plan"
    monkeypatch.setenv(stub_worker.PLAN, str(plan))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        workers = Workers(listener)

        def start(steps: str, workers_wanted: int = 1) -> Workers:
            plan.write_text(steps)
            workers.start(Settings(workers=workers_wanted))
            workers.configure(Settings())
            return workers

        yield start
        await workers.stop()


def kill_all(workers: Workers) -> None:
    for pid in workers._processes:
        os.kill(pid, signal.SIGKILL)


def serves(workers: Workers) -> bool:
    return workers._slots[0].serves


async def test_workers_killed_in_their_first_moments_are_started_again(start: Start) -> None:
    workers = start("serve die die die serve")
    assert await workers.ready(asyncio.Event())
    with capture_logs() as logged:
        kill_all(workers)
        await until(lambda: not serves(workers))
        await until(lambda: serves(workers))
    assert [line["event"] for line in logged] == ["worker died: restarting it"] * 4
    assert b'townsquare_worker_restarts_total{worker="1"} 4.0' in await workers._totals.text()


async def test_a_worker_killed_at_the_first_start_is_started_again(start: Start) -> None:
    assert await start("die serve").ready(asyncio.Event())


async def test_a_worker_that_fails_at_the_first_start_is_started_again(start: Start) -> None:
    assert await start("fail serve").ready(asyncio.Event())


async def test_a_worker_that_hangs_at_its_start_is_replaced(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "START_SECONDS", 1.0)
    assert await start("hang serve").ready(asyncio.Event())


async def test_a_process_that_cannot_be_made_is_tried_again(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    spawn, troubles = asyncio.create_subprocess_exec, [OSError(errno.EAGAIN, "no process"), MemoryError()]

    async def spawn_later(*args: Any, **options: Any) -> asyncio.subprocess.Process:
        if troubles:
            raise troubles.pop()
        return await spawn(*args, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", spawn_later)
    assert await start("serve").ready(asyncio.Event())


async def test_the_server_ends_with_an_error_when_nobody_serves_any_longer(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NOBODY_SECONDS", 0.2)
    workers = start("serve die")
    assert await workers.ready(asyncio.Event())
    kill_all(workers)
    async with asyncio.timeout(20):
        with pytest.raises(CannotServe, match="No worker has come up"):
            await workers.serve(asyncio.Event())


async def test_a_worker_that_says_why_it_cannot_start_ends_the_start(start: Start) -> None:
    with pytest.raises(CannotServe, match="the log says why"):
        await start("refuse").ready(asyncio.Event())


async def test_all_old_workers_continue_if_the_second_new_one_does_not_start(start: Start) -> None:
    workers = start("serve serve serve refuse serve", 2)
    assert await workers.ready(asyncio.Event())
    old = sorted(workers._processes)
    with pytest.raises(CannotServe):
        await workers.replace(Settings())
    await until(lambda: sorted(workers._processes) == old, 30)
    assert all(slot.serves for slot in workers._slots)
    assert not workers._failed.is_set()


async def test_workers_that_were_not_told_the_settings_yet_are_stopped_at_once(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        start("serve")
        untold = Workers(listener)
        untold.start(Settings())
        await until(lambda: bool(untold._processes))
        async with asyncio.timeout(module.STOP_SECONDS / 2):
            await untold.stop()
        assert not untold._processes


async def test_a_replaced_worker_stops_when_the_new_one_serves(start: Start) -> None:
    workers = start("serve serve")
    assert await workers.ready(asyncio.Event())
    (old,) = workers._processes
    await workers.replace(Settings())
    await until(lambda: old not in workers._processes, 30)
    assert serves(workers)
    assert len(workers._processes) == 1


@pytest.mark.parametrize("trouble", ["refuse", "hang"])
async def test_the_old_workers_continue_if_a_new_one_does_not_start(
    start: Start, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    workers = start(f"serve {trouble} serve")
    assert await workers.ready(asyncio.Event())
    (old,) = workers._processes
    monkeypatch.setattr(module, "START_SECONDS", 1.0)
    with pytest.raises(CannotServe):
        await workers.replace(Settings())
    await until(lambda: list(workers._processes) == [old], 30)
    assert serves(workers)
    assert not workers._failed.is_set()
