import pytest

from tests.integrity.damage import Town, build
from tests.toy.fixtures import service, service_on_cluster, store
from tests.toy.service import Toy

__all__ = ["service", "service_on_cluster", "store"]


@pytest.fixture
def known_keys() -> None:
    """Damage is anything."""


@pytest.fixture
async def town(service: Toy) -> Town:
    return await build(service)
