"""Live comments: 2,000 WebSocket clients on 50 pages over two server processes, each comment to 40."""

import asyncio
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from bench.load import townsquare
from bench.report import Result
from townsquare import square as library
from townsquare.services.threads.models.sites import CachedKey, SiteSettings, Viewer
from townsquare.services.threads.service.comments import page_address
from townsquare.settings import Settings
from townsquare.square import Square

CLIENTS, PAGES, WORKERS = 2_000, 50, 2
COMMENTS, PER_SECOND = 200, 10
AT_ONCE = 50  # clients that connect at the same time
DOMAIN = "blog.example.org"
PATIENCE = 30.0
ENVIRON = {
    "TOWNSQUARE_RATE_LIMITS": "off",
    "TOWNSQUARE_TRUSTED_PROXIES": "127.0.0.1/32",  # each client has an address of its own
    "TOWNSQUARE_LOG_LEVEL": "error",
}


class Listening:
    """What one client was told."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.seconds: list[float] = []  # from before a comment was written until it was here
        self.events: list[tuple[int, ...]] = []

    async def listen(self, socket: ClientConnection) -> None:
        async for text in socket:
            now = time.time()
            message = json.loads(text)
            if message["type"] == "new_comment":
                self.seconds.append(now - float(message["comment"]["content"].split()[-1]))
                self.events.append(tuple(map(int, message["event"].split("-"))))


async def open_client(
    url: str, key: str, number: int, stack: AsyncExitStack
) -> tuple[Listening, ClientConnection]:
    page = f"/page/{number % PAGES}"
    socket = await stack.enter_async_context(
        connect(
            f"{url.replace('http', 'ws', 1)}/threads/v1/live?site={key}",
            origin=f"https://{DOMAIN}",  # type: ignore[arg-type]
            additional_headers={"X-Forwarded-For": f"10.0.{number // 250}.{number % 250}"},
            compression=None,
            max_queue=None,
            open_timeout=PATIENCE,
        )
    )
    await socket.send(json.dumps({"type": "subscribe", "page_url": page}))
    while json.loads(await socket.recv())["type"] != "subscribed":
        pass
    return Listening(page), socket


async def write_comments(square: Square, site: CachedKey) -> dict[str, int]:
    """Comments on all pages in turn, at a steady pace; how many each page got."""
    threads = square.services["threads"]
    authors = [await square.accounts.sign_up(f"author{number}") for number in range(20)]
    written: defaultdict[str, int] = defaultdict(int)
    began = time.perf_counter()
    for number in range(COMMENTS):
        await asyncio.sleep(max(0.0, began + number / PER_SECOND - time.perf_counter()))
        page, author = f"/page/{number % PAGES}", authors[number % len(authors)]
        viewer = Viewer(site_id=site.site_id, user_id=author.id)
        await threads.comments.create(viewer, site, page_address(site, page), f"{number} at {time.time()}")
        written[page] += 1
    return written


async def soak(url: str, folder: Path) -> list[Listening]:
    settings = Settings.load(data_dir=str(folder))
    async with library.open(settings=settings, background=False) as square, AsyncExitStack() as stack:
        made = await square.services["threads"].sites.create("A blog", DOMAIN, settings=SiteSettings())
        site = await square.services["threads"].sites.by_key(made.api_key_public)
        opened: list[tuple[Listening, ClientConnection]] = []
        for first in range(0, CLIENTS, AT_ONCE):
            share = range(first, first + AT_ONCE)
            opened += await asyncio.gather(
                *(open_client(url, made.api_key_public, number, stack) for number in share)
            )
        tasks = [asyncio.create_task(client.listen(socket)) for client, socket in opened]
        clients = [client for client, _ in opened]
        written = await write_comments(square, site)
        async with asyncio.timeout(PATIENCE):
            while any(len(client.events) < written[client.page] for client in clients):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        for client in clients:
            if client.events != sorted(set(client.events)) or len(client.events) != written[client.page]:
                raise SystemExit(f"a client of {client.page} was told twice, out of order or too little")
        for task in tasks:
            task.cancel()
        return clients


def milliseconds(seconds: Sequence[float], share: float) -> str:
    return f"{sorted(seconds)[round(share * (len(seconds) - 1))] * 1_000:,.1f}"


def run() -> list[Result]:
    with townsquare(workers=WORKERS, environ=ENVIRON) as (url, folder):
        clients = asyncio.run(soak(url, folder))
    seconds = [each for client in clients for each in client.seconds]
    row = [
        f"{CLIENTS:,} clients, {PAGES} pages",
        f"{len(seconds):,}",
        f"{statistics.median(seconds) * 1_000:,.1f}",
        milliseconds(seconds, 0.99),
        milliseconds(seconds, 1.0),
    ]
    return [
        Result(
            "Live comments",
            f"From the call that writes a comment until a client has it, in ms: {PER_SECOND} comments a "
            f"second, each told to {CLIENTS // PAGES} WebSocket clients over {WORKERS} processes; every "
            "client got every comment once and in order. Clients and author are one process beside them.",
            ["", "delivered", "median", "p99", "slowest"],
            [row],
        )
    ]
