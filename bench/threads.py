"""Comments: threads of any size cost the same; and the same work beside Isso (gunicorn, SQLite) and a floor.

About three minutes on a quiet machine; figures are ratios of one run, taken in turns.
"""

import asyncio
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from bench.load import bare, free_port, process, townsquare, wrk
from bench.report import Result
from townsquare.clock import iso
from townsquare.keyspace import Role, carried_bucket, mint_id
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads.models.sites import NewSite, RateLimits, SiteSettings, Sort, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.services.threads.script_types import CommentToImport
from townsquare.services.threads.scripts import ImportComments
from townsquare.services.threads.service import Threads
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.square import open as open_square
from townsquare.store.engine import Engines

SIZES = (100, 10_000, 100_000)
SORTS: tuple[Sort, ...] = ("new", "old", "top", "hot", "controversial")
ISSO_SIZES = (1, 100, 1_000)
ROUNDS, READS = 7, 60
PEOPLE = 50
BATCH = 200
CONNECTIONS = 4
SECONDS = 3  # of one measurement
DOMAIN = "bench.example.org"
COMMENTS = Path(__file__).parent / "comments.lua"
OFF = "100000000/60"
NO_LIMITS = {f"TOWNSQUARE_RATE_LIMIT_{name}": OFF for name in ("READ", "WRITE", "VOTE")}
TEXT = "A comment with **some** words in it, as people write them. "


def run() -> list[Result]:
    with townsquare(environ=NO_LIMITS) as (url, folder):
        site, tokens, users = asyncio.run(prepare(folder))
        sizes = asyncio.run(reads_by_size(folder, site))
        beside_isso = against_isso(url, folder, site, tokens, users)
    return [sizes, beside_isso]


@contextlib.asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Square]:
    engines = Engines(folder)
    given = Settings.load(environ={}, data_url=engines.url(Role.DATA), cache_url=engines.url(Role.CACHE))
    async with open_square(settings=given, background=False) as square:
        yield square


async def prepare(folder: Path) -> tuple[NewSite, list[str], list[str]]:
    """A site without limits, pages of every size, and people who are signed in."""
    async with opened(folder) as square:
        threads: Threads = square.services["threads"]
        unlimited = RateLimits(key=0, ip=0, user=0, comments=0)
        settings = SiteSettings(moderation="none", rate_limits=unlimited, max_links=0, proof_of_work=False)
        site = await threads.sites.create("Bench", DOMAIN, settings=settings)
        tokens, authors = [], []
        for number in range(PEOPLE):
            account = await square.accounts.sign_up(f"bench{number}")
            signed_in = await square.accounts.sessions.issue(account, "password", Client())
            await threads.commenters.get(account.id)
            tokens.append(signed_in.access_token)
            authors.append(account.id)
        for size in {*SIZES, *ISSO_SIZES}:
            await fill(square, site, authors, size)
        return site, tokens, authors


async def fill(square: Square, site: NewSite, authors: list[str], size: int) -> None:
    """A page with so many root comments, written as an import writes them."""
    threads: Threads = square.services["threads"]
    key = await threads.sites.by_key(site.api_key_public)
    page = page_address(key, f"/{size}")
    now = square.store.clock.now_ms() - size * 1000
    bucket = carried_bucket(page.id)
    for start in range(0, size, BATCH):
        comments = []
        for number in range(start, min(start + BATCH, size)):
            at = now + number * 1000
            comments.append(
                CommentToImport(
                    id=mint_id(bucket),
                    parent_id=None,
                    author_id=authors[number % len(authors)],
                    content=TEXT + str(number),
                    content_html=f"<p>{TEXT}{number}</p>",
                    upvotes=number * 7 % 50,
                    downvotes=number * 3 % 20,
                    status="approved",
                    edited=False,
                    created_at=iso(at),
                    updated_at=iso(at),
                    created_ms=at,
                    foreign_id=f"bench:{number}",
                )
            )
        await square.store.run(
            ImportComments(
                page_id=page.id,
                site_id=site.id,
                page_url=page.url,
                page_key=page.key,
                title=None,
                created_at=iso(now),
                opened_at=now,
                comments=comments,
            )
        )


async def reads_by_size(folder: Path, site: NewSite) -> Result:
    async with opened(folder) as square:
        threads: Threads = square.services["threads"]
        key = await threads.sites.by_key(site.api_key_public)
        viewer = Viewer(site_id=site.id)
        rows = []
        pages = {size: page_address(key, f"/{size}").id for size in SIZES}
        for sort in SORTS:
            second = {}
            for size, page in pages.items():
                second[size] = (await threads.reading.thread(viewer, key.settings, page, sort=sort)).next
            times = dict.fromkeys(SIZES, float("inf"))
            for _ in range(ROUNDS):  # in turns: what else the machine does meets all sizes alike
                for size, page in pages.items():
                    began = time.perf_counter()
                    for _ in range(READS):
                        await threads.reading.thread(
                            viewer, key.settings, page, sort=sort, cursor=second[size]
                        )
                    times[size] = min(times[size], (time.perf_counter() - began) / READS * 1000)
            ratios = [times[size] / times[SIZES[0]] for size in SIZES[1:]]
            rows.append(
                [sort, *(f"{times[size]:.2f} ms" for size in SIZES), *(f"{one:.2f}" for one in ratios)]
            )
    return Result(
        "The second page of a thread",
        f"20 comments with their authors, two round trips; the best of {ROUNDS} rounds in turns. The ratios "
        "are to the smallest thread.",
        ["sort", *(f"{size:,} comments" for size in SIZES), *(f"ratio of {size:,}" for size in SIZES[1:])],
        rows,
    )


