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

SECONDS = 4
CONNECTIONS = 32
WITHOUT_SEARCH = {
    "TOWNSQUARE_DISABLED_SERVICES": "search"
}  # whose films are indexed while others are measured
REQUESTS = re.compile(r"Requests/sec:\s+([\d.]+)")
REFUSED = re.compile(r"Non-2xx or 3xx responses: (\d+)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wrk(
    url: str, script: Path | None = None, *, seconds: int = SECONDS, connections: int = CONNECTIONS
) -> float:
    """Requests a second; an answer that is not a success ends the measurement."""
    if shutil.which("wrk") is None:
        raise SystemExit("These measurements need wrk: apt-get install wrk")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s"]
    if script:
        command += ["-s", str(script)]
    out = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if refused := REFUSED.search(out):
        raise SystemExit(f"{refused[1]} requests to {url} failed:\n{out}")
    found = REQUESTS.search(out)
    assert found, out
    return float(found[1])


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
        running.wait(20)


def cpu_seconds(pid: int) -> float:
    """What a process and its children have used so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    own = (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_seconds(int(child)) for child in children)


def wait_for(url: str, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
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
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with process([sys.executable, "-m", "bench.floor", module, str(port)], url, environ):
        yield url
