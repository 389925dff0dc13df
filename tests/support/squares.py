"""The one way to a square, a store or an HTTP client, on throw-away engines of either layout."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from tests.support.clock import PinnedClock
from tests.support.engines import Node
from townsquare import square as library
from townsquare.clock import Clock
from townsquare.integrity.check import check
from townsquare.keyspace import Layout, Registry, Role
from townsquare.services.search.service.local_embedder import Encoder
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.store.store import Store
from townsquare.store.wire.nodes import connect
from townsquare.web.app import App
from townsquare.web.site import site_of

ENV = "test"
FILMS = Path(__file__).with_name("fifteen_films.jsonl")


@dataclass
class Place:
    """Where a store is: `name` is plain or cluster."""

    name: str
    data_url: str
    cache_url: str

    def settings(self, **changes: Any) -> Settings:
        given: dict[str, Any] = {
            "env": ENV,
            "data_url": self.data_url,
            "cache_url": self.cache_url,
            "rate_limits": "off",
            "data_dir": shared_folder(),
            "search_catalogue": str(FILMS),
            "client_cache_memory": os.environ.get("TOWNSQUARE_CLIENT_CACHE_MEMORY", "64mb"),
        }
        return Settings.load(environ={}, **{**given, **changes})


@cache
def shared_folder() -> str:
    """One data folder for all squares of a run: what search makes of its films is made once."""
    folder = tempfile.mkdtemp(prefix="townsquare-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    start_encoder(Path(folder) / "search")
    return folder


def start_encoder(folder: Path) -> None:
    """One encoder for all squares of a run, which reads its model when one of them needs it."""
    folder.mkdir(mode=0o700)
    encoder = Encoder.of(folder, idle_seconds=3600)
    with encoder.listener:
        process = subprocess.Popen(
            encoder.command,
            stdin=subprocess.PIPE,
            env=encoder.environ,
            pass_fds=(encoder.listener.fileno(),),
        )

    def end() -> None:
        with process:
            process.kill()

    atexit.register(end)


@asynccontextmanager
async def open_square(place: Place, clock: Clock, **changes: Any) -> AsyncIterator[Square]:
    async with library.open(settings=place.settings(**changes), clock=clock, background=False) as square:
        yield square


@asynccontextmanager
async def open_store(
    place: Place, registry: Registry, clock: PinnedClock | None = None
) -> AsyncIterator[Store]:
    """A process of its own, as far as the store can tell, that knows these keys and nothing else."""
    data, cache = await connect(place.data_url), await connect(place.cache_url)
    store = Store(registry, ENV, data, cache, clock=clock)
    try:
        yield store
    finally:
        await store.close()


def browse(square: Square) -> httpx.AsyncClient:
    return client_of(site_of(square))


def client_of(app: App, ip: str = "127.0.0.1", token: str = "") -> httpx.AsyncClient:
    """HTTP to an application, without a socket; what breaks in it is raised here."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=True, client=(ip, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://square.test", headers=bearer(token))


def bearer(token: str) -> dict[str, str]:
    """The headers of whoever has this token; with an empty one, of a stranger."""
    return {"Authorization": f"Bearer {token}"} if token else {}


async def raw_names(store: Store, role: Role = Role.DATA) -> set[str]:
    return {name async for batch in store.scan(role) for name in batch}


async def assert_clean(store: Store) -> None:
    """Nothing that the checker knows of is wrong."""
    report = await check(store)
    assert not report.findings, report.findings


def undeclared_names(nodes: Iterable[Node], registry: Registry, *, clustered: bool = False) -> set[str]:
    """Names in Redis that no declaration knows, in whatever environment."""
    found = set()
    for node in nodes:
        found |= {name.decode(errors="surrogateescape") for name in node.names()}
    return {name for name in found if not registry.parse(name, Layout(name.partition(":")[0], clustered))}
