"""An earlier commit and the present code in turns: the same requests, one worker each.

Each has the same community in a store of its own, written by its own code: neither reads what the other
writes. BENCH_BEFORE names the commit, BENCH_BEFORE_PYTHON the interpreter of an environment with its
requirements, BENCH_ONLY some of the requests, by parts of their names with commas between. `python -m
bench.turns DATA_URL CACHE_URL` fills a store, and prints who is there.
"""

import asyncio
import contextlib
import io
import os
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import uvloop

from bench.load import WITHOUT_SEARCH, cpu_seconds, free_port, process, wrk
from bench.report import Result
from townsquare.keyspace import Role
from townsquare.services.accounts.signin.models import Client
from townsquare.settings import Settings
from townsquare.square import open as open_square
from townsquare.store.engine import Engines

BEFORE = os.environ.get("BENCH_BEFORE", "a06b03c")
BEFORE_PYTHON = os.environ.get("BENCH_BEFORE_PYTHON", sys.executable)
ONLY = tuple(filter(None, os.environ.get("BENCH_ONLY", "").split(",")))
HERE = Path(__file__).parent.parent
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
SECONDS = 2
USERS, POSTS_EACH, FOLLOWED, THREAD = 200, 20, 50, 60
COUNTER = "example-100680ad"
TEXT = "A post of a usual length, with #one and #two, as people write them all day. " * 2
COMMENT = "A comment with **some** words in it, as people write them. "
DOMAIN = "bench.example.org"  # of the site with the thread
LIMITS = ("READ", "WRITE", "POST", "VOTE")
EARLIER_LIMIT = {"TOWNSQUARE_RATE_LIMIT_COMMENT": "100000000/60"}  # a setting of sites by now
NEVER_REACHED = {f"TOWNSQUARE_RATE_LIMIT_{name}": "100000000/60" for name in LIMITS}

SOMEBODY = '"/social/users/user" .. math.random(0, USERS - 1)'
REQUESTS = {  # the method, the path and the body, in Lua
    "like": ("POST", '"/social/posts/" .. ids[math.random(#ids)] .. "/like"', "nil"),
    "post": ("POST", '"/social/posts"', f'\'{{"content": "{TEXT}"}}\''),
    "explore": ("GET", '"/social/feed/explore"', "nil"),
    "hashtag": ("GET", '"/social/feed/hashtag/one"', "nil"),
    "ranked": ("GET", '"/social/feed/hashtag/one/ranked"', "nil"),
    "following, warm": ("GET", '"/social/feed/following"', "nil"),
    "user's posts": ("GET", f'{SOMEBODY} .. "/posts"', "nil"),
    "profile": ("GET", SOMEBODY, "nil"),
    "thread page of 20": ("GET", f'"/threads/v1/comments?site=SITE&page_url=/{THREAD}"', "nil"),
    "counter's read": ("GET", f'"/api/visit?action=get&id={COUNTER}"', "nil"),
    "increment": ("GET", f'"/api/visit?action=increment&id={COUNTER}"', "nil"),
    "toggle": ("GET", f'"/api/like?action=toggle&id={COUNTER}"', "nil"),
    "comment post": (
        "POST",
        '"/threads/v1/comments"',
        f'\'{{"page_url": "/posted", "content": "{COMMENT}\' .. math.random(2 ^ 52) .. \'"}}\'',
    ),
    "vote": (
        "POST",
        '"/threads/v1/comments/" .. comments[math.random(#comments)] .. "/vote"',
        '\'{"direction": "\' .. (math.random(2) == 1 and "up" or "down") .. \'"}\'',
    ),
}
ON_SITE = ("comment post", "vote")  # these send the key of the site


Asked = tuple[str, int, Path]  # the address of a server, its process, and what it is asked


class World(NamedTuple):
    tokens: list[str]
    ids: list[str]
    site: str


