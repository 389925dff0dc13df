"""Findings about settings, machine and backups."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.squares import Place, open_square
from townsquare.clock import SystemClock
from townsquare.doctor import examine
from townsquare.doctor.checks.server import LEAST_DISK
from townsquare.doctor.findings import Machine

MACHINE = Machine(cores=4, disk_free=100 << 30)
GOOD: dict[str, Any] = {"workers": 3, "backup_every": "1d"}
OPEN = {"host": "0.0.0.0"}
RANDOM = "f3a9c1d07be24586"


async def codes(place: Place, machine: Machine = MACHINE, **changes: Any) -> set[str]:
    async with open_square(place, SystemClock(), **{**GOOD, **changes}) as square:
        return {one.code for one in await examine(square.store, square.settings, machine)}


@pytest.mark.parametrize(
    ("code", "wrong", "right"),
    [
        ("weak_secret", {"secret": "abababababababababab"}, {"secret": RANDOM}),
        ("weak_secret", {"admin_token": "changeme-8f7a6b5c4d"}, {"admin_token": RANDOM}),
        ("proxy_everybody", {"trusted_proxies": ["0.0.0.0/0"]}, {"trusted_proxies": ["10.0.0.0/8"]}),
        (
            "proxy_untrusted",
            {"public_url": "https://talk.example"},
            {"public_url": "https://talk.example", "trusted_proxies": ["127.0.0.0/8"]},
        ),
        ("public_url_missing", OPEN, {**OPEN, "public_url": "https://talk.example"}),
        ("public_url_without_tls", {"public_url": "http://talk.example"}, {"public_url": "http://localhost"}),
        (
            "hsts_without_tls",
            {"hsts_seconds": 60},
            {"hsts_seconds": 60, "public_url": "https://talk.example"},
        ),
        (
            "delivery_console",
            {"public_url": "https://talk.example"},
            {
                "public_url": "https://talk.example",
                "delivery": "smtp",
                "smtp_url": "smtp://localhost",
                "mail_from": "T <t@talk.example>",
            },
        ),
        ("workers_above_cores", {"workers": 5}, {"workers": 4}),
        ("workers_below_cores", {"workers": 1}, {"workers": 2}),
    ],
)
async def test_a_setting(code: str, wrong: dict[str, Any], right: dict[str, Any], plain_place: Place) -> None:
    assert code in await codes(plain_place, **wrong)
    assert code not in await codes(plain_place, **right)


async def test_a_disk_that_is_nearly_full(plain_place: Place) -> None:
    full = Machine(cores=4, disk_free=LEAST_DISK - 1)
    async with open_square(plain_place, SystemClock()) as square:
        embedded = plain_place.settings(data_url="")
        assert "disk_low" in {one.code for one in await examine(square.store, embedded, full)}
        assert "disk_low" not in {one.code for one in await examine(square.store, embedded, MACHINE)}


async def test_no_backup_and_old_backups(plain_place: Place, tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert "no_backup" in await codes(plain_place, backup_every="off", backup_dir=folder)
    file = tmp_path / "test-20260101T000000Z.backup"
    file.touch()
    assert not {"no_backup", "old_backup"} & await codes(plain_place, backup_every="off", backup_dir=folder)
    two_days_ago = time.time() - 2.5 * 86_400
    os.utime(file, (two_days_ago, two_days_ago))
    assert "old_backup" in await codes(plain_place, backup_every="1d", backup_dir=folder)
    assert "old_backup" not in await codes(plain_place, backup_every="off", backup_dir=folder)


def test_this_machine_is_described(tmp_path: Path) -> None:
    machine = Machine.this(str(tmp_path))
    assert machine.cores >= 1
    assert machine.disk_free
    assert Machine.this(str(tmp_path / "missing")).disk_free is None
