"""An HTTP read of one record, all middleware on, against a bare ASGI function with the same Redis read."""

import statistics
import urllib.parse
import urllib.request
from pathlib import Path

from bench.load import bare, townsquare, wrk
from bench.report import Result
from townsquare.keyspace import Role
from townsquare.store.engine import Engines

ROUNDS = 3
ID = "example-100680ad"


def create_counter(url: str) -> None:
    given = urllib.parse.urlencode({"action": "create", "url": "https://example.com", "token": "bench-token"})
    urllib.request.urlopen(f"{url}/api/visit?{given}").read()


def redis_of(folder: Path) -> str:
    return Engines(folder).url(Role.DATA)


def run() -> list[Result]:
    with townsquare(environ={"TOWNSQUARE_RATE_LIMIT_READ": "100000000/60"}) as (url, folder):
        create_counter(url)
        read = f"{url}/api/visit?action=get&id={ID}"
        with bare("bench.floor.read_counter", BENCH_REDIS=redis_of(folder), BENCH_ID=ID) as floor:
            pairs = [(wrk(read), wrk(floor)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return [
        Result(
            "HTTP read of one record",
            "Requests a second, one worker, 32 connections; limits (never reached), logs and metrics on.",
            ["", "townsquare", "bare ASGI, same Redis read", "ratio"],
            [["counter", f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.2f}"]],
        )
    ]
