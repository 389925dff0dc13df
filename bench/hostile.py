"""Hostile requests to every endpoint of a running server: every field, slow, cut off, twice at once.

No answer is 500 or above but 503 and 507, and none costs the worker more than 100 ms of CPU. Password hashes
are made in threads of their own and not counted. One request in four is sent, which takes some minutes;
HOSTILE_ONE_IN=1 sends all, and HOSTILE_FROM=1, 2 or 3 the others.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path

from rich.console import Console

from bench.hostile_requests import HostileRequest, Sizes, field_requests, header_requests, worth_asking
from bench.load import townsquare
from bench.report import Result
from townsquare import square as library
from townsquare.api import AnyEndpoint, Auth
from townsquare.settings import Settings

ADMIN = "the-token-of-the-operator"
MOST_CPU_MS = 100.0
EXPECTED_ABOVE_500 = (503, 507)
PATIENCE = 60.0
SLOW_AT_ONCE = 100
PIECES, PAUSE = 5, 0.05  # of a slow request
EVERY = 10  # of the requests, one is also sent slowly, cut off and twice at once
ENVIRON = {"TOWNSQUARE_RATE_LIMITS": "off", "TOWNSQUARE_ADMIN_TOKEN": ADMIN, "TOWNSQUARE_LOG_LEVEL": "error"}
ONE_IN = int(os.environ.get("HOSTILE_ONE_IN", "4"))  # no divisor of the number of texts or of lengths
FROM = int(os.environ.get("HOSTILE_FROM", "0"))
HEADER_ENDPOINT = "/social/feed/explore"


class Findings:
    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.broken: list[str] = []
        self.dearest = (0.0, "")

    def note(self, way: str, request: HostileRequest, status: int) -> None:
        self.sent[way] += 1
        self.statuses[status] += 1
        if (status >= 500 and status not in EXPECTED_ABOVE_500) or status == 0:
            self.broken.append(f"{status or 'no answer'} to {request.says} ({way})")


class Target:
    """The server, and how much CPU the thread of its worker that answers has used."""

    def __init__(self, url: str, worker: int, token: str) -> None:
        self._port = int(url.rpartition(":")[2])
        self._schedule = Path(f"/proc/{worker}/task/{worker}/schedstat")
        self._token = token

    def cpu_ms(self) -> float:
        return int(self._schedule.read_text().split()[0]) / 1e6

    def raw(self, request: HostileRequest) -> tuple[bytes, bytes]:
        headers = dict(request.headers)
        headers.setdefault(b"host", b"127.0.0.1")
        if request.auth.scheme is not None:
            token = ADMIN if request.auth in (Auth.ADMIN, Auth.API_KEY) else self._token
            headers.setdefault(b"authorization", b"Bearer " + token.encode())
        if request.body:
            headers[b"content-type"] = request.media_type.encode()
            headers[b"content-length"] = b"%d" % len(request.body)
        lines = [b"%s: %s" % header for header in headers.items()]
        start = b"%s %s HTTP/1.1" % (request.method.encode(), request.target)
        return b"\r\n".join([start, *lines, b"connection: close", b"", b""]), request.body

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            yield reader, writer
        finally:
            writer.close()

    async def ask(self, request: HostileRequest, pause: float = 0.0) -> int:
        """The status of the answer, 0 if there is none; with a pause, in pieces."""
        head, body = self.raw(request)
        whole = head + body
        step = len(whole) // PIECES + 1 if pause else len(whole)
        async with asyncio.timeout(PATIENCE), self.connected() as (reader, writer):
            try:
                for at in range(0, len(whole), step):
                    writer.write(whole[at : at + step])
                    await writer.drain()
                    await asyncio.sleep(pause)
            except ConnectionError:
                pass  # refused before all of it was sent
            return await status_of(reader)

    async def cut_off(self, request: HostileRequest) -> None:
        head, body = self.raw(request)
        whole = head + body
        async with self.connected() as (_, writer):
            writer.write(whole[: len(whole) // 2])


async def status_of(reader: asyncio.StreamReader) -> int:
    try:
        first = await reader.readline()
        await reader.read()
    except ConnectionError:
        return 431  # hung up on while we still sent
    return int(first.split()[1]) if first else 0


async def attack(target: Target, requests: Iterator[HostileRequest]) -> Findings:
    findings = Findings()
    some: list[HostileRequest] = []
    for number, request in enumerate(requests):
        before = target.cpu_ms()
        findings.note("whole", request, await target.ask(request))
        spent = target.cpu_ms() - before
        if spent > MOST_CPU_MS:  # once more: what is dear is dear again
            before = target.cpu_ms()
            await target.ask(request)
            spent = min(spent, target.cpu_ms() - before)
        findings.dearest = max(findings.dearest, (spent, request.says))
        if number % EVERY == 0:
            some.append(request)
        if len(some) == SLOW_AT_ONCE:
            await attack_together(target, some, findings)
            some = []
    await attack_together(target, some, findings)
    return findings


async def attack_together(target: Target, requests: Sequence[HostileRequest], findings: Findings) -> None:
    """The same requests cut off, then slowly and all together, then each twice at once."""
    for request in requests:
        await target.cut_off(request)
        findings.sent["cut off"] += 1
    slow = await asyncio.gather(*(target.ask(request, PAUSE) for request in requests))
    for request, status in zip(requests, slow, strict=True):
        findings.note("slow", request, status)
    for request in requests:
        for status in await asyncio.gather(target.ask(request), target.ask(request)):
            findings.note("twice at once", request, status)


def hostile(endpoints: Sequence[AnyEndpoint], sizes: Sizes) -> Iterator[HostileRequest]:
    for endpoint, fields in worth_asking(endpoints, by_query_too=True):
        yield from field_requests(endpoint, sizes, fields=fields)
        for path in endpoint.aliases:  # the same operation: one name will do
            yield from field_requests(endpoint, sizes, path=path, fields=())
        if endpoint.path == HEADER_ENDPOINT:
            yield from header_requests(endpoint, sizes)


async def declared(folder: Path) -> list[AnyEndpoint]:
    """The endpoints of the same services, over a store of their own."""
    async with library.open(settings=Settings(data_dir=str(folder / "declared"))) as square:
        return [endpoint for service, built in square.enabled for endpoint in service.endpoints(built)]


def sign_up(url: str) -> str:
    body = json.dumps({"username": "somebody", "password": "correct horse battery"}).encode()
    asked = urllib.request.Request(
        f"{url}/accounts/signup", body, {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(asked) as answer:
        return str(json.load(answer)["access_token"])


def worker_of(folder: Path) -> int:
    """The process that answers, below the one that was started on this folder."""
    listed = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid=,args="], text=True)
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    (server,) = [pid for pid, _, command in rows if "townsquare serve" in command and str(folder) in command]
    (worker,) = [
        int(pid) for pid, parent, command in rows if parent == server and "process.worker" in command
    ]
    return worker


def run() -> list[Result]:
    if not sys.platform.startswith("linux"):
        raise SystemExit("The CPU of one thread is read from /proc: this needs Linux")
    settings = Settings()
    began = time.monotonic()
    with townsquare(environ=ENVIRON) as (url, folder):
        endpoints = asyncio.run(declared(folder))
        target = Target(url, worker_of(folder), sign_up(url))
        requests = hostile(endpoints, Sizes(settings.body_limit, settings.line_limit))
        findings = asyncio.run(attack(target, islice(requests, FROM, None, ONE_IN)))
    spent, dearest = findings.dearest
    for line in findings.broken:
        print(line)
    rows = [[way, f"{count:,}"] for way, count in findings.sent.items()]
    rows += [[f"answers {status}", f"{count:,}"] for status, count in sorted(findings.statuses.items())]
    rows.append(["answers of 500 and above but 503 and 507, or none", str(len(findings.broken))])
    rows.append([f"dearest: {dearest}", f"{spent:.0f} ms of CPU"])
    if findings.broken or spent > MOST_CPU_MS:
        Result("Hostile requests", "out of bounds", ["", ""], rows).show(Console())
        raise SystemExit(1)
    took = time.monotonic() - began
    says = f"Every field of {len(endpoints)} endpoints, one request in {ONE_IN}, in {took:.0f} s, one worker."
    return [Result("Hostile requests", says, ["", ""], rows)]
