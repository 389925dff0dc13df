"""Bytes of each entity: in the embedded engine, and for a live connection in the worker.

Each step writes entities through the services and compares `used_memory` before and after, without the
buffers of clients and of the append-only file. MEMORY USAGE of every key shows the kinds of keys.
BENCH_BEFORE names an earlier commit to compare with, BENCH_SHARE a share of the entities, for a trial.
`python -m bench.memory` measures the source in PYTHONPATH and prints JSON; with a data folder as argument it
creates a site there.
"""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from bench import live
from bench.load import WITHOUT_SEARCH, resident_bytes, served
from bench.report import Result
from bench.turns import HERE, source_of
from townsquare.integrity.check import check
from townsquare.keyspace import Role
from townsquare.services.accounts.models import Facts, UserProfile
from townsquare.services.accounts.signin.models import Client
from townsquare.services.analytics.models import Search, View
from townsquare.services.threads import page_urls
from townsquare.services.threads.models.sites import RateLimits, SiteSettings, Viewer
from townsquare.settings import Settings
from townsquare.square import open as open_square

BEFORE = os.environ.get("BENCH_BEFORE", "706c826")
SHARE = float(os.environ.get("BENCH_SHARE", "1"))  # of the entities, to try it out
ACCOUNTS = max(int(2_000 * SHARE), 1_500)
FOLLOWED, CIRCLE = 50, int(500 * SHARE)  # follows of each account of a circle, and its accounts
FOLLOWED_BY_FANS, FANS = 20, 600  # accounts that all fans follow
MANY_FOLLOWED, LARGE_CIRCLE = 200, 300
POSTS, LIKED = int(1_000 * SHARE), 10
PAGE, THREAD = 20, 500  # comments of a small page and of a long one
COMMENTS = int(1_000 * SHARE)
VOTES = 10  # of a comment of the small pages
EVENTS = int(10_000 * SHARE)
CONNECTIONS = 2_000
AT_ONCE = 32
DEVICE = Client(
    ip="203.0.113.77",
    user_agent="Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/129.0.0.0 Safari/537.36",
)
PASSWORD_HASH = "$argon2id$v=19$m=19456,t=2,p=1$" + "s" * 22 + "$" + "h" * 43
POST = "A post of a usual length, with #one and #two, as people write them all day. " * 2
COMMENT = "A comment with **some** words in it, as people write them. It is as long as most are, number "
DOMAIN = "blog.example.org"
BUFFERS = ("mem_clients_normal", "mem_aof_buffer", "used_memory_scripts", "mem_replication_backlog")


class Measured(msgspec.Struct):
    entities: int
    used: int  # bytes by which used_memory grew
    kinds: dict[str, int]  # bytes by which MEMORY USAGE of each kind of key grew


class Meter:
    """The memory of the data engine, by kind of key."""

    def __init__(self, square: Any) -> None:
        self._store = square.store
        self._side = square.store.role_stores[Role.DATA]
        self.steps: dict[str, Measured] = {}

    async def measure(self, name: str, fill: Awaitable[int]) -> None:
        used, kinds = await self._used(), await self._kinds()
        entities = await fill
        after = await self._kinds()
        grown = {kind: size - kinds[kind] for kind, size in after.items() if size != kinds[kind]}
        self.steps[name] = Measured(entities, await self._used() - used, grown)

    async def _info(self, section: str) -> dict[str, str]:
        text = (await self._side.nodes.execute(None, "INFO", section)).decode()
        return dict(line.split(":", 1) for line in text.split() if ":" in line)

    async def _rewriting(self) -> list[str]:
        info = await self._info("persistence")
        return [info["aof_rewrite_in_progress"], info["aof_rewrite_scheduled"]]

    async def _used(self) -> int:
        while "1" in (await self._rewriting()):  # noqa: ASYNC110 - the engine sends no event
            await asyncio.sleep(0.1)
        info = await self._info("memory")
        return int(info["used_memory"]) - sum(int(info.get(name, 0)) for name in BUFFERS)

    async def _kinds(self) -> Counter[str]:
        found: Counter[str] = Counter()
        async for names in self._store.scan(Role.DATA):
            sizes = await asyncio.gather(
                *(self._side.nodes.execute(None, "MEMORY", "USAGE", name, "SAMPLES", "0") for name in names)
            )
            for name, size in zip(names, sizes, strict=True):
                key = self._store.registry.parse(name, self._side.layout)
                kind = f"{key.declared.service}:{key.declared.pattern}" if key else name
                found[kind] += size or 0
        return found


