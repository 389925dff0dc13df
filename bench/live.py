"""Live comments: 2,000 WebSocket clients on 50 pages over two processes, one of which is killed half-way.

Every client gets every comment once and in order, over the kill as well; whom the killed process saw is gone
from the pages within 30 seconds. Then a server with room for few: the others poll, and see everything too.
"""

import asyncio
import contextlib
import json
import os
import signal
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.load import WITHOUT_SEARCH, served, workers_of
from bench.report import Result
from townsquare import square as library
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads import keys
from townsquare.services.threads.models.sites import NewSite, SiteConfig, SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.settings import Settings
from townsquare.square import Square

SHARE = float(os.environ.get("BENCH_SHARE", "1"))  # of the clients, to try it out
PAGES, WORKERS = 50, 2
CLIENTS = max(int(2_000 * SHARE), 2 * PAGES)
PRESENT = 2 * PAGES  # of them, who have signed in: two on each page
COMMENTS, PER_SECOND = 200, 10
AT_ONCE = 50  # clients that connect at the same time
DOMAIN = "blog.example.org"
PATIENCE = 60.0
PRESENCE_WITHIN = 30.0  # seconds, after a crash
ROOM, OVER, POLL = 10, 30, 0.5  # connections of the small server, its clients, seconds between two questions
ENVIRON = {
    "TOWNSQUARE_RATE_LIMITS": "off",
    "TOWNSQUARE_TRUSTED_PROXIES": "127.0.0.1/32",  # each client has an address of its own
    "TOWNSQUARE_LOG_LEVEL": "error",
}


class Listening:
    """One client, which comes back when it is cut off, and what it was told."""

    def __init__(self, url: str, key: str, number: int, token: str = "", user_id: str = "") -> None:
        self.url, self.key, self.number = url, key, number
        self.page = f"/page/{number % PAGES}"
        self.user_id = user_id
        self.seconds: list[float] = []  # from before a comment was written until it was here
        self.events: list[tuple[int, ...]] = []
        self.last = ""
        self.cut_off = 0
        self.stays_away = bool(user_id)  # after it was cut off: others see that somebody is gone
        self.polls = False
        self._token = token

    async def connected(self) -> ClientConnection:
        return await connect(
            f"{self.url.replace('http', 'ws', 1)}/threads/v1/live?site={self.key}",
            origin=f"https://{DOMAIN}",  # type: ignore[arg-type]
            additional_headers={"X-Forwarded-For": f"10.0.{self.number // 250}.{self.number % 250}"},
            subprotocols=[f"bearer.{self._token}"] if self._token else None,  # type: ignore[list-item]
            compression=None,
            max_queue=None,
            open_timeout=PATIENCE,
        )

    async def subscribed(self) -> ClientConnection:
        socket = await self.connected()
        said = {"type": "subscribe", "page_url": self.page} | ({"last_event": self.last} if self.last else {})
        await socket.send(json.dumps(said))
        while (told := json.loads(await socket.recv()))["type"] != "subscribed":
            if told.get("code") == "too_many_live_connections":
                await socket.close()
                raise ConnectionRefusedError
            self.take(told)
        self.last = self.last or told["event"]
        return socket

    async def listen(self, socket: ClientConnection) -> None:
        while True:
            try:
                async for text in socket:
                    self.take(json.loads(text))
            except ConnectionClosed:
                pass
            self.cut_off += 1
            if self.stays_away:
                return
            socket = await self.come_back()

    async def come_back(self) -> ClientConnection:
        while True:
            with contextlib.suppress(OSError, ConnectionClosed, InvalidHandshake):
                return await self.subscribed()
            await asyncio.sleep(0.2)

    def take(self, told: dict[str, Any]) -> None:
        if told["type"] == "reload":
            raise SystemExit(f"a client of {self.page} was told to reload")
        if told.get("event"):
            self.last = told["event"]
        if told["type"] == "new_comment":
            self.seconds.append(time.time() - float(told["comment"]["content"].split()[-1]))
            self.events.append(tuple(map(int, told["event"].split("-"))))

    async def poll(self) -> None:
        """Ask now and then, as a client does for which no connection is free."""
        self.polls = True
        asked = {"page_url": self.page, "site": self.key}
        async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE) as http:
            while True:
                more = {"after": self.last} if self.last else {}
                answer = (await http.get("/threads/v1/pages/events", params={**asked, **more})).json()
                for event in answer["events"]:
                    self.take(event)
                self.last = answer["last"]
                await asyncio.sleep(POLL)


