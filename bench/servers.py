"""Granian beside uvicorn, under the whole site: the same requests in turns, one process each, over one Redis.

BENCH_ONLY names some of the requests, by parts of their names with commas between. Granian has a second
thread for the network: on a busy machine requests a second tell who got a core, CPU what a request costs.
"""

import contextlib
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.floor.site import ASGI, RSGI
from bench.load import WITHOUT_SEARCH, free_port, process, wrk
from bench.report import Result
from bench.turns import COUNTER, NEVER_REACHED, ONLY, ROUNDS, USERS, Answered, answered, populated, script
from bench.widgets import VISITORS
from townsquare.settings import Settings

SERVERS = ("uvicorn", ASGI, RSGI)  # the others are measured against the first
BY_PATH = {
    "health": "/healthz",
    "counter's increment": f"/api/visit?action=increment&id={COUNTER}",
}
BY_SCRIPT = ("counter's read", "profile", "like", "post", "explore", "thread page of 20")

Side = Sequence[Answered]


@contextlib.contextmanager
def served(server: str, settings: Settings) -> Iterator[tuple[str, int]]:
    """The site under this server; its address and its process."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environ = {
        **NEVER_REACHED,
        **WITHOUT_SEARCH,
        "TOWNSQUARE_DATA_URL": settings.data_url,
        "TOWNSQUARE_CACHE_URL": settings.cache_url,
        "TOWNSQUARE_LOG_FORMAT": "json",
    }
    command = [sys.executable, "-m", "bench.floor.site", server, str(port)]
    with process(command, f"{url}/healthz", environ) as running:
        yield url, running.pid


def run() -> list[Result]:
    rates, costs = [], []
    with populated() as (folder, settings, world), contextlib.ExitStack() as running:
        places = [running.enter_context(served(server, settings)) for server in SERVERS]
        for name in (*BY_PATH, *BY_SCRIPT):
            if ONLY and not any(part in name for part in ONLY):
                continue
            requests = VISITORS if name in BY_PATH else script(folder, world, name)
            path = BY_PATH.get(name, "")
            sides = measure([(url + path, pid) for url, pid in places], requests)
            rates.append([name, *_rates(*sides)])
            costs.append([name, *_costs(*sides)])
    columns = ["", SERVERS[0]]
    columns += [column for server in SERVERS[1:] for column in (server, "ratio")]
    return [
        Result(
            "Granian beside uvicorn: requests a second",
            f"In turns, one process each, {USERS} people who are signed in, limits (never reached), logs and "
            "metrics on; medians, and the range of the ratios.",
            columns,
            rates,
        ),
        Result(
            "Granian beside uvicorn: CPU of a request",
            "What the process of the server uses, both threads of Granian together, in the same run.",
            columns,
            costs,
        ),
    ]


def measure(places: list[tuple[str, int]], requests: Path) -> list[Side]:
    for url, _ in places:
        wrk(url, requests, seconds=1)
    rounds = [[answered(*place, requests) for place in places] for _ in range(ROUNDS)]
    return list(zip(*rounds, strict=True))


def _rates(first: Side, *others: Side) -> Iterator[str]:
    yield f"{statistics.median(one.rate for one in first):,.0f}"
    for side in others:
        ratios = sorted(other.rate / one.rate for one, other in zip(first, side, strict=True))
        yield f"{statistics.median(one.rate for one in side):,.0f}"
        yield f"{statistics.median(ratios):.2f}× ({ratios[0]:.2f}-{ratios[-1]:.2f})"


def _costs(first: Side, *others: Side) -> Iterator[str]:
    usual = statistics.median(one.cpu for one in first)
    yield f"{usual:.0f} µs"
    for side in others:
        cost = statistics.median(one.cpu for one in side)
        ratios = sorted(one.cpu / other.cpu for one, other in zip(first, side, strict=True))
        yield f"{cost:.0f} µs"
        yield f"{usual / cost:.2f}× ({ratios[0]:.2f}-{ratios[-1]:.2f})"
