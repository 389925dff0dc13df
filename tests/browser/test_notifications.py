"""The notification centre: the counter in the header, the list, and the way to a comment in two clicks."""

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.support.servers import Server
from tests.support.squares import bearer

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PASSWORD = "kludge-mirth-9"


async def sign_up(http: httpx.AsyncClient, name: str) -> dict[str, str]:
    given = {"username": name, "email": f"{name}@example.org", "password": PASSWORD}
    answer = await http.post("/accounts/signup", json=given)
    assert answer.status_code == 201, answer.text
    return bearer(answer.json()["access_token"])


async def test_a_notification_leads_to_its_comment_in_two_clicks(page: Page, server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        ann, ben = await sign_up(http, "notified_ann"), await sign_up(http, "notified_ben")
        post = (await http.post("/social/posts", json={"content": "a post"}, headers=ann)).json()["id"]
        for number in range(25):  # the last comment is on the second page
            comment = {"content": f"text {number}"}
            written = await http.post(f"/social/posts/{post}/comments", json=comment, headers=ben)
            assert written.status_code == 201, written.text
    await page.goto(f"{server.url}/accounts/sign-in?next=/")
    await page.get_by_role("textbox", name="Email, phone or username").fill("notified_ann")
    await page.get_by_role("textbox", name="Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("link", name="Notifications, 25 unread").click()
    await page.get_by_role("link", name="text 24").click()
    linked = page.locator(".comments li.linked")
    await expect(linked).to_contain_text("text 24")
    await expect(linked).to_be_in_viewport()
    await expect(page.get_by_role("link", name="Notifications, 24 unread")).to_be_visible()
    await page.get_by_role("link", name="Notifications, 24 unread").click()
    await page.get_by_role("button", name="Mark all as read").click()
    await expect(page.get_by_role("link", name="Notifications", exact=True)).to_be_visible()
    await page.get_by_text("Settings").click()
    await page.get_by_label("Likes").select_option("off")
    await expect(page.get_by_text("Saved.")).to_be_visible()
