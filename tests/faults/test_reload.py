"""SIGHUP: new workers take over from old ones, with the settings of the file, and no request fails."""

import asyncio
import json
import os
import signal
from pathlib import Path

import httpx
import pytest

from tests.faults.visits import assert_store_clean, create_counter, total_of
from tests.support.servers import Server, alive, running_server
from tests.support.waiting import until

pytestmark = pytest.mark.faults

CLIENTS = 16


def events(server: Server) -> list[str]:
    return [json.loads(line)["event"] for line in server.log.splitlines()]


async def reload(server: Server) -> None:
    """Send SIGHUP and wait until the old workers have ended."""
    before, done = server.worker_pids(), events(server).count("workers replaced")
    os.kill(server.pid, signal.SIGHUP)
    await until(lambda: events(server).count("workers replaced") > done, 30)
    await until(lambda: not any(map(alive, before)), 30)
    assert len(server.worker_pids()) == server.workers


async def test_no_request_fails_while_workers_are_replaced(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", workers=2) as server:
        id = await create_counter(server)
        stop = asyncio.Event()

        async def visit_until_stopped(number: int) -> int:
            visits = 0
            async with httpx.AsyncClient(base_url=server.url) as client:  # one connection, kept alive
                while not stop.is_set():
                    visitor = {"User-Agent": f"{number}-{visits}"}
                    answer = await client.get(f"/widgets/visit?action=increment&id={id}", headers=visitor)
                    assert answer.status_code == 200, answer.text
                    visits += 1
            return visits

        clients = [asyncio.create_task(visit_until_stopped(number)) for number in range(CLIENTS)]
        for _ in range(3):
            await reload(server)
        stop.set()
        assert await total_of(server, id) == sum(await asyncio.gather(*clients))
        await assert_store_clean(server)


async def test_new_workers_have_the_settings_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "townsquare.toml").write_text("body_limit = 1000")
    async with running_server(tmp_path / "data") as server, httpx.AsyncClient(base_url=server.url) as client:

        async def status_of_a_large_body() -> int:
            return (await client.post("/widgets/visit", content=b"x" * 2_000)).status_code

        assert await status_of_a_large_body() == 413
        (tmp_path / "townsquare.toml").write_text("body_limit = 10000")
        await reload(server)
        assert await status_of_a_large_body() != 413


@pytest.mark.parametrize(
    "wrong", ["body_limit = 0", "cache_memory = '9mb'", "disabled_services = ['nothing']"]
)
async def test_the_old_workers_continue_if_the_new_settings_are_refused(tmp_path: Path, wrong: str) -> None:
    async with running_server(tmp_path / "data") as server:
        before = server.worker_pids()
        (tmp_path / "townsquare.toml").write_text(wrong)
        os.kill(server.pid, signal.SIGHUP)
        await until(lambda: "workers not replaced: the old ones continue" in events(server), 30)
        assert server.worker_pids() == before
        assert (await server.ask("/readyz")).status == 200
