"""A server makes backups by itself, keeps some of them and counts them."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from tests.support.servers import running_server
from townsquare.backup import run
from townsquare.backup.folder import backup_files
from townsquare.services import registry
from townsquare.settings import Settings, SettingsError
from townsquare.web import scheduled_backups as scheduled

COUNTED = 'townsquare_backups_total{result="done"} 1.0'


def backups(folder: Path) -> list[Path]:
    return backup_files("test", folder)


def put_old_ones(folder: Path) -> None:
    folder.mkdir()
    for day in ("01", "02"):
        old = folder / f"test-202601{day}T000000Z.backup"
        old.touch()
        os.utime(old, (1, 1))
    (folder / "other-20260101T000000Z.backup").touch()


@pytest.mark.slow
async def test_a_server_makes_backups(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    put_old_ones(folder)
    settings = {"backup_every": "1d", "backup_dir": str(folder), "backup_keep": "2"}
    async with running_server(tmp_path / "data", workers=2, **settings) as server:
        async with asyncio.timeout(30):
            while COUNTED not in (text := (await server.ask("/metrics")).text):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert "townsquare_backup_last_timestamp_seconds{} 1" in text
        former, made = backups(folder)
        assert former.name == "test-20260102T000000Z.backup"
        report = run.verify(registry(), made, lambda *_: None)
        assert report.header.consistency == "point in time"
        assert report.keys
    assert backup_files("other", folder)


def test_when_a_backup_is_due() -> None:
    settings = Settings.load(environ={}, backup_every="2h")
    now = time.time()
    assert scheduled.is_due(settings, 0.0)
    assert scheduled.is_due(settings, now - 7_300)
    assert not scheduled.is_due(settings, now - 7_000)
    assert scheduled.is_due(settings, now + 7_300)


@pytest.mark.parametrize("bad", ["0h", "1", "h", "-1d", "24 h"])
def test_an_interval_has_a_unit(bad: str) -> None:
    with pytest.raises(SettingsError, match="backup_every"):
        Settings.load(environ={}, backup_every=bad)
