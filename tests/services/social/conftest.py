from collections.abc import AsyncIterator

import httpx
import pytest

from tests.services.social.world import World, browse, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from townsquare.services.social.service import Social
from townsquare.store.store import Store


@pytest.fixture
async def world(place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    async with open_world(place, clock) as world:
        yield world


@pytest.fixture
def social(world: World) -> Social:
    return world.social


@pytest.fixture
def store(world: World) -> Store:
    return world.store


@pytest.fixture
async def http(world: World, place: Place) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(world, place) as client:
        yield client
