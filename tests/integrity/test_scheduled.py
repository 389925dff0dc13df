"""A server checks its data by itself and reports the result."""

import asyncio
from pathlib import Path

import pytest

from tests.support.servers import Server, running_server
from townsquare.keyspace import Role
from townsquare.open_store import opened_store
from townsquare.settings import Settings, SettingsError
from townsquare.store.keys import LastCheck
from townsquare.web.scheduled_checks import is_due


async def metrics_with(server: Server, line: str) -> str:
    async with asyncio.timeout(60):
        while line not in (text := (await server.ask("/metrics")).text):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return text


@pytest.mark.slow
async def test_a_server_checks_its_data_and_counts_findings(tmp_path: Path) -> None:
    settings = {"integrity_every": "1d"}
    async with running_server(tmp_path / "data", workers=2, **settings) as server:
        text = await metrics_with(server, 'townsquare_integrity_checks_total{result="clean"} 1.0')
        assert "townsquare_integrity_findings{} 0.0" in text
        assert "townsquare_integrity_last_timestamp_seconds{} 1" in text
        store_settings = Settings.load(environ={}, env="test", data_dir=str(tmp_path / "data"))
        async with opened_store(store_settings) as store:
            node = store.role_stores[Role.DATA].nodes
            await node.execute(None, "SET", "test:social:nobody:declared:this", "x")
            await node.execute(None, "DEL", "test:system:integrity:last")
    async with running_server(tmp_path / "data", **settings) as server:
        text = await metrics_with(server, 'townsquare_integrity_checks_total{result="findings"} 1.0')
        assert "townsquare_integrity_findings{} 1.0" in text


def test_when_a_check_is_due() -> None:
    settings = Settings.load(environ={}, integrity_every="2h")
    now = 1_800_000_000_000
    assert is_due(settings, None, now)
    assert is_due(settings, LastCheck(0, now - 7_300_000, 1, 0), now)
    assert not is_due(settings, LastCheck(0, now - 7_000_000, 1, 0), now)
    assert is_due(settings, LastCheck(0, now + 7_300_000, 1, 0), now)


def test_an_interval_has_a_unit() -> None:
    with pytest.raises(SettingsError, match="integrity_every"):
        Settings.load(environ={}, integrity_every="24")
