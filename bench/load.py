"""Requests from another process: wrk, with a server of ours or a bare one behind it."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

SECONDS = 4
CONNECTIONS = 32
WITHOUT_SEARCH = {
    "TOWNSQUARE_DISABLED_SERVICES": "search"
}  # whose films are indexed while others are measured
REQUESTS = re.compile(r"Requests/sec:\s+([\d.]+)")
P99 = re.compile(r"\b99%\s+([\d.]+)(us|ms|s|m)\b")
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "m": 60_000.0}
REFUSED = re.compile(r"Non-2xx or 3xx responses: (\d+)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Load(NamedTuple):
    """What wrk measured."""

    rate: float  # requests per second
    p99: float  # latency in milliseconds


def wrk(
    url: str, script: Path | None = None, *, seconds: int = SECONDS, connections: int = CONNECTIONS
) -> float:
    """Requests a second; an answer that is not a success ends the measurement."""
    return wrk_latency(url, script, seconds=seconds, connections=connections).rate


def wrk_latency(
    url: str, script: Path | None = None, *, seconds: int = SECONDS, connections: int = CONNECTIONS
) -> Load:
    """Requests per second and p99; a response that is not 2xx or 3xx ends the measurement."""
    if shutil.which("wrk") is None:
        raise SystemExit("These measurements need wrk: apt-get install wrk")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency"]
    if script:
        command += ["-s", str(script)]
    out = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if refused := REFUSED.search(out):
        raise SystemExit(f"{refused[1]} requests to {url} failed:\n{out}")
    rate, p99 = REQUESTS.search(out), P99.search(out)
    assert rate, out
    assert p99, out
    return Load(float(rate[1]), float(p99[1]) * MILLISECONDS[p99[2]])


@contextlib.contextmanager
def process(
    command: list[str], url: str, environ: Mapping[str, str] | None = None, *, silent: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """A server process that answers at `url` while the body runs."""
    running = subprocess.Popen(
        command,
        env={**os.environ, **(environ or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if silent else None,
    )
    try:
        wait_for(url, running)
        yield running
    finally:
        running.terminate()
        running.wait(60)


def cpu_seconds(pid: int) -> float:
    """What a process and its children have used so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_seconds(int(child)) for child in children)


def resident_bytes(pid: int) -> int:
    """Memory of the largest of a process and its children: the worker of a server that has one."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = pages * os.sysconf("SC_PAGE_SIZE")
    return max([own, *(resident_bytes(int(child)) for child in children)])


def wait_for(url: str, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120  # a busy machine takes long
    while time.monotonic() < deadline:
        if running.poll() is not None:
            raise SystemExit(f"the server for {url} ended with {running.returncode}")
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.05)
    raise SystemExit(f"nothing answers at {url}")


@contextlib.contextmanager
def townsquare(workers: int = 1, environ: Mapping[str, str] | None = None) -> Iterator[tuple[str, Path]]:
    """A real server with everything on but the limits; its address and data folder."""
    with served(workers, environ) as (url, folder, _):
        yield url, folder


@contextlib.contextmanager
def served(
    workers: int = 1, environ: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Path, "subprocess.Popen[bytes]"]]:
    """The same with its process."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "townsquare", "serve", "--port", str(port), "--data", folder]
        command += ["--workers", str(workers), "--log-format", "json"]
        with process(command, f"{url}/healthz", {**WITHOUT_SEARCH, **(environ or {})}) as running:
            yield url, Path(folder), running


def workers_of(server: "subprocess.Popen[bytes]") -> list[int]:
    """The processes of a server that answer requests."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [
        int(pid)
        for pid, parent, command in rows
        if int(parent) == server.pid and "townsquare.web.process.worker" in command
    ]


@contextlib.contextmanager
def bare(module: str, **environ: str) -> Iterator[str]:
    """An ASGI function under the uvicorn of our workers, with nothing of ours around it."""
    with bare_process(module, **environ) as (url, _):
        yield url


@contextlib.contextmanager
def bare_process(module: str, **environ: str) -> Iterator[tuple[str, int]]:
    """The same, with its process id."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with process([sys.executable, "-m", "bench.floor", module, str(port)], url, environ) as running:
        yield url, running.pid
