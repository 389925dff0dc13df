from collections.abc import AsyncIterator

import httpx
import pytest

from tests.services.accounts.door import Door, browse_door, open_door
from townsquare.square import Square


@pytest.fixture
async def door(square: Square) -> AsyncIterator[Door]:
    async with open_door(square) as door:
        yield door


@pytest.fixture
async def web(door: Door) -> AsyncIterator[httpx.AsyncClient]:
    async with browse_door(door) as client:
        yield client
