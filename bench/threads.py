"""Comments: threads of any size cost the same, and the same work beside Isso (gunicorn, its own SQLite)."""

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

from bench.load import free_port, process, townsquare, wrk
from bench.report import Result
from townsquare.clock import iso
from townsquare.keyspace import Role, carried_bucket, mint_id
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads.models.sites import NewSite, RateLimits, SiteSettings, Sort, Viewer
from townsquare.services.threads.scripts.importing import CommentToImport, ImportComments
from townsquare.services.threads.service import Threads
from townsquare.services.threads.service.comments import page_address
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.square import open as open_square
from townsquare.store.engine import Engines

SIZES = (100, 10_000, 100_000)
SORTS: tuple[Sort, ...] = ("new", "old", "top", "hot", "controversial")
ISSO_SIZES = (1, 100, 1_000)
ROUNDS, READS = 5, 200
PEOPLE = 50
BATCH = 200
CONNECTIONS = 4
DOMAIN = "bench.example.org"
COMMENTS = Path(__file__).parent / "comments.lua"
OFF = "100000000/60"
NO_LIMITS = {f"TOWNSQUARE_RATE_LIMIT_{name}": OFF for name in ("READ", "WRITE", "COMMENT", "VOTE")}
TEXT = "A comment with **some** words in it, as people write them. "


def run() -> list[Result]:
    with townsquare(environ=NO_LIMITS) as (url, folder):
        site, tokens = asyncio.run(prepare(folder))
        sizes = asyncio.run(reads_by_size(folder, site))
        beside_isso = against_isso(url, folder, site, tokens)
    return [sizes, beside_isso]


@contextlib.asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Square]:
    engines = Engines(folder)
    given = Settings.load(environ={}, data_url=engines.url(Role.DATA), cache_url=engines.url(Role.CACHE))
    async with open_square(settings=given, background=False) as square:
        yield square


async def prepare(folder: Path) -> tuple[NewSite, list[str]]:
    """A site without limits, pages of every size, and people who are signed in."""
    async with opened(folder) as square:
        threads: Threads = square.services["threads"]
        unlimited = RateLimits(key=0, ip=0, user=0, comments=0)
        settings = SiteSettings(moderation="none", rate_limits=unlimited, max_links=0)
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
        return site, tokens


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
        for sort in SORTS:
            times = {}
            for size in SIZES:
                page = page_address(key, f"/{size}")
                second = (await threads.reading.thread(viewer, key.settings, page.id, sort=sort)).next
                rounds = []
                for _ in range(ROUNDS):
                    began = time.perf_counter()
                    for _ in range(READS):
                        await threads.reading.thread(viewer, key.settings, page.id, sort=sort, cursor=second)
                    rounds.append((time.perf_counter() - began) / READS * 1000)
                times[size] = min(rounds)
            ratio = times[SIZES[-1]] / times[SIZES[0]]
            rows.append([sort, *(f"{times[size]:.2f} ms" for size in SIZES), f"{ratio:.2f}"])
    return Result(
        "The second page of a thread",
        "20 comments with their authors, two round trips; the best of five rounds. The ratio is that of the "
        "largest to the smallest thread.",
        ["sort", *(f"{size:,} comments" for size in SIZES), "ratio"],
        rows,
    )


def against_isso(url: str, folder: Path, site: NewSite, tokens: list[str]) -> Result:
    ours = {}
    read = f"{url}/threads/v1/comments?site={site.api_key_public}&limit=100&depth=0&page_url="
    for size in ISSO_SIZES:
        ours[f"read a thread of {size:,}"] = median(lambda size=size: asked(f"{read}/{size}"))  # type: ignore[misc]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(tokens))
        file.flush()
        given = {
            "BENCH_TOKENS": file.name,
            "BENCH_KEY": site.api_key_public,
            "BENCH_ORIGIN": f"https://{DOMAIN}",
        }
        target = first_comment(f"{read}/1")
        post = json.dumps({"content": TEXT + "NUMBER", "page_url": "/posts"})
        vote = json.dumps({"direction": "up"})
        with environment(**given, BENCH_PATH="/threads/v1/comments", BENCH_BODY=post):
            ours["post"] = median(lambda: asked(url, COMMENTS))
        with environment(**given, BENCH_PATH=f"/threads/v1/comments/{target}/vote", BENCH_BODY=vote):
            ours["vote"] = median(lambda: asked(url, COMMENTS))
    theirs = isso_figures()
    rows = [
        [name, f"{ours[name]:,.0f}", f"{theirs[name]:,.0f}", f"{ours[name] / theirs[name]:.0f}×"]
        for name in ours
    ]
    return Result(
        "Comments over HTTP, beside Isso",
        "Requests a second, one worker each, 4 connections. Isso answers a thread whole; ours are pages of "
        "at most 100 comments with their authors. Isso's vote is one address's, which counts once.",
        ["", "townsquare", "Isso 0.14, gunicorn", "ratio"],
        rows,
    )


def median(measure: Callable[[], float]) -> float:
    found = []
    for number in range(3):
        os.environ["BENCH_START"] = str(number)  # texts that were said before are refused
        found.append(measure())
    return statistics.median(found)


def asked(url: str, script: Path | None = None) -> float:
    """With as many connections as Isso's one worker can serve in time."""
    return wrk(url, script, connections=CONNECTIONS)


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


def isso_figures() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        config = Path(folder) / "isso.cfg"
        config.write_text(
            f"[general]\ndbpath = {folder}/comments.db\nhost = {url}\n[guard]\nenabled = false\n"
            f"[server]\nlisten = {url}\n"
        )
        command = [sys.executable, "-m", "gunicorn", "-b", f"127.0.0.1:{port}", "-w", "1", "isso.run"]
        figures = {}
        with process(command, f"{url}/config", {"ISSO_SETTINGS": str(config)}):
            read = "read a thread of {:,}"
            for size in ISSO_SIZES:
                for number in range(size):
                    isso_post(url, f"/{size}", f"{TEXT}{number}")
            tokens = Path(folder) / "tokens.txt"
            tokens.write_text("none\n")
            given = {"BENCH_TOKENS": str(tokens), "BENCH_KEY": "none", "BENCH_ORIGIN": url}
            post = json.dumps({"text": TEXT + "NUMBER", "author": "bench", "title": "A page"})
            with environment(**given, BENCH_PATH="/new?uri=/posts", BENCH_BODY=post):
                figures["post"] = median(lambda: asked(url, COMMENTS))
            with environment(**given, BENCH_PATH="/id/1/like", BENCH_BODY="{}"):
                figures["vote"] = median(lambda: asked(url, COMMENTS))
            for size in ISSO_SIZES:  # the dearest last: what waits is still answered when we have gone on
                figures[read.format(size)] = median(lambda size=size: asked(f"{url}/?uri=/{size}"))  # type: ignore[misc]
        return figures


def isso_post(url: str, uri: str, text: str) -> None:
    body = json.dumps({"text": text, "author": "bench", "title": "A page"}).encode()
    request = urllib.request.Request(
        f"{url}/new?uri={uri}", body, {"Content-Type": "application/json", "Origin": url}
    )
    urllib.request.urlopen(request).read()
