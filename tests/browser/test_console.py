"""The console in Chromium: from the link of the first start to an action in the audit log."""

import json
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, expect

from tests.support.browsers import watched_page
from tests.support.servers import running_server
from townsquare.web.console import ROOMS

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PASSWORD = "correct horse battery"


async def test_the_link_of_the_first_start_opens_the_console(browser: Browser, tmp_path: Path) -> None:
    async with running_server(tmp_path / "data") as server, watched_page(browser) as page:
        greeting = next(line for line in server.log.splitlines() if '"event":"serving"' in line)
        await page.goto(json.loads(greeting)["first_admin"])
        await page.click("#sign-in")
        await page.click("[role=tab][aria-controls=signup]")
        await page.fill("#signup [name=email]", "root@example.org")
        await page.fill("#signup [name=username]", "root")
        await page.fill("#signup [name=password]", PASSWORD)
        await page.click("#signup button:not([type=button])")
        await page.click("#done")  # the welcome page leads on
        await page.click("#claim button")
        await expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        await expect(page.locator("#nav >> text=Console")).to_have_attribute("aria-current", "page")
        await page.goto(f"{server.url}/console/integrity")
        await page.click("text=Check now")
        await expect(page.locator("#view")).to_contain_text("The check found nothing.", timeout=60_000)
        await page.goto(f"{server.url}/console/keys")
        await page.click("summary >> text=accounts")
        await page.click(".branch[open] a[href$='of=accounts.user']")
        await expect(page.locator("h2")).to_have_text("accounts.user")
        for room in ROOMS:
            if not room.listed:
                continue
            await page.goto(f"{server.url}/console{room.path}")
            await expect(page.locator("#view")).to_have_attribute("aria-busy", "false")
            for width, scheme in product((1440, 390), ("light", "dark")):
                await page.set_viewport_size({"width": width, "height": 900})
                await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                found = await Axe().run(page)
                assert not [one["id"] for one in found.response["violations"]], room.title
                assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), room.title
        await page.goto(f"{server.url}/console/users?q=root")
        await page.click("#view >> text=root")
        await page.click("text=End all sessions")
        await page.click("dialog >> text=Cancel")
        await page.get_by_role("button", name="Export").click()
        await expect(page.locator("#notice")).to_have_text("Exported.")
        await page.goto(f"{server.url}/console/audit")
        await expect(page.locator("tbody tr").first).to_contain_text("user.export")
        await expect(page.locator("tbody tr").nth(1)).to_contain_text("integrity.check")
        await expect(page.locator("tbody tr").nth(2)).to_contain_text("first_admin")