async def write_comments(
    square: Square, site: SiteConfig, count: int, first: int = 0
) -> defaultdict[str, int]:
    """Comments on all pages in turn, at a steady pace; how many each page got."""
    threads = square.services["threads"]
    authors = [await square.accounts.sign_up(f"author{first}x{number}") for number in range(20)]
    written: defaultdict[str, int] = defaultdict(int)
    began = time.perf_counter()
    for number in range(first, first + count):
        await asyncio.sleep(max(0.0, began + (number - first) / PER_SECOND - time.perf_counter()))
        page, author = f"/page/{number % PAGES}", authors[number % len(authors)]
        viewer = Viewer(site_id=site.site_id, user_id=author.id)
        await threads.comments.create(viewer, site, page_address(site, page), f"{number} at {time.time()}")
        written[page] += 1
    return written


async def opened_clients(square: Square, url: str, made: NewSite) -> list[Listening]:
    clients = []
    for number in range(CLIENTS):
        token = user_id = ""
        if number < PRESENT:
            account = await square.accounts.sign_up(f"reader{number}")
            await square.services["threads"].commenters.get(account.id)
            issued = await square.accounts.sessions.issue(account, "password", Client())
            token, user_id = issued.access_token, account.id
        clients.append(Listening(url, made.api_key_public, number, token, user_id))
    return clients


