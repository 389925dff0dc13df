"""Mixed load: many signed-in readers and a share of writes, one worker per side, sides in alternation.

Two parts. `social`: 200 viewers read explore, following, ranked and profiles at random; half of the writes
are posts, half are likes. `thread`: 60 readers of one comment thread; the writes are votes.

The sides are an earlier commit, the present code, the present code without the client cache and, for
`social`, Express with its page cache. Every side has a store of its own.

BENCH_BEFORE names the commit, BENCH_ONLY one of the parts, BENCH_SHARES the percentages of writes
(comma-separated), BENCH_ROUNDS and BENCH_SECONDS how often and how long each is measured, and
BENCH_PAGE_SIZE how many comments a page of the thread has.
"""

import asyncio
import contextlib
import os
import statistics
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import uvloop

from bench.load import WITHOUT_SEARCH, cpu_seconds, resident_bytes, wrk_latency
from bench.report import Result
from bench.social import KEPT_MS, copy_to_the_seeds_keys, engine, express_process
from bench.threads import DOMAIN
from bench.turns import HERE, NEVER_REACHED, TEXT, THREAD, USERS, World, populated, served, source_of
from townsquare.keyspace import Role
from townsquare.services.social import keys
from townsquare.settings import Settings
from townsquare.square import open as open_square

CLIENT_CACHE_VARIABLE = (
    "TOWNSQUARE_CLIENT_CACHE_MEMORY"  # the setting of the present code; 0 turns the cache off
)

BEFORE = os.environ.get("BENCH_BEFORE", "c2f1e3c")
ONLY = os.environ.get("BENCH_ONLY", "")
SHARES = [float(share) for share in os.environ.get("BENCH_SHARES", "").split(",") if share]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "2"))
WARM_UP_SECONDS = 1
READERS = 60  # of the thread
PAGE_SIZE = int(os.environ.get("BENCH_PAGE_SIZE", "60"))  # comments that a reader of the thread gets
ENVIRON = NEVER_REACHED | WITHOUT_SEARCH
WITHOUT_CACHE = ENVIRON | {CLIENT_CACHE_VARIABLE: "0"}
PRESENT = "present"


class Side(NamedTuple):
    name: str
    url: str
    pid: int
    settings: Settings  # of its store
    world: World


class Part(NamedTuple):
    name: str
    title: str
    description: str
    shares: tuple[float, ...]  # percentages of writes
    has_peer: bool
    requests: Callable[[Side], str]  # Lua: local functions `read` and `write`


class Sample(NamedTuple):
    rate: float  # requests per second
    p99: float  # milliseconds
    cpu: float  # microseconds of the server per request


def run() -> list[Result]:
    parts = [part for part in PARTS if ONLY in ("", part.name)]
    if not parts:
        raise SystemExit(f"BENCH_ONLY={ONLY}: expected {' or '.join(part.name for part in PARTS)}")
    return [measure(part) for part in parts]


def measure(part: Part) -> Result:
    rows = []
    first_rates: dict[str, float] = {}  # without writes, by side
    with sides_of(part) as sides, tempfile.TemporaryDirectory() as folder:
        for share in sorted(SHARES or part.shares):
            scripts = [write_script(Path(folder), part, side, share) for side in sides]
            for side, script in zip(sides, scripts, strict=True):
                if part.has_peer:
                    read_following_feeds(side)
                wrk_latency(side.url, script, seconds=WARM_UP_SECONDS)
            rounds = [alternate(sides, scripts, backwards=number % 2 == 1) for number in range(ROUNDS)]
            for side, samples in zip(sides, zip(*rounds, strict=True), strict=True):
                rate = statistics.median(one.rate for one in samples)
                if share == 0:
                    first_rates[side.name] = rate
                rows.append(
                    [
                        f"{share:g} %",
                        side.name,
                        f"{rate:,.0f}",
                        *ratio_to_present(sides, side, rounds),
                        f"{statistics.median(one.p99 for one in samples):.1f} ms",
                        f"{statistics.median(one.cpu for one in samples):.0f} µs",
                        f"{resident_bytes(side.pid) / 2**20:.0f} MB",
                        f"{rate / first_rates[side.name]:.2f}" if side.name in first_rates else "-",
                    ]
                )
    columns = ["writes", "side", "requests/s", "present to it", "range", "p99", "CPU", "memory", "to 0 %"]
    return Result(part.title, part.description, columns, rows)


