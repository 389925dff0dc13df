"""From the sign-up form to a first post and five follows, in at most eight clicks."""

import httpx
import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.test_notifications import PASSWORD, sign_up
from tests.support.servers import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_from_sign_up_to_five_follows_and_a_post(page: Page, server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        for number in range(5):
            await sign_up(http, f"suggested{number}")
        clicks = 0

        async def click(locator: Locator) -> None:
            nonlocal clicks
            clicks += 1
            await locator.click()

        await page.goto(server.url)
        await click(page.get_by_role("link", name="Sign in", exact=True))
        await click(page.get_by_role("tab", name="New account"))
        form = page.locator("#signup")
        await form.get_by_label("Email").fill("zoe@example.org")
        await form.get_by_label("Name that others see").fill("Zoë Quist")
        await expect(form.get_by_label("Username")).to_have_value("zoe_quist")
        await form.get_by_label("Password").fill(PASSWORD)
        await click(form.get_by_role("button", name="Create account"))
        await expect(page.get_by_role("heading", name="Welcome, Zoë Quist!")).to_be_visible()
        await expect(page.get_by_text("We have just sent a mail to zoe@example.org")).to_be_visible()
        await click(page.get_by_role("button", name="Follow all"))
        await expect(page.locator("#people [aria-pressed=true]")).to_have_count(5)
        await click(page.get_by_role("button", name="Post", exact=True))
        await expect(page.get_by_text("Posted.")).to_be_visible()
        profile = (await http.get("/social/users/zoe_quist")).json()
        assert (profile["followingCount"], profile["postCount"], profile["display_name"]) == (
            5,
            1,
            "Zoë Quist",
        )
        assert clicks <= 8
