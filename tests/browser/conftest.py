from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page
from pytest_asyncio import fixture

from tests.browser.homepage import Homepage, homepage
from tests.support.browsers import chromium, watched_page
from tests.support.servers import Server, running_server


@fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with running_server(tmp_path_factory.mktemp("browser") / "data") as server:
        yield server


@fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    async with watched_page(browser) as page:
        yield page


@fixture(loop_scope="session")
async def home() -> AsyncIterator[Homepage]:
    async with homepage() as home:
        yield home