async def populate(settings: Settings) -> World:
    """People with accounts who follow each other, write and like; a thread, and a counter."""
    chance = random.Random(1)
    async with open_square(settings=settings, background=False) as square:
        names = [f"user{number}" for number in range(USERS)]
        accounts = [await square.accounts.sign_up(name) for name in names]
        social: Any = square.social
        earlier = not hasattr(social, "posts")  # commits before the service exposed its parts
        change = social.change_profile if earlier else social.users.change
        follow = social.follow if earlier else social.follows.follow
        create = social.create_post if earlier else social.posts.create
        like = social.like if earlier else social.posts.like
        for name in names:
            await change(name, {"display_name": name.title(), "bio": "Somebody. " * 5})
        for name in names:
            others = chance.sample([other for other in names if other != name], FOLLOWED)
            await asyncio.gather(*(follow(name, other) for other in others))
        posts = []
        for _ in range(POSTS_EACH):
            posts += await asyncio.gather(*(create(name, TEXT) for name in names))
        for _ in range(USERS * POSTS_EACH // 2):
            await like(chance.choice(posts).id, chance.choice(names))
        sessions = [await square.accounts.sessions.issue(one, "password", Client()) for one in accounts]
        await square.widgets.counter.create("https://example.com", "bench-token")
        await square.widgets.like.create("https://example.com", "bench-token")
        has_threads = "threads" in getattr(square, "services", ())
        site = await fill_thread(square, [one.id for one in accounts]) if has_threads else ""
    return World([one.access_token for one in sessions], [post.id for post in posts], site)


async def fill_thread(square: Any, authors: list[str]) -> str:
    """A site without limits with one thread; its public key. The earliest commits have no threads."""
    from bench.threads import fill
    from townsquare.services.threads.models.sites import RateLimits, SiteSettings

    threads = square.services["threads"]
    unlimited = RateLimits(key=0, ip=0, user=0, comments=0)
    settings = SiteSettings(moderation="none", rate_limits=unlimited, max_links=0, proof_of_work=False)
    site = await threads.sites.create("Bench", DOMAIN, settings=settings)
    for one in authors:
        await threads.commenters.get(one)
    await fill(square, site, authors, THREAD)
    return str(site.api_key_public)


def comment_ids(url: str, world: World) -> list[str]:
    """The comments of the thread."""
    path = f"/threads/v1/comments?site={world.site}&page_url=/{THREAD}&limit={THREAD}"
    with urllib.request.urlopen(url + path) as response:
        return [comment["id"] for comment in msgspec.json.decode(response.read())["comments"]]


def script(folder: Path, world: World, name: str, comments: Sequence[str] = ()) -> Path:
    method, path, body = REQUESTS[name]
    folder.mkdir(exist_ok=True)
    (folder / "ids").write_text("\n".join(world.ids))
    (folder / "comments").write_text("\n".join(comments))
    (folder / "tokens").write_text("\n".join(world.tokens))
    path = path.replace("USERS", str(USERS)).replace("SITE", world.site)
    on_site = f', ["Origin"] = "https://{DOMAIN}", ["X-API-Key"] = "{world.site}"' if name in ON_SITE else ""
    file = folder / "requests.lua"
    file.write_text(
        f"""
        math.randomseed(tonumber(io.open("/proc/sys/kernel/random/uuid"):read(8), 16))
        local ids, comments, tokens = {{}}, {{}}, {{}}
        for id in io.lines("{folder / "ids"}") do ids[#ids + 1] = id end
        for id in io.lines("{folder / "comments"}") do comments[#comments + 1] = id end
        for token in io.lines("{folder / "tokens"}") do tokens[#tokens + 1] = token end
        local headers = {{["Content-Type"] = "application/json"{on_site}}}
        function request()
          headers["Authorization"] = "Bearer " .. tokens[math.random(#tokens)]
          headers["User-Agent"] = "browser " .. math.random(1000000000)
          return wrk.format("{method}", {path}, headers, {body})
        end"""
    )
    return file


@contextlib.contextmanager
def served(
    source: Path, settings: Settings, environ: Mapping[str, str] = NEVER_REACHED
) -> Iterator[tuple[str, int]]:
    """The server of this source, one worker; its address and its process."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environ = {
        **environ,
        **(EARLIER_LIMIT if has_comment_limit(source) else {}),
        "PYTHONPATH": str(source / "src"),
        "TOWNSQUARE_DATA_URL": settings.data_url,
        "TOWNSQUARE_CACHE_URL": settings.cache_url,
        "TOWNSQUARE_LOG_FORMAT": "json",
    }
    command = [python_of(source), "-m", "townsquare", "serve", "--port", str(port)]
    with process(command, f"{url}/healthz", environ) as running:
        yield url, running.pid


def python_of(source: Path) -> str:
    return sys.executable if source == HERE else BEFORE_PYTHON


def has_comment_limit(source: Path) -> bool:
    """Whether comments have a limit of the server in this commit; a server refuses settings of no effect."""
    text = (source / "docs/web.md").read_text()
    return "TOWNSQUARE_RATE_LIMIT_COMMENT" in text


def environ_of(source: Path) -> Mapping[str, str]:
    """Settings of a server that indexes no films meanwhile; the earliest commits have no search."""
    has_search = (source / "src/townsquare/services/search").exists()
    return NEVER_REACHED | WITHOUT_SEARCH if has_search else NEVER_REACHED


@contextlib.contextmanager
def source_of(commit: str) -> Iterator[Path]:
    """The files of a commit, with what fills its store as it is now."""
    archive = subprocess.run(["git", "archive", commit], cwd=HERE, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        for name in ("load.py", "report.py", "turns.py"):
            shutil.copy(HERE / "bench" / name, Path(folder) / "bench" / name)
        yield Path(folder)


@contextlib.contextmanager
def populated(source: Path = HERE) -> Iterator[tuple[Path, Settings, World]]:
    """Engines with a community in them: a folder for files, how to reach them, and who is there."""
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        engines = Engines(Path(folder))
        runner.run(engines.start())
        try:
            data, cache = engines.url(Role.DATA), engines.url(Role.CACHE)
            settings = Settings.load(environ={}, data_url=data, cache_url=cache)
            command = [python_of(source), "-m", "bench.turns", data, cache]
            environ = {**os.environ, "PYTHONPATH": f"{source}:{source / 'src'}"}
            said = subprocess.run(command, cwd=source, env=environ, check=True, stdout=subprocess.PIPE).stdout
            yield Path(folder), settings, msgspec.json.decode(said, type=World)
        finally:
            runner.run(engines.stop())


def run() -> list[Result]:
    names = [name for name in REQUESTS if not ONLY or any(part in name for part in ONLY)]
    rows = []
    with (
        source_of(BEFORE) as source,
        populated(source) as (then_folder, then_settings, then_world),
        populated() as (folder, settings, world),
        served(source, then_settings, environ_of(source)) as before,
        served(HERE, settings, environ_of(HERE)) as present,
    ):
        then_comments, comments = comment_ids(before[0], then_world), comment_ids(present[0], world)
        for name in names:
            earlier = script(then_folder, then_world, name, then_comments)
            sides = (*before, earlier), (*present, script(folder, world, name, comments))
            rows.append([name, *measure(*sides)])
    return [
        Result(
            f"The present code beside {BEFORE}",
            f"Requests a second in turns, one worker each, {USERS} people who are signed in, "
            "limits (never reached), logs and metrics on; medians, the range of the ratios, and the time "
            "that the server itself uses for a request, which other work on the machine disturbs less.",
            ["", "before", "present", "ratio", "range", "CPU before", "CPU present", "ratio of CPU"],
            rows,
        )
    ]


def measure(before: Asked, present: Asked) -> list[str]:
    wrk(present[0], present[2], seconds=1)
    try:
        wrk(before[0], before[2], seconds=1)
    except SystemExit:  # there was nothing of the kind
        return ["refused", f"{answered(*present).rate:,.0f}", *["-"] * 5]
    pairs = [[answered(*side) for side in (before, present)] for _ in range(ROUNDS)]
    ratios = sorted(now.rate / then.rate for then, now in pairs)
    old, new = (statistics.median(one.rate for one in side) for side in zip(*pairs, strict=True))
    costs = [statistics.median(one.cpu for one in side) for side in zip(*pairs, strict=True)]
    return [
        f"{old:,.0f}",
        f"{new:,.0f}",
        f"{statistics.median(ratios):.2f}×",
        f"{ratios[0]:.2f}-{ratios[-1]:.2f}",
        *(f"{cost:.0f} µs" for cost in costs),
        f"{costs[0] / costs[1]:.2f}×",
    ]


class Answered(NamedTuple):
    rate: float  # requests a second
    cpu: float  # microseconds of the server for each


def answered(url: str, pid: int, requests: Path) -> Answered:
    began = cpu_seconds(pid)
    rate = wrk(url, requests, seconds=SECONDS)
    return Answered(rate, (cpu_seconds(pid) - began) / (rate * SECONDS) * 1e6)


if __name__ == "__main__":
    data_url, cache_url = sys.argv[1:]
    filled = Settings.load(environ={}, data_url=data_url, cache_url=cache_url)
    print(msgspec.json.encode(asyncio.run(populate(filled))).decode())