def ratio_to_present(sides: Sequence[Side], side: Side, rounds: Sequence[Sequence[Sample]]) -> list[str]:
    """Throughput of the present code over that of this side: the median of the rounds, and their range."""
    if side.name == PRESENT:
        return ["-", "-"]
    names = [one.name for one in sides]
    present, other = names.index(PRESENT), names.index(side.name)
    ratios = sorted(samples[present].rate / samples[other].rate for samples in rounds)
    return [f"{statistics.median(ratios):.2f}×", f"{ratios[0]:.2f}-{ratios[-1]:.2f}"]


def alternate(sides: Sequence[Side], scripts: Sequence[Path], *, backwards: bool) -> list[Sample]:
    """One round: a sample of each side. Every second round takes them in reverse order."""
    order = range(len(sides))
    samples = {place: sample(sides[place], scripts[place]) for place in (order[::-1] if backwards else order)}
    return [samples[place] for place in order]


def sample(side: Side, script: Path) -> Sample:
    began = cpu_seconds(side.pid)
    load = wrk_latency(side.url, script, seconds=SECONDS)
    used = cpu_seconds(side.pid) - began
    return Sample(load.rate, load.p99, used / (load.rate * SECONDS) * 1e6)


@contextlib.contextmanager
def sides_of(part: Part) -> Iterator[list[Side]]:
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(source_of(BEFORE))
        before = stack.enter_context(townsquare_side(BEFORE, source, ENVIRON))
        present = stack.enter_context(townsquare_side(PRESENT, HERE, ENVIRON))
        no_cache = stack.enter_context(townsquare_side("no client cache", HERE, WITHOUT_CACHE))
        sides = [before, present, no_cache]
        if part.has_peer:
            sides.append(stack.enter_context(express_side(present)))
        yield sides


@contextlib.contextmanager
def townsquare_side(name: str, source: Path, environ: Mapping[str, str]) -> Iterator[Side]:
    with populated(source) as (_, settings, world), served(source, settings, environ) as (url, pid):
        yield Side(name, url, pid, settings, world)


@contextlib.contextmanager
def express_side(original: Side) -> Iterator[Side]:
    """Express with its page cache and a copy of the community of another side. Its tokens are usernames."""
    names = [f"user{number}" for number in range(USERS)]
    with engine() as engines, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        likes = runner.run(copy_community(original, names, engines.url(Role.DATA)))
        with express_process(engines, KEPT_MS) as (url, pid):
            peer = Side("Express", url, pid, original.settings, World(names, original.world.ids, ""))
            for name, id in likes:
                request(peer, name, f"/social/posts/{id}/like", method="POST")
            yield peer


async def copy_community(original: Side, names: list[str], url: str) -> list[tuple[str, str]]:
    """Copy users, follows and posts to the keys of the seed; the likes, as usernames and post ids."""
    async with open_square(settings=original.settings, background=False) as square:
        profiles = [await square.social.profiles.get(name) for name in names]
        posts = [await square.social.posts.get(id) for id in original.world.ids]
        followed = [await square.store.call("SMEMBERS", keys.following(name)) for name in names]
        liked = [await square.store.call("ZRANGE", keys.liked(name), 0, -1) for name in names]
    follows = {name: [one.decode() for one in found] for name, found in zip(names, followed, strict=True)}
    await copy_to_the_seeds_keys(url, follows, profiles, posts)
    return [(name, id.decode()) for name, ids in zip(names, liked, strict=True) for id in ids]


def read_following_feeds(side: Side) -> None:
    """Every viewer reads the following feed once: the load then reads feeds that are built."""
    for token in side.world.tokens:
        request(side, token, "/social/feed/following")


