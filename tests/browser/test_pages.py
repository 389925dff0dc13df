"""The server's own pages, in a browser without the internet."""

import pytest
from playwright.async_api import Page, expect

from tests.support.servers import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize("path", ["/", "/docs"])
async def test_a_page_loads_nothing_from_elsewhere_and_nothing_in_vain(
    page: Page, server: Server, path: str
) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    await page.goto(f"{server.url}{path}", wait_until="networkidle")
    assert asked
    assert all(url.startswith(server.url) for url in asked)
    assert not complaints


async def test_the_docs_show_the_operations_of_the_counter(page: Page, server: Server) -> None:
    await page.goto(f"{server.url}/docs")
    await expect(page.get_by_text("/widgets/visit").first).to_be_visible()
