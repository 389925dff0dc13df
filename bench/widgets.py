"""Visits counted and likes toggled over HTTP, every request another visitor's, against a bare ASGI app."""

import statistics
import urllib.parse
import urllib.request
from pathlib import Path

from bench.http import redis_of
from bench.load import bare, townsquare, wrk
from bench.report import Result

ROUNDS = 3
ID = "example-100680ad"
VISITORS = Path(__file__).parent / "visitors.lua"
DEEDS = {
    "increments of a counter": ("visit", "increment", "count"),
    "toggles of a like": ("like", "toggle", "toggle"),
}


def create(url: str, name: str) -> None:
    given = urllib.parse.urlencode({"action": "create", "url": "https://example.com", "token": "bench-token"})
    urllib.request.urlopen(f"{url}/api/{name}?{given}").read()


def run() -> list[Result]:
    rows = []
    with townsquare(environ={"TOWNSQUARE_RATE_LIMIT_WRITE": "100000000/60"}) as (url, folder):
        for name, _, _ in DEEDS.values():
            create(url, name)
        for says, (name, action, same) in DEEDS.items():
            ask = f"{url}/api/{name}?action={action}&id={ID}"
            with bare("bench.floor.write_widget", BENCH_REDIS=redis_of(folder), BENCH_ID=ID) as floor:
                pairs = [(wrk(ask, VISITORS), wrk(f"{floor}/{same}", VISITORS)) for _ in range(ROUNDS)]
            ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
            rows.append([says, f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.2f}"])
    return [
        Result(
            "Widgets: writes over HTTP",
            "Requests a second, one worker, 32 connections, every request another visitor; limits (never "
            "reached), logs and metrics on.",
            ["", "townsquare", "bare ASGI, same script", "ratio"],
            rows,
        )
    ]