async def soak(url: str, folder: Path, server: "subprocess.Popen[bytes]") -> tuple[list[Listening], float]:
    """The clients, and how long those were still shown whom the killed process saw."""
    settings = Settings.load(environ=WITHOUT_SEARCH, data_dir=str(folder))
    async with library.open(settings=settings, background=False) as square:
        made = await square.services["threads"].sites.create("A blog", DOMAIN, settings=SiteSettings())
        site = await square.services["threads"].sites.by_key(made.api_key_public)
        clients = await opened_clients(square, url, made)
        tasks = []
        for first in range(0, CLIENTS, AT_ONCE):
            share = clients[first : first + AT_ONCE]
            sockets = await asyncio.gather(*(client.subscribed() for client in share))
            tasks += [
                asyncio.create_task(client.listen(socket))
                for client, socket in zip(share, sockets, strict=True)
            ]
        written = await write_comments(square, site, COMMENTS // 2)
        await all_told([client for client in clients if not client.cut_off], written)
        os.kill(workers_of(server)[0], signal.SIGKILL)
        killed = time.perf_counter()
        gone = asyncio.create_task(presence_gone(square, site, clients, killed))
        more = await write_comments(square, site, COMMENTS // 2, COMMENTS // 2)
        for page, count in more.items():
            written[page] += count
        here = [client for client in clients if not (client.cut_off and client.stays_away)]
        await all_told(here, written)
        seconds = await gone
        for task in tasks:
            if task.done() and task.exception():
                raise SystemExit(str(task.exception()))
            task.cancel()
        if not any(client.cut_off for client in clients):
            raise SystemExit("nobody was cut off")
        return clients, seconds


async def presence_gone(
    square: Square, site: SiteConfig, clients: Sequence[Listening], killed: float
) -> float:
    """Seconds until nobody is shown who was cut off and did not come back."""
    await asyncio.sleep(1)
    left = [client for client in clients if client.user_id and client.cut_off]
    if not left:
        raise SystemExit("the killed process saw nobody who had signed in")
    while time.perf_counter() - killed < PRESENCE_WITHIN:
        shown = await square.store.pipeline(
            [
                ("SISMEMBER", keys.page_presence(page_address(site, client.page).id), client.user_id)
                for client in left
            ]
        )
        if not any(shown):
            return time.perf_counter() - killed
        await asyncio.sleep(0.2)
    raise SystemExit(f"{sum(shown)} of {len(left)} are shown {PRESENCE_WITHIN:g} s after the crash")


async def all_told(clients: Sequence[Listening], written: dict[str, int]) -> None:
    """Wait until everybody has everything; nothing twice, nothing out of order."""
    async with asyncio.timeout(PATIENCE):
        while any(len(client.events) < written[client.page] for client in clients):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    for client in clients:
        if client.events != sorted(set(client.events)) or len(client.events) != written[client.page]:
            raise SystemExit(f"a client of {client.page} was told twice, out of order or too little")


async def crowd(url: str, folder: Path) -> list[Listening]:
    """More clients than there is room for."""
    settings = Settings.load(environ=WITHOUT_SEARCH, data_dir=str(folder))
    async with library.open(settings=settings, background=False) as square:
        made = await square.services["threads"].sites.create("A blog", DOMAIN, settings=SiteSettings())
        site = await square.services["threads"].sites.by_key(made.api_key_public)
        clients = [Listening(url, made.api_key_public, number) for number in range(OVER)]
        tasks = []
        for client in clients:
            try:
                tasks.append(asyncio.create_task(client.listen(await client.subscribed())))
            except (OSError, InvalidHandshake, ConnectionClosed):
                tasks.append(asyncio.create_task(client.poll()))
        await asyncio.sleep(2 * POLL)  # each knows its newest event
        await all_told(clients, await write_comments(square, site, COMMENTS // 2))
        for task in tasks:
            task.cancel()
        if not 0 < sum(client.polls for client in clients) < OVER:
            raise SystemExit("all of them poll, or none")
        return clients


def milliseconds(seconds: Sequence[float], share: float) -> str:
    return f"{sorted(seconds)[round(share * (len(seconds) - 1))] * 1_000:,.1f}"


def row(name: str, clients: Sequence[Listening]) -> list[str]:
    seconds = [each for client in clients for each in client.seconds]
    return [
        name,
        f"{len(seconds):,}",
        f"{statistics.median(seconds) * 1_000:,.1f}",
        milliseconds(seconds, 0.99),
        milliseconds(seconds, 1.0),
    ]


def run() -> list[Result]:
    with served(WORKERS, ENVIRON) as (url, folder, server):
        clients, gone = asyncio.run(soak(url, folder, server))
    with served(1, {**ENVIRON, "TOWNSQUARE_LIVE_CONNECTIONS": str(ROOM)}) as (url, folder, _):
        over = asyncio.run(crowd(url, folder))
    cut_off = [client for client in clients if client.cut_off]
    polling = [client for client in over if client.polls]
    rows = [
        row("clients of the process that went on", [client for client in clients if not client.cut_off]),
        row("clients of the one that was killed", cut_off),
        row(f"{len(polling)} clients that poll every {POLL:g} s", polling),
    ]
    return [
        Result(
            "Live comments",
            f"From the call that writes a comment until a client has it, in ms: {CLIENTS:,} WebSocket clients"
            f" on {PAGES} pages over {WORKERS} processes, {PER_SECOND} comments a second, each told to "
            f"{CLIENTS // PAGES}; half-way one process is killed (-9) and {len(cut_off):,} clients come back"
            " with their last event. Every client got every comment once and in order. Whom the killed"
            f" process saw was gone from the pages after {gone:.1f} s. Clients and author are one process.",
            ["", "delivered", "median", "p99", "slowest"],
            rows,
        )
    ]
