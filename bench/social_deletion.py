"""Deleting somebody whom everybody knows, in a server that others use: how long, and what they notice."""

import asyncio
import os
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec
import uvloop

from bench.load import townsquare
from bench.report import Result
from townsquare.integrity.check import check
from townsquare.keyspace import Role
from townsquare.services import registry
from townsquare.services.social.service import Social
from townsquare.services.social.sync_records import RECORDS
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.engine import Engines
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect

SHARE = float(os.environ.get("BENCH_SHARE", "1"))  # of the whole, to try it out
POSTS, LIKES, FOLLOWERS = (int(count * SHARE) for count in (10_000, 100_000, 50_000))
GONE = "Zelda"
KEY = "the key of the bench"
CLIENTS = 8
PAUSE = 0.04  # of each client between two requests: a server that is used, not one that is flooded
QUIET_SECONDS = 25.0
ALLOWED = 2.0
PATIENCE = 30.0
READS = {b"set": ("SMEMBERS",), b"zset": ("ZRANGE", 0, -1), b"hash": ("HGETALL",), b"string": ("GET",)}


def batches(records: Iterator[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for record in records:
        batch.append(record)
        if len(batch) == RECORDS:
            yield batch
            batch = []
    if batch:
        yield batch


async def fill(social: Social, now: int) -> None:
    """Fans who follow and are liked, and somebody who has written and liked very much."""
    fans = [f"fan{number}" for number in range(FOLLOWERS)]
    work = (
        (social.sync.users, ({"username": name} for name in [GONE, *fans])),
        (social.sync.follows, ({"follower": fan, "followed": GONE} for fan in fans)),
        (social.sync.posts, (written(number, GONE, now) for number in range(POSTS))),
        (
            social.sync.posts,
            (written(POSTS + number, fans[number % FOLLOWERS], now) for number in range(LIKES)),
        ),
        (social.sync.likes, ({"post_id": POSTS + number, "username": GONE} for number in range(LIKES))),
        (
            social.sync.likes,
            (
                {"post_id": number % POSTS, "username": fans[number * 7 % FOLLOWERS]}
                for number in range(LIKES // 2)
            ),
        ),
    )
    for load, records in work:
        for batch in batches(records):
            refused = [answer for answer in await load(batch) if answer.status == "refused"]
            if refused:
                raise AssertionError(refused[0])


def written(number: int, author: str, now: int) -> dict[str, Any]:
    content = f"Number {number} about #tag{number % 500}"
    return {"id": number, "username": author, "content": content, "created_at": now - number * 1000}


class Client:
    """One connection that asks, waits for the answer, and looks at the clock."""

    def __init__(self, url: str, number: int) -> None:
        place = urlsplit(url)
        self._host, self._port = place.hostname or "", place.port or 0
        self._number = number
        self.seconds: list[float] = []

    def requests(self) -> Iterator[bytes]:
        turn = self._number
        while True:
            turn += 1
            fan = f"fan{turn * 31 % FOLLOWERS}"
            write = msgspec.json.encode({"commands": [["HINCRBY", f"user:{fan}", "visits", 1]]})
            yield self._request("GET", "/social/feed/explore")
            yield self._request("GET", f"/social/users/{fan}")
            yield self._request("GET", f"/social/feed/hashtag/tag{turn % 500}/ranked")
            yield self._request("POST", "/redis/write", write)

    def _request(self, method: str, path: str, body: bytes = b"") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {KEY}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return f"{head}\r\n".encode() + body

    async def go_on(self, stop: asyncio.Event) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        for request in self.requests():
            if stop.is_set():
                break
            began = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
            self.seconds.append(time.perf_counter() - began)
            if b" 200 " not in head[:15]:
                raise AssertionError(head)
            await asyncio.sleep(PAUSE)
        writer.close()


async def latencies(url: str, until: asyncio.Event) -> list[float]:
    clients = [Client(url, number) for number in range(CLIENTS)]
    await asyncio.gather(*(client.go_on(until) for client in clients))
    return sorted(second for client in clients for second in client.seconds)


async def rest(url: str) -> list[float]:
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(QUIET_SECONDS, stop.set)
    return await latencies(url, stop)


async def deletion(url: str, social: Social, jobs: Jobs) -> tuple[list[float], float]:
    """What others wait for their answers while the server deletes, and how long that takes."""
    began = time.perf_counter()
    await social.users.begin_delete(GONE)
    stop = asyncio.Event()
    measuring = asyncio.create_task(latencies(url, stop))
    while await jobs.list():  # noqa: ASYNC110 - the server does it
        await asyncio.sleep(0.1)
    seconds = time.perf_counter() - began
    stop.set()
    return await measuring, seconds


async def mentions(store: Store, name: str) -> list[str]:
    """Every key that has the name in itself or in what it holds."""
    nodes, word, found = store.role_stores[Role.DATA].nodes, name.encode(), []
    async for names in store.scan(Role.DATA):
        kinds = await nodes.execute_many([(None, ["TYPE", one]) for one in names])
        read = [(one, READS[kind]) for one, kind in zip(names, kinds, strict=True) if kind in READS]
        values = await nodes.execute_many([(None, [verb, one, *rest]) for one, (verb, *rest) in read])
        for (one, _), value in zip(read, values, strict=True):
            if name in one or word in repr(value).encode():
                found.append(one)
    return found


def p(part: float, seconds: Sequence[float]) -> float:
    return seconds[min(len(seconds) - 1, int(len(seconds) * part))] * 1000


async def measure(url: str, data_url: str) -> list[Result]:
    nodes = await connect(data_url, timeout=PATIENCE)
    store = Store(registry(), "prod", nodes, nodes)
    jobs = Jobs(store)
    social = Social(store, jobs)
    try:
        await fill(social, store.clock.now_ms())
        before = await rest(url)
        during, seconds = await deletion(url, social, jobs)
        after = await rest(url)
        left = await mentions(store, GONE)
        report = await check(store)
    finally:
        await nodes.close()
    if left or report.findings:
        raise AssertionError(f"left: {left[:5]}, found: {report.findings[:5]}")
    ratio = p(0.99, during) / p(0.99, sorted(before + after))
    if ratio > ALLOWED:
        raise AssertionError(f"others waited {ratio:.1f} times as long")
    rows = [
        [name, f"{len(side):,}", f"{p(0.5, side):.1f} ms", f"{p(0.99, side):.1f} ms"]
        for name, side in (("before", before), ("while it runs", during), ("after", after))
    ]
    return [
        Result(
            "Deleting somebody known to everybody",
            f"{POSTS:,} posts, {LIKES:,} likes given and {LIKES // 2:,} received, {FOLLOWERS:,} followers: "
            f"gone in {seconds:.0f} s, no key or member has the name, the check finds nothing. What others "
            f"wait meanwhile, reads and writes, one worker; ratio of p99 {ratio:.2f}, allowed {ALLOWED:g}.",
            ["others' requests", "requests", "median", "p99"],
            rows,
        )
    ]


def run() -> list[Result]:
    environ = {"TOWNSQUARE_ADMIN_TOKEN": KEY, "TOWNSQUARE_RATE_LIMITS": "off"}
    with (
        townsquare(environ=environ) as (url, folder),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(measure(url, Engines(folder).url(Role.DATA)))
