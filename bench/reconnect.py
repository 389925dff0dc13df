"""Clients that return after a worker was killed under a live feed: how long until each has everything again.

The viewers of one page get 20 comments a second. One worker is killed. Its clients return 15 seconds later,
within one second as the widget does, and continue from their last event. None may be told to reload.
"""

import asyncio
import base64
import os
import random
import re
import signal
import statistics
import time
from collections import Counter
from collections.abc import Sequence

from bench.load import WITHOUT_SEARCH, served, workers_of
from bench.report import Result
from townsquare import square as library
from townsquare.services.threads.models.sites import SiteConfig, SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.settings import Settings
from townsquare.square import Square

VIEWERS = int(os.environ.get("BENCH_VIEWERS", "1000"))
PER_SECOND = 20
BEFORE, AWAY, AFTER = 5.0, 15.0, 20.0  # seconds before the kill, until clients return, and after that
WITHIN = 1.0  # seconds in which they return
AT_ONCE = 50  # clients that connect at the same time
DOMAIN, PAGE = "blog.example.org", "/live"
ENVIRON = {
    "TOWNSQUARE_RATE_LIMITS": "off",
    "TOWNSQUARE_TRUSTED_PROXIES": "127.0.0.1/32",  # each client has an address of its own
    "TOWNSQUARE_LOG_LEVEL": "error",
}
TEXT, PING, PONG = 0x81, 0x89, 0x8A  # first bytes of frames
EVENT = re.compile(rb'"event":"([0-9]+-[0-9]+)"')


class LiveViewer(asyncio.Protocol):
    """A WebSocket client that parses no more than it must: a library would cost more than the server."""

    def __init__(self, number: int, key: str) -> None:
        self.last = b""
        self.comments = self.reloads = 0
        self.lost = asyncio.Event()
        self._subscribed = asyncio.Event()
        self._number, self._key = number, key
        self._buffer = b""
        self._upgraded = False
        self._transport: asyncio.Transport | None = None

    async def subscribe(self, port: int) -> None:
        self._buffer, self._upgraded = b"", False
        self.lost.clear()
        self._subscribed.clear()
        transport, _ = await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", port)
        self._transport = transport
        nonce = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /threads/v1/live?site={self._key} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {nonce}\r\nSec-WebSocket-Version: 13\r\n"
            f"Origin: https://{DOMAIN}\r\nX-Forwarded-For: 10.0.{self._number // 250}.{self._number % 250}"
            "\r\n\r\n".encode()
        )
        async with asyncio.timeout(60):
            await self._subscribed.wait()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._upgraded:
            head, ended, rest = self._buffer.partition(b"\r\n\r\n")
            if not ended:
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            self._buffer, self._upgraded = rest, True
            self._send_subscribe()
        at = 0
        while (payload := self._frame(at)) is not None:
            if self._buffer[at] == PING:
                self._send(PONG, self._buffer[payload])
            else:
                self._take(self._buffer[payload])
            at = payload.stop
        self._buffer = self._buffer[at:]

    def _send_subscribe(self) -> None:
        after = b',"last_event":"%s"' % self.last if self.last else b""
        text = b'{"type":"subscribe","page_url":"%s"%s}' % (PAGE.encode(), after)
        self._send(TEXT, text)

    def _send(self, kind: int, payload: bytes) -> None:
        assert self._transport
        self._transport.write(bytes([kind, 0x80 | len(payload), 0, 0, 0, 0]) + payload)  # masked with zeros

    def _frame(self, at: int) -> slice | None:
        buffer = self._buffer
        if len(buffer) < at + 2:
            return None
        size, start = buffer[at + 1], at + 2
        assert size < 127, "a long message"
        if size == 126 and len(buffer) < at + 4:
            return None
        if size == 126:
            size, start = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
        return slice(start, start + size) if len(buffer) >= start + size else None

    def _take(self, message: bytes) -> None:
        if message.startswith(b'{"type":"reload"'):
            self.reloads += 1
        elif message.startswith(b'{"type":"subscribed"'):
            self._subscribed.set()
        elif message.startswith(b'{"type":"new_comment"'):
            self.comments += 1
        found = EVENT.search(message[:120])
        if found:
            self.last = found[1]

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.set()

    def close(self) -> None:
        if self._transport:
            self._transport.abort()