@asynccontextmanager
async def opened(folder: str) -> AsyncIterator[Any]:
    """Without the client cache: the engine counts the keys that it tracks for clients."""
    settings = Settings.load(environ=WITHOUT_SEARCH, data_dir=folder, client_cache_memory="0")
    async with open_square(settings=settings, background=False) as square:
        yield square


async def all_of(call: Callable[[int], Awaitable[Any]], count: int, first: int = 0) -> list[Any]:
    found: list[Any] = []
    for start in range(first, first + count, AT_ONCE):
        some = range(start, min(start + AT_ONCE, first + count))
        found += await asyncio.gather(*map(call, some))
    return found


async def fill_and_measure(folder: str) -> dict[str, Measured]:
    async with opened(folder) as square:
        community = Community(square)
        await community.prepare()
        meter = Meter(square)
        for name, step in community.steps().items():
            await meter.measure(name, step())
        report = await check(square.store)
        if report.findings:
            raise RuntimeError(f"The store has faults: {report.findings[:5]}")
        return meter.steps


def page_of(site: Any, path: str) -> Any:
    earlier = "townsquare.services.threads.service.comments"  # where earlier commits have it
    module: Any = page_urls if hasattr(page_urls, "page_address") else import_module(earlier)
    return module.page_address(site, path)


