"""Single pages, one reader who repeats one page: the application beside a floor, in alternation.

The floor (`bench.floor.pages`) is a bare ASGI function that runs the skeleton script of the page and joins
cached fragments. Both must return the same body. BENCH_ONLY names some of the pages (comma-separated),
BENCH_ROUNDS and BENCH_SECONDS how often and how long each is measured.
"""

import os
import statistics
import urllib.request
from pathlib import Path

import msgspec

from bench.load import WITHOUT_SEARCH, bare_process, cpu_seconds, wrk
from bench.report import Result
from bench.turns import HERE, NEVER_REACHED, THREAD, populated, served

ONLY = tuple(filter(None, os.environ.get("BENCH_ONLY", "").split(",")))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "2"))
TRIES = 3
VIEWER, OTHER = "user0", "user1"


class Account(msgspec.Struct):
    id: str


class Thread(msgspec.Struct):
    page_id: str


class Server:
    def __init__(self, url: str, pid: int, script: Path) -> None:
        self.url, self.pid, self.script = url, pid, script

    def measure(self, path: str) -> tuple[float, float]:
        """Requests per second, and microseconds of CPU per request."""
        began = cpu_seconds(self.pid)
        rate = wrk(self.url + path, self.script, seconds=SECONDS)
        return rate, (cpu_seconds(self.pid) - began) / (rate * SECONDS) * 1e6


def run() -> list[Result]:
    with (
        populated() as (folder, settings, world),
        served(HERE, settings, NEVER_REACHED | WITHOUT_SEARCH) as (url, pid),
    ):
        token = world.tokens[0]
        thread = f"/threads/v1/comments?site={world.site}&page_url=/{THREAD}"
        pages = {
            "explore": "/social/feed/explore",
            "following": "/social/feed/following",
            "ranked": "/social/feed/hashtag/one/ranked",
            "profile": f"/social/users/{OTHER}",
            "thread": thread,
        }
        floor_environ = {
            "BENCH_REDIS": settings.data_url,
            "BENCH_VIEWER": VIEWER,
            "BENCH_USER": msgspec.json.decode(read(f"{url}/accounts/me", token), type=Account).id,
            "BENCH_PAGE": msgspec.json.decode(read(url + thread, token), type=Thread).page_id,
        }
        script = folder / "pages.lua"
        script.write_text(f'wrk.headers["Authorization"] = "Bearer {token}"')
        with bare_process("bench.floor.pages", **floor_environ) as (floor_url, floor_pid):
            application, floor = Server(url, pid, script), Server(floor_url, floor_pid, script)
            rows = [
                [name, *compare(application, floor, path, token)]
                for name, path in pages.items()
                if not ONLY or name in ONLY
            ]
    return [
        Result(
            "Single pages beside their floor",
            "One signed-in reader repeats one page: the best case of every cache. One worker each, 32 "
            "connections, in alternation; limits (never reached), logs and metrics on. The floor is a bare "
            "ASGI function under the same uvicorn, which reads ids and flags with the same script and joins "
            "cached fragments to the same body. Medians of the rounds; the ratio with its range.",
            ["", "townsquare", "floor", "ratio", "range", "CPU", "CPU of the floor"],
            rows,
        )
    ]


def compare(application: Server, floor: Server, path: str, token: str) -> list[str]:
    require_same_body(application.url + path, floor.url + path, token)
    for server in (application, floor):
        wrk(server.url + path, server.script, seconds=1)
    rounds = [(application.measure(path), floor.measure(path)) for _ in range(ROUNDS)]
    ratios = sorted(ours[0] / theirs[0] for ours, theirs in rounds)
    rates, costs = zip(*[zip(*samples, strict=True) for samples in rounds], strict=True)
    ours, theirs = (statistics.median(side) for side in zip(*rates, strict=True))
    return [
        f"{ours:,.0f}",
        f"{theirs:,.0f}",
        f"{statistics.median(ratios):.2f}",
        f"{ratios[0]:.2f}-{ratios[-1]:.2f}",
        *(f"{statistics.median(side):.0f} µs" for side in zip(*costs, strict=True)),
    ]


def require_same_body(ours: str, theirs: str, token: str) -> None:
    """The order of ranked posts may be renewed between two reads: compare again."""
    for _ in range(TRIES):
        application, floor = read(ours, token), read(theirs, token)
        if application == floor:
            return
    pairs = enumerate(zip(application, floor, strict=False))
    first = next((place for place, (one, other) in pairs if one != other), min(len(application), len(floor)))
    shown = [body[max(0, first - 40) : first + 40].decode(errors="replace") for body in (application, floor)]
    raise SystemExit(f"{ours} and its floor differ:\n…{shown[0]}…\n…{shown[1]}…")


def read(url: str, token: str) -> bytes:
    sent = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(sent) as response:
        body: bytes = response.read()
        return body
