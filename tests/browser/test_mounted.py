"""The pages under a prefix of another application, in a browser: nothing is asked for outside of it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.async_api import Page, expect

import townsquare
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@asynccontextmanager
async def mounted(folder: Path) -> AsyncIterator[str]:
    """The address of a site that FastAPI has mounted."""
    settings = townsquare.Settings.load(environ={}, data_dir=str(folder), rate_limits="off")
    community = townsquare.asgi(settings=settings)
    app = FastAPI(lifespan=community.lifespan)
    app.mount("/our/community", community)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        running = asyncio.create_task(server._serve([listener]))  # leaves the signals to pytest
        await until(lambda: server.started or running.done(), patience=30)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/our/community"
        server.should_exit = True
        await running


async def test_a_person_signs_up_and_posts_below_the_prefix(page: Page, tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    async with mounted(tmp_path / "data") as url:
        await page.goto(f"{url}/social")
        await page.get_by_role("link", name="Sign in").first.click()
        await page.get_by_role("tab", name="New account").click()
        await page.get_by_label("Email", exact=True).fill("alice@example.com")
        await page.get_by_label("Username (needed to post)").fill("alice")
        await page.get_by_label("Password, at least 8 characters", exact=True).fill("kludge-mirth-9")
        await page.get_by_role("button", name="Create account").click()
        await page.get_by_role("link", name="Skip the rest").click()
        await page.wait_for_url(f"{url}/social*")
        await expect(page.locator("a[href$='/social?user=alice']").first).to_be_visible()
        for path in ("docs", "widgets", "accounts/account"):
            await page.goto(f"{url}/{path}", wait_until="networkidle")
        await page.close()
    assert asked
    assert [each for each in asked if not each.startswith(url)] == []