class Community:
    def __init__(self, square: Any) -> None:
        self.square, self.accounts, self.threads = square, square.accounts, square.services["threads"]
        self.social = square.services["social"]
        self.users: list[Any] = []
        self.posts: list[str] = []
        self.chance = random.Random(1)

    async def prepare(self) -> None:
        """Everything that exists once: scripts, signing keys, a site, and the first of each entity."""
        unlimited = RateLimits(key=0, ip=0, user=0, comments=0)
        settings = SiteSettings(moderation="none", rate_limits=unlimited, max_links=0, proof_of_work=False)
        made = await self.threads.sites.create("Blog", DOMAIN, settings=settings)
        self.site = await self.threads.sites.by_key(made.api_key_public)
        self.users = [await self.sign_up(number) for number in range(2)]
        await self.open_session(0)
        await self.follow(0, 1)
        await self.post(0)
        await self.comment(0, "/first")

    def steps(self) -> dict[str, Callable[[], Awaitable[int]]]:
        return {
            "account": self.sign_ups,
            "session": self.sessions,
            "commenter": self.commenters,
            f"follow, {FOLLOWED} by each": self.follow_circle,
            f"follow, {MANY_FOLLOWED} by each": self.follow_large_circle,
            f"follow, {FANS} of each": self.follow_stars,
            "post": self.write_posts,
            "like": self.likes,
            f"comment, {PAGE} on a page": self.small_pages,
            f"comment, {THREAD:,} on a page": self.long_page,
            "reply to another": self.replies,
            "vote": self.votes,
            "event": self.events,
            "post with an Idempotency-Key": self.posts_with_key,
        }

    async def sign_up(self, number: int) -> Any:
        profile = UserProfile(username=f"person{number:05}", email=f"person{number:05}@example.org")
        return await self.accounts.users.create(profile, Facts(password_hash=PASSWORD_HASH))

    async def sign_ups(self) -> int:
        self.users += await all_of(self.sign_up, ACCOUNTS, len(self.users))
        return ACCOUNTS

    async def open_session(self, number: int) -> None:
        await self.accounts.sessions.issue(self.users[number], "password", DEVICE)

    async def sessions(self) -> int:
        await all_of(self.open_session, ACCOUNTS, 2)
        return ACCOUNTS

    async def commenters(self) -> int:
        await all_of(lambda number: self.threads.commenters.get(self.users[number].id), ACCOUNTS, 2)
        return ACCOUNTS

    async def follow(self, one: int, other: int) -> None:
        social = self.social
        follow = social.follows.follow if hasattr(social, "follows") else social.follow
        await follow(self.users[one].username, self.users[other].username)

    async def follow_among(self, people: range, count: int) -> int:
        """Each follows some, and is followed by about as many."""
        for one in people:
            others = self.chance.sample([other for other in people if other != one], count)
            await asyncio.gather(*(self.follow(one, other) for other in others))
        return len(people) * count

    async def follow_circle(self) -> int:
        return await self.follow_among(range(2, 2 + CIRCLE), FOLLOWED)

    async def follow_large_circle(self) -> int:
        return await self.follow_among(range(2 + CIRCLE, 2 + CIRCLE + LARGE_CIRCLE), MANY_FOLLOWED)

    async def follow_stars(self) -> int:
        stars = range(len(self.users) - FOLLOWED_BY_FANS, len(self.users))
        for one in range(stars.start - FANS, stars.start):
            await asyncio.gather(*(self.follow(one, other) for other in stars))
        return FANS * FOLLOWED_BY_FANS

    async def post(self, number: int) -> Any:
        social = self.social
        create = social.posts.create if hasattr(social, "posts") else social.create_post
        return await create(self.users[number % len(self.users)].username, POST)

    async def write_posts(self) -> int:
        self.posts = [post.id for post in await all_of(self.post, POSTS)]
        return POSTS

    async def posts_with_key(self) -> int:
        async def post(number: int) -> None:
            scope = b"POST", b"/social/posts", self.users[number].id.encode(), b"key"
            request = await self.square.idempotency.begin(scope, (b"/social/posts", POST.encode()))
            with request.running():
                await self.post(number)

        await all_of(post, POSTS)
        return POSTS

    async def likes(self) -> int:
        social = self.social
        like = social.posts.like if hasattr(social, "posts") else social.like
        for post in self.posts:
            await asyncio.gather(*(like(post, one.username) for one in self.chance.sample(self.users, LIKED)))
        return POSTS * LIKED

    async def comment(self, number: int, page: str, parent: str | None = None) -> str:
        author = self.users[number % len(self.users)]
        viewer = Viewer(site_id=self.site.site_id, user_id=author.id)
        written = await self.threads.comments.create(
            viewer, self.site, page_of(self.site, page), f"{COMMENT}{number}", parent_id=parent
        )
        return str(getattr(written, "id", None) or written.comment.id)

    async def small_pages(self) -> int:
        self.comments = await all_of(
            lambda number: self.comment(number, f"/small/{number // PAGE}"), COMMENTS
        )
        return COMMENTS

    async def long_page(self) -> int:
        await all_of(lambda number: self.comment(number + COMMENTS, f"/long/{number // THREAD}"), COMMENTS)
        return COMMENTS

    async def replies(self) -> int:
        await all_of(
            lambda number: self.comment(
                number + 2 * COMMENTS + 1, f"/small/{number // PAGE}", self.comments[number]
            ),
            COMMENTS,
        )
        return COMMENTS

    async def vote(self, comment: str, user: Any) -> None:
        viewer = Viewer(site_id=self.site.site_id, user_id=user.id)
        await self.threads.comments.vote(viewer, comment, "up")

    async def votes(self) -> int:
        for comment in self.comments:
            await asyncio.gather(
                *(self.vote(comment, user) for user in self.chance.sample(self.users, VOTES))
            )
        return COMMENTS * VOTES

    async def events(self) -> int:
        """Views, and every fourth a search."""
        for start in range(0, EVENTS, 10):
            user = self.users[start // 10 % 500].id
            events: list[Any] = [
                Search(term=f"term {self.chance.randrange(2_000)}", results=7)
                if number % 4 == 0
                else View(product=f"Product {self.chance.randrange(1_000)}")
                for number in range(10)
            ]
            await self.square.services["analytics"].record(events, user_id=user)
        return EVENTS


def said_by(source: Path, *arguments: str) -> bytes:
    """The output of this module as a program with this source."""
    if source != HERE:
        shutil.copy(HERE / "bench" / "memory.py", source / "bench" / "memory.py")
    environ = {**os.environ, "PYTHONPATH": f"{source}:{source / 'src'}"}
    command = [sys.executable, "-m", "bench.memory", *arguments]
    return subprocess.run(command, cwd=source, env=environ, check=True, stdout=subprocess.PIPE).stdout


def in_store(source: Path) -> dict[str, Measured]:
    """The steps, written and measured by this source."""
    return msgspec.json.decode(said_by(source), type=dict[str, Measured])


def live_connection(source: Path) -> float:
    """Bytes of the worker for each WebSocket connection that follows a page."""
    with served(1, {**live.ENVIRON, "PYTHONPATH": str(source / "src")}) as (url, folder, server):
        key = said_by(source, str(folder)).decode().strip()
        return asyncio.run(connect_all(url, key, server.pid))


async def create_site(folder: str) -> str:
    async with opened(folder) as square:
        made = await square.services["threads"].sites.create("Blog", live.DOMAIN, settings=SiteSettings())
        return str(made.api_key_public)


async def connect_all(url: str, key: str, pid: int) -> float:
    clients = [live.Listening(url, key, number) for number in range(CONNECTIONS + AT_ONCE)]
    sockets = await asyncio.gather(*(client.subscribed() for client in clients[:AT_ONCE]))
    before = resident_bytes(pid)
    for start in range(AT_ONCE, len(clients), AT_ONCE):
        sockets += await asyncio.gather(*(one.subscribed() for one in clients[start : start + AT_ONCE]))
    grown = resident_bytes(pid) - before
    await asyncio.gather(*(socket.close() for socket in sockets))
    return grown / CONNECTIONS


PUBLISHED = {  # bytes: seed 003's table of memory, and what others have measured
    "account": ("500", ""),
    "session": ("200", ""),
    f"follow, {FOLLOWED} by each": ("", "40 (Bluesky's graph), 75 for each sorted set"),
    f"comment, {PAGE} on a page": ("1,000", ""),
    f"comment, {THREAD:,} on a page": ("1,000", ""),
    "vote": ("50", "75 for each sorted set"),
    "notification": ("300", ""),
}
BY_KIND = {  # entities of which only some kinds of keys count: the step, and the kinds
    "notification": (
        "reply to another",
        ("threads:user:{user_id}:notifications", "threads:user:{user_id}:unread"),
    ),
    "idempotency record": (
        "post with an Idempotency-Key",
        ("system:idempotency:{digest}", "system:idempotency:{digest}:{bucket}"),
    ),
}
SHOWN_KINDS = (
    "account",
    "session",
    f"follow, {FOLLOWED} by each",
    f"follow, {FANS} of each",
    "post",
    f"comment, {PAGE} on a page",
    "vote",
)


def bytes_of_each(steps: Mapping[str, Measured]) -> dict[str, float]:
    found = {name: step.used / step.entities for name, step in steps.items()}
    found["account with session"] = found["account"] + found["session"]
    for name, (step, kinds) in BY_KIND.items():
        found[name] = sum(steps[step].kinds.get(kind, 0) for kind in kinds) / steps[step].entities
    return found


def row(name: str, before: float, present: float) -> list[str]:
    return [
        name,
        f"{before:,.0f}",
        f"{present:,.0f}",
        f"{present / before:.2f}",
        *PUBLISHED.get(name, ("", "")),
    ]


def run() -> list[Result]:
    with source_of(BEFORE) as earlier:
        sides = earlier, HERE
        steps = [in_store(source) for source in sides]
        sockets = [live_connection(source) for source in sides]
    before, present = map(bytes_of_each, steps)
    rows = [row(name, before[name], size) for name, size in present.items()]
    rows.append(row("live connection, in the worker", *sockets))
    kinds = []
    for step in SHOWN_KINDS:
        sizes = [{kind: size / one[step].entities for kind, size in one[step].kinds.items()} for one in steps]
        for kind in sorted({*sizes[0], *sizes[1]}, key=lambda kind: -sizes[0].get(kind, 0)):
            old, new = (size.get(kind, 0.0) for size in sizes)
            if max(old, new) >= 1:
                kinds.append([step, f"`{kind}`", f"{old:,.0f}", f"{new:,.0f}"])
    return [
        Result(
            "Memory of each entity",
            f"Bytes of `used_memory` in the embedded engine, without buffers: {BEFORE} and now. {ACCOUNTS:,} "
            f"accounts with an email address and a password; "
            "comments of about 95 characters, at first one of each author. Indexes, lists and live events "
            "are included.",
            ["", BEFORE, "present", "ratio", "seed 003", "published"],
            rows,
        ),
        Result(
            "Where these bytes are",
            "MEMORY USAGE by kind of key, in bytes for each entity.",
            ["entity", "key", BEFORE, "present"],
            kinds,
        ),
    ]


def main() -> None:
    if sys.argv[1:]:
        print(asyncio.run(create_site(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(msgspec.json.encode(asyncio.run(fill_and_measure(folder))).decode())


if __name__ == "__main__":
    main()
