"""Memory of each process at rest, CPU to start a command, and installed size: an earlier commit and now.

BENCH_BEFORE names the commit. BENCH_ONLY selects parts: memory, commands, install.
"""

import asyncio
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.servers import children, command_line

from bench.load import WITHOUT_SEARCH, free_port, process
from bench.report import Result
from bench.turns import HERE, source_of
from townsquare.keyspace import Role
from townsquare.settings import Settings
from townsquare.square import open as open_square
from townsquare.store.engine import Engines

BEFORE = os.environ.get("BENCH_BEFORE", "c2f1e3c")
ONLY = tuple(filter(None, os.environ.get("BENCH_ONLY", "").split(",")))
CALM = 5.0  # seconds without requests before a measurement
ENCODER_IDLE = 5  # seconds: instead of minutes
ROUNDS = 3
USERS = 20
PROCESSES = {  # by a part of the command line; anything else is the supervisor
    b"townsquare.web.process.worker": "workers",
    b"local_encoder": "encoders",
    b"valkey": "engines",
}
COMMANDS = {
    "--help": ["--help"],
    "--version": ["--version"],
    "check": ["check"],
}
QUERY = "/search/explain?query=a+slow+film+about+loneliness+in+a+city"
INDEXING = b'"indexing"'  # the notice of a response while texts are still being indexed


class Memory(NamedTuple):
    rss: float  # megabytes
    pss: float


Sides = Mapping[str, Path]


def megabytes(pid: int) -> Memory:
    lines = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines())
    sizes = {line[0]: int(line[1]) / 1024 for line in lines if line[0] in ("Rss:", "Pss:")}
    return Memory(sizes["Rss:"], sizes["Pss:"])


def descendants(pid: int) -> list[int]:
    return [pid, *(other for child in children(pid) for other in descendants(child))]


def kind_of(pid: int) -> str:
    command = command_line(pid)
    return next((kind for part, kind in PROCESSES.items() if part in command), "supervisor")


def memory_of(pid: int) -> dict[str, Memory]:
    """The sums of each kind of process, and of all."""
    found: defaultdict[str, Memory] = defaultdict(lambda: Memory(0, 0))
    for each in descendants(pid):
        with contextlib.suppress(OSError):
            size = megabytes(each)
            for kind in (kind_of(each), "all"):
                found[kind] = Memory(found[kind].rss + size.rss, found[kind].pss + size.pss)
    return found


@contextlib.contextmanager
def served(source: Path, workers: int, environ: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "townsquare", "serve", "--port", str(port), "--data", folder]
        command += ["--workers", str(workers), "--log-format", "json"]
        environ = {**environ, "PYTHONPATH": str(source / "src"), "TOWNSQUARE_RATE_LIMITS": "off"}
        with process(command, f"{url}/healthz", environ) as running:
            yield url, running.pid


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as response:
        return bytes(response.read())


def at_rest(source: Path, workers: int) -> dict[str, dict[str, Memory]]:
    """The memory of a server: without search, with search that nobody has used, and with search in use."""
    found = {}
    with served(source, workers, WITHOUT_SEARCH) as (_, pid):
        time.sleep(CALM)
        found["without search"] = memory_of(pid)
    idle = {"TOWNSQUARE_SEARCH_ENCODER_IDLE_SECONDS": str(ENCODER_IDLE)} if source == HERE else {}
    with served(source, workers, idle) as (url, pid):
        time.sleep(CALM)
        found["search not used yet"] = memory_of(pid)
        most: dict[str, Memory] = {}
        for _ in range(2 * workers):  # each worker
            fetch(url + QUERY)
        deadline = time.monotonic() + 150
        while INDEXING in fetch(url + QUERY) and time.monotonic() < deadline:
            now = memory_of(pid)
            most = max(most, now, key=lambda one: one["all"].rss if one else 0)
            time.sleep(0.2)
        if most:
            found["while indexing, at most"] = most
        for number in range(4 * workers):
            fetch(f"{url}{QUERY}+{number}")
        found["search in use"] = memory_of(pid)
        time.sleep(CALM + ENCODER_IDLE)
        found["search used, at rest"] = memory_of(pid)
    return found


