import shutil
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page, async_playwright
from pytest_asyncio import fixture

from tests.browser.homepage import Homepage, homepage
from tests.support.servers import Server, running_server

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]  # it may run as root, without a screen


@fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


@fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    async with running_server(tmp_path_factory.mktemp("browser") / "data") as server:
        yield server


@fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page that lets no error of a script pass."""
    context = await browser.new_context()
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    await context.close()
    assert not errors


@fixture(loop_scope="session")
async def home() -> AsyncIterator[Homepage]:
    async with homepage() as home:
        yield home
