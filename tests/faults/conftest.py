import sys
from collections.abc import AsyncIterator

import pytest
from pytest_asyncio import fixture

from tests.support.servers import Server, running_server


@pytest.fixture(autouse=True, scope="session")
def processes_can_be_found() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("finds the processes that it kills through /proc, which only Linux has")


@fixture(scope="session", loop_scope="session")
async def lasting_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with running_server(
        tmp_path_factory.mktemp("lasting") / "data", workers=2, connections_per_address="2000"
    ) as server:
        yield server


@pytest.fixture
async def server(lasting_server: Server) -> Server:
    """Two workers on embedded engines, running, whatever the test before did to them."""
    if not lasting_server.running:
        await lasting_server.start()
    await lasting_server.becomes_ready()
    return lasting_server