def memory_result(sides: Sides, workers: int) -> Result:
    rows = []
    found = {name: at_rest(source, workers) for name, source in sides.items()}
    states = list(dict.fromkeys(state for side in found.values() for state in side))
    kinds = ["supervisor", "workers", "encoders", "engines", "all"]
    for state in states:
        for name, side in found.items():
            if state in side:
                cells = [f"{side[state][kind].rss:.0f} / {side[state][kind].pss:.0f}" for kind in kinds]
                rows.append([f"{state}, {name}", *cells])
    return Result(
        f"Memory with {workers} worker{'s' if workers > 1 else ''}",
        "RSS / PSS in megabytes, the sum of each kind of process. PSS counts a page that processes share "
        f"only once. At rest: {CALM:g} seconds after the last request, when an unused encoder has ended.",
        ["", *kinds],
        rows,
    )


def cpu_of(command: list[str], environ: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, env={**os.environ, **environ}, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode > 1 or b"Traceback" in ended.stderr:  # 1: an older check finds newer data
        raise RuntimeError(ended.stderr.decode())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands_result(sides: Sides) -> Result:
    rows = []
    with small_store() as store:
        for name, arguments in COMMANDS.items():
            cells = []
            for source in sides.values():
                environ = {**store, "PYTHONPATH": str(source / "src")}
                command = [sys.executable, "-m", "townsquare", *arguments]
                cpu_of(command, environ)  # compiles the modules
                cells.append(f"{min(cpu_of(command, environ) for _ in range(ROUNDS)):.2f} s")
            rows.append([f"`townsquare {name}`", *cells])
    return Result(
        "CPU of a command",
        f"User and system time, the least of {ROUNDS} runs; `check` on a store with {USERS} accounts.",
        ["", *sides],
        rows,
    )


@contextlib.contextmanager
def small_store() -> Iterator[dict[str, str]]:
    async def fill(settings: Settings) -> None:
        async with open_square(settings=settings, background=False) as square:
            for number in range(USERS):
                await square.accounts.sign_up(f"user{number}")

    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        engines = Engines(Path(folder))
        runner.run(engines.start())
        try:
            urls = {role: engines.url(role) for role in Role}
            runner.run(fill(Settings(data_url=urls[Role.DATA], cache_url=urls[Role.CACHE])))
            yield {f"TOWNSQUARE_{role.upper()}_URL": url for role, url in urls.items()}
        finally:
            runner.run(engines.stop())


def installed(source: Path, extra: str = "") -> dict[str, float]:
    """Megabytes of each folder in site-packages after `pip install .`, compiled modules included."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=False)
        python = Path(folder) / "bin" / "python"
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
        subprocess.run([*pip, f"{source}{extra}"], check=True)
        (packages,) = Path(folder).glob("lib/python*/site-packages")
        return {each.name: size_of(each) for each in packages.iterdir() if "dist-info" not in each.name}


def size_of(path: Path) -> float:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_blocks * 512 for each in files) / 1e6


def install_result(sides: Sides) -> Result:
    rows = []
    for what, extra in (("without extras", ""), ("with `search`", "[search]")):
        sizes = [installed(source, extra) for source in sides.values()]
        rows.append([what, *(f"{sum(each.values()):.0f} MB" for each in sizes)])
        largest = sorted(sizes[-1].items(), key=lambda item: -item[1])[:12]
        rows += [
            [f"&nbsp; {name}", *(f"{each.get(name, 0):.1f} MB" for each in sizes)] for name, _ in largest
        ]
    return Result(
        "Installed size",
        "`pip install .` into an empty environment, compiled modules included, and the largest packages.",
        ["", *sides],
        rows,
    )


def run() -> list[Result]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: modules are compiled once
    results = []
    with source_of(BEFORE) as earlier:
        sides = {BEFORE: earlier, "present": HERE}
        if not ONLY or "memory" in ONLY:
            results += [memory_result(sides, workers) for workers in (1, 4)]
        if not ONLY or "commands" in ONLY:
            results.append(commands_result(sides))
        if not ONLY or "install" in ONLY:
            results.append(install_result(sides))
    return results
