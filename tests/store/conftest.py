import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

from tests.toy.fixtures import service, service_on_cluster
from townsquare.store.scripts import folder

__all__ = ["pytest_asyncio_loop_factories", "service", "service_on_cluster"]

ON_BOTH_LOOPS = {"test_wire.py", "test_nodes.py", "test_engine.py"}


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """What touches sockets and processes runs on uvloop, as the server does, and on plain asyncio."""
    if item.path.name in ON_BOTH_LOOPS:
        return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}
    return {"asyncio": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of scripts that a test makes for a service does not take the place of the real one."""
    monkeypatch.setattr(folder, "FOLDERS", dict(folder.FOLDERS))
