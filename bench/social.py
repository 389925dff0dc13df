"""The social endpoints over HTTP, against their Redis work alone and against Express; the following feed."""

import asyncio
import contextlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvloop

from bench.load import bare, free_port, process, wrk
from bench.report import Result
from townsquare.keyspace import Registry, Role, mint_id
from townsquare.services.social import keys
from townsquare.services.social.service import Social
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.page_pipeline import PagePipeline
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.engine import Engines
from townsquare.store.keys import system
from townsquare.store.store import Store
from townsquare.store.wire.nodes import Nodes, connect

ROUNDS = 3
COLD_ROUNDS = 15
SECONDS = 2
KEPT_MS = 30_000
USERS, POSTS_EACH, FOLLOWED = 500, 20, 100
FOLLOWEES = 1_000
PATIENCE = 60.0  # seconds for one command: the union of a million posts is slow
EXPRESS = Path(__file__).parent / "express"
SEED_DB = 1  # the seed's keys, apart from ours
TEXT = "A post of a usual length, with #one and #two, as people write them all day. " * 2


def username(number: int) -> str:
    return f"user{number}"


def store_on(nodes: Nodes) -> Store:
    return Store(Registry([system, keys.social]), "prod", nodes, nodes)


@contextlib.contextmanager
def engine() -> Iterator[Engines]:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        engines = Engines(Path(folder), roles=[Role.DATA])
        runner.run(engines.start())
        try:
            yield engines
        finally:
            runner.run(engines.stop())


async def populate(url: str) -> list[str]:
    """Users who follow each other and write, in our keys and in the seed's."""
    nodes = await connect(url, timeout=PATIENCE)
    social = Social(store_on(nodes), Jobs(store_on(nodes)))
    chance = random.Random(1)
    names = [username(number) for number in range(USERS)]
    for name in names:
        await social.profiles.register(name, given={"display_name": name.title(), "bio": "Somebody. " * 5})
    follows = {name: chance.sample([other for other in names if other != name], FOLLOWED) for name in names}
    for name, others in follows.items():
        await asyncio.gather(*(social.follows.follow(name, other) for other in others))
    posts = []
    for _ in range(POSTS_EACH):
        posts += await asyncio.gather(*(social.posts.create(name, TEXT) for name in names))
    profiles = [await social.profiles.get(name) for name in names]
    await nodes.close()
    await copy_to_the_seeds_keys(url, follows, profiles, posts)
    return [post.id for post in posts]


async def copy_to_the_seeds_keys(url: str, follows: dict[str, list[str]], profiles: Any, posts: Any) -> None:
    nodes = await connect(f"{url}?db={SEED_DB}", timeout=PATIENCE)
    commands: list[list[Any]] = []
    for profile in profiles:
        record = {"username": profile.username, "display_name": profile.display_name, "bio": profile.bio}
        record |= {"role": "user", "postCount": profile.post_count, "created_at": profile.created_at}
        record |= {"followerCount": profile.follower_count, "followingCount": profile.following_count}
        commands.append(["HSET", f"user:{profile.username}", *flat(record)])
        commands.append(["SADD", f"user:{profile.username}:following", *follows[profile.username]])
    for post in posts:
        record = {"id": post.id, "user_id": post.user_id, "content": post.content, "username": post.user_id}
        record |= {"created_at": post.created_at, "display_name": post.display_name, "user_role": "user"}
        record |= {"likesCount": 0, "commentsCount": 0, "bookmarksCount": 0}
        commands.append(["HSET", f"post:{post.id}", *flat(record)])
        commands.append(["ZADD", "hashtag:one:ranked", 0, post.id])
        for feed in ("explore:feed", f"user:{post.user_id}:posts", "hashtag:one:posts", "hashtag:two:posts"):
            commands.append(["ZADD", feed, post.created_at, post.id])
    for first in range(0, len(commands), 1000):
        await nodes.execute_many([(None, command) for command in commands[first : first + 1000]])
    await nodes.close()


def flat(record: dict[str, Any]) -> list[Any]:
    return [word for pair in record.items() for word in pair]


@contextlib.contextmanager
def express(engines: Engines, keep_ms: int = 0) -> Iterator[str]:
    """The seed's steps in Node, installed into a folder of their own; pages may be kept for a while."""
    with express_process(engines, keep_ms) as (url, _):
        yield url