def request(side: Side, token: str, path: str, method: str = "GET") -> bytes:
    headers = {"Authorization": f"Bearer {token}"}
    sent = urllib.request.Request(side.url + path, headers=headers, method=method)
    with urllib.request.urlopen(sent) as response:
        body: bytes = response.read()
        return body


def write_script(folder: Path, part: Part, side: Side, share: float) -> Path:
    """A wrk script. Each request draws its viewer, and whether it writes."""
    file = folder / f"{side.name}-{share}.lua".replace(" ", "-")
    file.write_text(
        f"""
        math.randomseed(tonumber(io.open("/proc/sys/kernel/random/uuid"):read(8), 16))
        {part.requests(side)}
        function request()
          headers["Authorization"] = "Bearer " .. tokens[math.random(#tokens)]
          if math.random() < {share / 100} then return write() end
          return read()
        end"""
    )
    return file


def social_requests(side: Side) -> str:
    return f"""
        local tokens, ids = {lua_list(side.world.tokens)}, {lua_list(side.world.ids)}
        local headers = {{["Content-Type"] = "application/json"}}
        local feeds = {{"explore", "following", "hashtag/one/ranked"}}
        local function read()
          local feed = feeds[math.random(4)]
          if feed then return wrk.format("GET", "/social/feed/" .. feed, headers) end
          return wrk.format("GET", "/social/users/user" .. math.random(0, {USERS - 1}), headers)
        end
        local function write()
          if math.random(2) == 1 then
            return wrk.format("POST", "/social/posts", headers, '{{"content": "{TEXT}"}}')
          end
          return wrk.format("POST", "/social/posts/" .. ids[math.random(#ids)] .. "/like", headers)
        end"""


class ShownComment(msgspec.Struct):
    id: str


class ShownThread(msgspec.Struct):
    comments: list[ShownComment]


def thread_requests(side: Side) -> str:
    tokens = side.world.tokens[:READERS]
    path = f"/threads/v1/comments?site={side.world.site}&page_url=/{THREAD}&limit={PAGE_SIZE}"
    shown = msgspec.json.decode(request(side, tokens[0], path), type=ShownThread)
    return f"""
        local tokens, ids = {lua_list(tokens)}, {lua_list([comment.id for comment in shown.comments])}
        local headers = {{["Origin"] = "https://{DOMAIN}"}}
        local voting = {{
          ["Origin"] = "https://{DOMAIN}",
          ["Content-Type"] = "application/json",
          ["X-API-Key"] = "{side.world.site}",
        }}
        local function read() return wrk.format("GET", "{path}", headers) end
        local function write()
          voting["Authorization"] = headers["Authorization"]
          local direction = math.random(2) == 1 and "up" or "down"
          local vote = "/threads/v1/comments/" .. ids[math.random(#ids)] .. "/vote"
          return wrk.format("POST", vote, voting, '{{"direction": "' .. direction .. '"}}')
        end"""


def lua_list(texts: Sequence[str]) -> str:
    return "{" + ", ".join(f'"{text}"' for text in texts) + "}"


EXPLAINED = (
    "One worker per side, 32 connections, every side with its own store, in alternation; limits (never "
    "reached), logs and metrics on. Medians of the rounds. The ratio is the throughput of the present code "
    "over that of the side: the median of the rounds, with its range. CPU is the server's per request, "
    "memory the worker's after the rounds. The last column is the throughput relative to the same side "
    "without writes."
)
PARTS = (
    Part(
        name="social",
        title="Mixed load: social",
        description=f"{USERS} signed-in viewers read explore, following, ranked and profiles at random; half "
        f"of the writes are posts, half are likes. {EXPLAINED} Express keeps explore and ranked pages for "
        f"{KEPT_MS // 1000} s.",
        shares=(0, 1, 5, 10),
        has_peer=True,
        requests=social_requests,
    ),
    Part(
        name="thread",
        title="Mixed load: a busy comment thread",
        description=f"{READERS} signed-in readers of the first {PAGE_SIZE} comments of a thread of {THREAD}; "
        f"the writes are votes on these comments. {EXPLAINED}",
        shares=(0, 1, 10, 50),
        has_peer=False,
        requests=thread_requests,
    ),
)