def against_isso(url: str, folder: Path, site: NewSite, tokens: list[str], users: list[str]) -> Result:
    read = f"{url}/threads/v1/comments?site={site.api_key_public}&limit=100&depth=0&page_url="
    target = first_comment(f"{read}/1")
    with (
        isso() as theirs,
        tempfile.TemporaryDirectory() as kept,
        bare(
            "bench.floor.comments",
            BENCH_REDIS=Engines(folder).url(Role.DATA),
            BENCH_SITE=site.id,
            BENCH_DOMAIN=DOMAIN,
            BENCH_COMMENT=target,
            BENCH_USERS=",".join(users),
        ) as floor,
    ):
        signed_in, nobody = Path(kept, "tokens"), Path(kept, "nobody")
        signed_in.write_text("\n".join(tokens) + "\n")
        nobody.write_text("none\n")
        ours = Writes(url, signed_in, site.api_key_public, f"https://{DOMAIN}")
        bare_writes = Writes(floor, nobody, "none", floor)
        isso_writes = Writes(theirs, nobody, "none", theirs)
        text = {"content": TEXT + "NUMBER", "page_url": "/posts"}
        said = {"text": TEXT + "NUMBER", "author": "bench", "title": "A page"}
        measured: dict[str, tuple[Measure, Measure, Measure]] = {
            "post": (
                ours.measure("/threads/v1/comments", text),
                bare_writes.measure("/post", text),
                isso_writes.measure("/new?uri=/posts", said),
            ),
            "vote": (
                ours.measure(f"/threads/v1/comments/{target}/vote", {"direction": "up"}),
                bare_writes.measure("/vote", {}),
                isso_writes.measure("/id/1/like", {}),
            ),
        }
        for size in ISSO_SIZES:  # the dearest last: what waits is still answered when we have gone on
            measured[f"read a thread of {size:,}"] = (
                reads(f"{read}/{size}"),
                reads(f"{floor}/{size}"),
                reads(f"{theirs}/?uri=/{size}"),
            )
        rows = [compared(name, *measures) for name, measures in measured.items()]
    return Result(
        "Comments over HTTP, beside Isso",
        "Requests a second, one worker each, 4 connections, the median of three turns. Isso answers a thread "
        "whole; ours are pages of at most 100 comments with their authors. Isso's vote is one address's, "
        "which counts once. The floor is a bare ASGI function that runs the same scripts and reads, without "
        "sign-in, rules, limits and Markdown.",
        ["", "townsquare", "floor", "Isso 0.14, gunicorn", "to the floor", "to Isso"],
        rows,
    )


Measure = Callable[[], float]


def compared(name: str, ours: Measure, floor: Measure, theirs: Measure) -> list[str]:
    found: list[list[float]] = [[], [], []]
    for number in range(3):
        os.environ["BENCH_START"] = str(number)  # texts that were said before are refused
        for figures, measure in zip(found, (ours, floor, theirs), strict=True):
            figures.append(measure())
    us, bottom, them = map(statistics.median, found)
    least = max(them, 1 / SECONDS)  # one that answered nothing in time
    return [name, f"{us:,.0f}", f"{bottom:,.0f}", f"{them:,.1f}", f"{us / bottom:.2f}", f"{us / least:.1f}×"]


class Writes:
    """What one server is sent, by the script for wrk."""

    def __init__(self, url: str, tokens: Path, key: str, origin: str) -> None:
        self._url = url
        self._given = {"BENCH_TOKENS": str(tokens), "BENCH_KEY": key, "BENCH_ORIGIN": origin}

    def measure(self, path: str, body: dict[str, str]) -> Measure:
        def measured() -> float:
            with environment(**self._given, BENCH_PATH=path, BENCH_BODY=json.dumps(body)):
                return asked(self._url, COMMENTS)

        return measured


def reads(url: str) -> Measure:
    return lambda: asked(url)


def asked(url: str, script: Path | None = None) -> float:
    """With as many connections as Isso's one worker can serve in time."""
    return wrk(url, script, seconds=SECONDS, connections=CONNECTIONS)


def first_comment(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return str(json.load(answer)["comments"][0]["id"])


@contextlib.contextmanager
def environment(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def isso() -> Iterator[str]:
    """Isso with threads of every size."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        config = Path(folder) / "isso.cfg"
        config.write_text(
            f"[general]\ndbpath = {folder}/comments.db\nhost = {url}\n[guard]\nenabled = false\n"
            f"[server]\nlisten = {url}\n"
        )
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "-b",
            f"127.0.0.1:{port}",
            "-w",
            "1",
            "-t",
            "120",
            "isso.run",
        ]
        with process(command, f"{url}/config", {"ISSO_SETTINGS": str(config)}, silent=True):
            for size in ISSO_SIZES:
                for number in range(size):
                    isso_post(url, f"/{size}", f"{TEXT}{number}")
            yield url


def isso_post(url: str, uri: str, text: str) -> None:
    body = json.dumps({"text": text, "author": "bench", "title": "A page"}).encode()
    request = urllib.request.Request(
        f"{url}/new?uri={uri}", body, {"Content-Type": "application/json", "Origin": url}
    )
    urllib.request.urlopen(request).read()