@contextlib.contextmanager
def express_process(engines: Engines, keep_ms: int = 0) -> Iterator[tuple[str, int]]:
    """The same, with its process id."""
    if shutil.which("npm") is None:
        raise SystemExit("The comparison needs Node and npm")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        for file in ("package.json", "server.js"):
            shutil.copy(EXPRESS / file, folder)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
        socket = engines.url(Role.DATA).removeprefix("unix://")
        environ = {
            "BENCH_SOCKET": socket,
            "BENCH_DB": str(SEED_DB),
            "BENCH_PORT": str(port),
            "BENCH_KEEP_MS": str(keep_ms),
            "NODE_ENV": "production",
        }
        url = f"http://127.0.0.1:{port}"
        with process(["node", str(Path(folder) / "server.js")], url, environ) as running:
            yield url, running.pid


def wrk_scripts(folder: Path, ids: list[str]) -> dict[str, tuple[str, Path]]:
    """A path and a script for each endpoint; every request is somebody else's."""
    (folder / "ids").write_text("\n".join(ids))
    head = f"""
    math.randomseed(tonumber(io.open("/proc/sys/kernel/random/uuid"):read(8), 16))  -- others in every run
    local ids = {{}}
    for id in io.lines("{folder / "ids"}") do ids[#ids + 1] = id end
    local function somebody() return "user" .. math.random(0, {USERS - 1}) end
    local headers = {{["Content-Type"] = "application/json"}}
    """
    requests = {
        "like": ("POST", '"/social/posts/" .. ids[math.random(#ids)] .. "/like"', "nil"),
        "post": ("POST", '"/social/posts"', f'\'{{"content": "{TEXT}"}}\''),
        "explore page": ("GET", '"/social/feed/explore"', "nil"),
        "ranked page": ("GET", '"/social/feed/hashtag/one/ranked"', "nil"),
        "home page, warm": ("GET", '"/social/feed/following"', "nil"),
        "profile": ("GET", '"/social/users/" .. somebody()', "nil"),
    }
    scripts = {}
    for name, (method, path, body) in requests.items():
        script = folder / f"{name.replace(' ', '_').replace(',', '')}.lua"
        script.write_text(
            f"""{head}
            function request()
              headers["Authorization"] = "Bearer " .. somebody()
              return wrk.format("{method}", {path}, headers, {body})
            end"""
        )
        scripts[name] = ("", script)
    return scripts


def build_feeds(server: str) -> None:
    """Everybody reads once, so that warm pages are measured; what a cold one costs is the other table."""
    for number in range(USERS):
        headers = {"Authorization": f"Bearer {username(number)}"}
        asked = urllib.request.Request(f"{server}/social/feed/following", headers=headers)
        urllib.request.urlopen(asked).read()


def over_http() -> Result:
    with engine() as engines, tempfile.TemporaryDirectory() as folder:
        url = engines.url(Role.DATA)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            ids = runner.run(populate(url))
        scripts = wrk_scripts(Path(folder), ids)
        rows = []
        with (
            bare("bench.floor.social_site", BENCH_REDIS=url) as ours,
            bare("bench.floor.social", BENCH_REDIS=url) as floor,
            express(engines) as theirs,
            express(engines, KEPT_MS) as keeping,
        ):
            servers = (ours, floor, theirs, keeping)
            for name, (path, script) in scripts.items():
                if name.startswith("home"):
                    build_feeds(ours)
                for server in servers:
                    wrk(server + path, script, seconds=1)
                runs = [
                    [wrk(server + path, script, seconds=SECONDS) for server in servers] for _ in range(ROUNDS)
                ]
                mine, bottom, other, kept = (statistics.median(side) for side in zip(*runs, strict=True))
                rates = [f"{mine:,.0f}", f"{bottom:,.0f}", f"{mine / bottom:.2f}"]
                for peer in (other, kept):
                    rates += [f"{peer:,.0f}", f"{mine / peer:.1f}×"]
                rows.append([name, *rates])
    return Result(
        "Social endpoints over HTTP",
        f"Requests a second, one process each, {USERS} users who follow {FOLLOWED}, "
        f"{USERS * POSTS_EACH:,} posts; limits (never reached), logs and metrics on. "
        "Express runs the same operations with ioredis "
        "and computes every home page with ZUNIONSTORE; our home pages read stored feeds. The other Express "
        "keeps explore and ranked pages for 30 s in memory, the same for everybody.",
        ["", "townsquare", "bare ASGI, all records read", "ratio", "Express", "ratio", "keeping", "ratio"],
        rows,
    )


