"""Squares on throw-away engines."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.clock import PinnedClock
from townsquare import square as library
from townsquare.integrity.check import check
from townsquare.keyspace import Role
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.store.store import Store
from townsquare.web.site import site_of


@dataclass
class Place:
    """Where a store is: `name` is plain or cluster."""

    name: str
    data_url: str
    cache_url: str

    def settings(self, **changes: Any) -> Settings:
        given: dict[str, Any] = {
            "env": "test",
            "data_url": self.data_url,
            "cache_url": self.cache_url,
            "rate_limits": "off",
        }
        return Settings.load(environ={}, **{**given, **changes})


@asynccontextmanager
async def open_square(place: Place, clock: PinnedClock, **changes: Any) -> AsyncIterator[Square]:
    async with library.open(settings=place.settings(**changes), clock=clock) as square:
        yield square


@asynccontextmanager
async def browse(square: Square) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP to this square, without a socket."""
    transport = httpx.ASGITransport(site_of(square), raise_app_exceptions=True, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://square.test") as client:
        yield client


async def raw_names(store: Store, role: Role = Role.DATA) -> set[str]:
    return {name async for batch in store.scan(role) for name in batch}


async def assert_clean(store: Store) -> None:
    """Nothing that the checker knows of is wrong."""
    report = await check(store)
    assert not report.findings, report.findings


async def assert_declared(store: Store) -> None:
    """No key is there that no declaration knows."""
    for role, side in store.role_stores.items():
        unknown = {
            name for name in await raw_names(store, role) if not store.registry.parse(name, side.layout)
        }
        assert not unknown
