from collections.abc import AsyncIterator

import httpx
import pytest

from tests.services.threads.world import World, open_world
from tests.support.clock import PinnedClock
from tests.support.squares import Place, browse


@pytest.fixture
async def world(place: Place, clock: PinnedClock) -> AsyncIterator[World]:
    """A square with one site, ready to be commented on."""
    async with open_world(place, clock) as world:
        yield world


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(world.square) as client:
        yield client
