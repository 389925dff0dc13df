"""A real `townsquare serve`, as a process of its own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.engines import wait_until
from tests.support.squares import FILMS

PATIENCE = 30.0


class Served:
    def __init__(self, data: Path, *options: str, **environ: str) -> None:
        self.data = data
        self.lines: list[str] = []
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TOWNSQUARE_")}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "townsquare.cli",
                "serve",
                "--data",
                str(data),
                "--log-format",
                "json",
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**clean, "TOWNSQUARE_SEARCH_CATALOGUE": str(FILMS), **environ},
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip())

    def events(self, event: str) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in list(self.lines) if line.startswith("{")]
        return [line for line in found if line["event"] == event]

    def wait_for(self, event: str) -> dict[str, Any]:
        wait_until(
            lambda: self.events(event) or self.process.poll() is not None, f"{event}: {self.lines}", PATIENCE
        )
        assert self.events(event), self.lines
        return self.events(event)[0]

    @property
    def url(self) -> str:
        return str(self.wait_for("serving")["url"])

    def workers(self) -> list[int]:
        """Processes that this server started and that serve requests."""
        listed = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        )
        rows = (line.split(maxsplit=2) for line in listed.stdout.splitlines())
        return [
            int(pid)
            for pid, parent, command in rows
            if int(parent) == self.process.pid and "townsquare.web.process.worker" in command
        ]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


@contextlib.contextmanager
def serving(data: Path, *options: str, **environ: str) -> Iterator[Served]:
    served = Served(data, *options, **environ)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.signal(signal.SIGTERM)
        try:
            served.wait()
        except subprocess.TimeoutExpired:
            served.process.kill()
            served.wait()
            raise


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