async def write_comments(square: Square, site: SiteConfig, written: list[float]) -> None:
    threads = square.services["threads"]
    authors = [await square.accounts.sign_up(f"author{number}") for number in range(20)]
    page, began = page_address(site, PAGE), time.perf_counter()
    while True:
        await asyncio.sleep(max(0.0, began + len(written) / PER_SECOND - time.perf_counter()))
        viewer = Viewer(site_id=site.site_id, user_id=authors[len(written) % len(authors)].id)
        await threads.comments.create(viewer, site, page, f"Comment {len(written)}, as long as many are")
        written.append(time.perf_counter())


async def come_back(viewer: LiveViewer, port: int, written: Sequence[float]) -> tuple[float, float]:
    """Seconds until it was subscribed again, and until it had all comments written before that."""
    await asyncio.sleep(random.uniform(0, WITHIN))
    began = time.perf_counter()
    await viewer.subscribe(port)
    subscribed, wanted = time.perf_counter(), len(written)
    while viewer.comments < wanted:
        await asyncio.sleep(0.02)
        if time.perf_counter() - began > 60:
            raise SystemExit(f"a client has {viewer.comments} of {wanted} comments")
    return subscribed - began, time.perf_counter() - began


async def measure(url: str, data_dir: str, pids: list[int]) -> tuple[list[tuple[float, float]], int, int]:
    port = int(url.rpartition(":")[2])
    settings = Settings.load(environ=WITHOUT_SEARCH, data_dir=data_dir)
    async with library.open(settings=settings, background=False) as square:
        threads = square.services["threads"]
        made = await threads.sites.create("A blog", DOMAIN, settings=SiteSettings())
        site = await threads.sites.by_key(made.api_key_public)
        viewers = [LiveViewer(number, made.api_key_public) for number in range(VIEWERS)]
        for first in range(0, VIEWERS, AT_ONCE):
            await asyncio.gather(*(one.subscribe(port) for one in viewers[first : first + AT_ONCE]))
        written: list[float] = []
        writing = asyncio.create_task(write_comments(square, site, written))
        await asyncio.sleep(BEFORE)
        os.kill(pids[0], signal.SIGKILL)
        await asyncio.sleep(AWAY)
        gone = [one for one in viewers if one.lost.is_set()]
        seconds = await asyncio.gather(*(come_back(one, port, written) for one in gone))
        await asyncio.sleep(AFTER)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        deadline = time.perf_counter() + 30
        while any(one.comments < len(written) for one in viewers):
            await asyncio.sleep(0.1)
            if time.perf_counter() > deadline:
                break
        for one in viewers:
            one.close()
        if wrong := Counter(one.comments for one in viewers if one.comments != len(written)):
            raise SystemExit(f"viewers got {dict(wrong)} of {len(written)} comments")
        return list(seconds), sum(one.reloads for one in viewers), len(written)


def run() -> list[Result]:
    with served(2, ENVIRON) as (url, folder, server):
        seconds, reloads, comments = asyncio.run(measure(url, str(folder), workers_of(server)))
    rows = []
    for name, place in (("until it is subscribed", 0), ("until it has all comments", 1)):
        each = sorted(one[place] for one in seconds)
        rows.append(
            [
                name,
                *(f"{figure:.2f}" for figure in (statistics.median(each), each[-len(each) // 100], each[-1])),
            ]
        )
    return [
        Result(
            "Reconnecting live clients",
            f"{VIEWERS:,} viewers of one page, {PER_SECOND} comments a second ({comments:,} in all), two"
            f" workers. One worker is killed; its {len(seconds)} viewers return {AWAY:g} s later, within"
            f" {WITHIN:g} s."
            f" {reloads} were told to reload; all viewers got all comments once. Seconds for one viewer:",
            ["", "median", "p99", "slowest"],
            rows,
        )
    ]
