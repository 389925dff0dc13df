"""A toy service on every kind of store, for whoever imports these fixtures."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_store
from tests.toy.keys import REGISTRY
from tests.toy.service import Toy, live
from townsquare.store.store import Store


@asynccontextmanager
async def open_toy(place: Place, clock: PinnedClock) -> AsyncIterator[Toy]:
    async with open_store(place, REGISTRY, clock) as store:
        yield Toy(store)


@pytest.fixture
async def service(place: Place, clock: PinnedClock) -> AsyncIterator[Toy]:
    async with open_toy(place, clock) as service:
        yield service


@pytest.fixture
async def store(service: Toy) -> Store:
    return service.store


@pytest.fixture
async def service_on_cluster(cluster_place: Place, clock: PinnedClock) -> AsyncIterator[Toy]:
    async with open_toy(cluster_place, clock) as service:
        yield service


async def crowd(services: list[Toy], people: int, steps: int) -> None:
    """Many clients at once, spread over several processes' stores."""
    async with asyncio.TaskGroup() as tasks:
        for number in range(people):
            tasks.create_task(live(services[number % len(services)], number, steps))