async def write_histories(nodes: Nodes, posts_each: int) -> str:
    """A reader with a thousand followees; records only for the posts that a page can show."""
    store = store_on(nodes)
    social = Social(store, Jobs(store))
    reader = f"reader{posts_each}"
    await social.profiles.register(reader)
    chance, now = random.Random(1), time.time_ns() // 1_000_000
    newest: list[tuple[int, str, str]] = []
    for number in range(FOLLOWEES):
        name = f"{reader}-{number}"
        await social.profiles.register(name)
        await social.follows.follow(reader, name)
        bucket = keys.user_bucket(name)
        posts = [(now - chance.randrange(10**9), mint_id(bucket, chance)) for _ in range(posts_each)]
        await store.call("ZADD", keys.user_posts(name), *(word for post in posts for word in post))
        newest = sorted([*newest, *((at, id, name) for at, id in posts)], reverse=True)[:100]
    for at, id, name in newest:
        record = {"id": id, "user_id": name, "content": TEXT, "created_at": at, "username": name}
        await store.call("HSET", keys.post(id), *flat(record | {"user_role": "user"}))
    return reader


async def cold_page(nodes: Nodes, reader: str) -> float:
    """Milliseconds for the first page of a feed that is not there; nothing is remembered either."""
    store = store_on(nodes)
    social = Social(store, Jobs(store))
    await store.pipeline([("DEL", keys.home_feed(reader)), ("DEL", keys.home_state(reader))])
    began = time.perf_counter()
    page = await social.feeds.home(reader)
    taken = time.perf_counter() - began
    assert len(page.items) == 20
    return taken * 1000


async def union_page(nodes: Nodes, reader: str) -> float:
    """The same page by the seed's steps: one union of everything."""
    store = store_on(nodes)
    pipeline = PagePipeline(store, Hydration(store))
    feed = store.name(keys.home_feed(reader))
    began = time.perf_counter()
    followed = await store.call("SMEMBERS", keys.following(reader))
    lists = [store.name(keys.user_posts(name.decode())) for name in followed]
    await nodes.execute(None, "ZUNIONSTORE", feed, len(lists), *lists, "AGGREGATE", "MAX")
    await nodes.execute(None, "EXPIRE", feed, 60)
    ids = await nodes.execute(None, "ZREVRANGE", feed, 0, 19)
    items = await pipeline.items([id.decode() for id in ids], reader)
    taken = time.perf_counter() - began
    assert len(items) == 20
    await nodes.execute(None, "UNLINK", feed)
    return taken * 1000


async def measure_home(url: str) -> list[list[str]]:
    nodes = await connect(url, timeout=PATIENCE)
    few, many = [await write_histories(nodes, posts_each) for posts_each in (10, 1_000)]
    rounds = [[await cold_page(nodes, reader) for reader in (few, many)] for _ in range(COLD_ROUNDS)]
    unions = [[await union_page(nodes, reader) for reader in (few, many)] for _ in range(ROUNDS)]
    await nodes.close()
    ours = [statistics.median(side) for side in zip(*rounds, strict=True)]
    theirs = [statistics.median(side) for side in zip(*unions, strict=True)]
    return [
        [
            f"{posts_each} posts each",
            f"{mine:.1f} ms",
            f"{other:,.1f} ms",
            f"{other / mine:.1f}×",
            f"{mine / ours[0]:.2f}",
        ]
        for posts_each, mine, other in zip(("10", "1,000"), ours, theirs, strict=True)
    ]


def following_feed() -> Result:
    with engine() as engines, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        rows = runner.run(measure_home(engines.url(Role.DATA)))
    return Result(
        "A cold page of a following feed",
        f"{FOLLOWEES:,} followees; the whole call with its hydration, against a plain ZUNIONSTORE.",
        ["", "townsquare", "ZUNIONSTORE", "ratio", "against 10 posts each"],
        rows,
    )


def run() -> list[Result]:
    return [following_feed(), over_http()]
