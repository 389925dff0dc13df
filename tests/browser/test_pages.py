"""The server's own pages, in a browser without the internet."""

import json

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


async def test_the_docs_show_who_may_call_what_is_answered_and_a_sample_that_works(
    page: Page, server: Server
) -> None:
    await page.goto(f"{server.url}/docs#accounts_signup")
    card = page.locator("#accounts_signup")
    await expect(card.locator(".lock")).to_have_text("token optional")
    await expect(card.get_by_text("access_token", exact=True)).to_be_visible()
    await card.get_by_role("button", name="Send").click()
    await expect(card.locator(".answer")).to_contain_text("201")
    token = await card.locator(".answer pre").inner_text()
    await page.locator("#credential-bearer").fill(json.loads(token)["access_token"])
    await page.goto(f"{server.url}/docs#social_create_post")
    post = page.locator("#social_create_post")
    await expect(post.locator(".lock")).to_have_text("token")
    await expect(post.locator("pre.curl")).to_contain_text('"content": "Hello #travel"')
    await expect(page.locator("#system_healthz .lock")).to_be_empty()
    await post.get_by_role("button", name="Send").click()
    await expect(post.locator(".answer")).to_contain_text("201")


async def test_the_home_page_shows_live_examples_with_their_html(page: Page, server: Server) -> None:
    await page.goto(server.url, wait_until="networkidle")
    sizes = await page.evaluate("performance.getEntries().map((one) => one.encodedBodySize || 0)")
    assert sum(sizes) < 100_000
    comments = page.locator("[data-example=comments] ts-comments")
    await expect(comments.get_by_text("This is what a comment looks like.")).to_be_visible()
    await comments.get_by_role("textbox").first.fill("Hello from here")
    await comments.get_by_role("button", name="Post").click()
    await expect(comments.get_by_text("Hello from here")).to_be_visible()
    await expect(page.locator("[data-example=counter] ts-counter span")).to_have_text("012345")
    like = page.locator("[data-example=like] ts-like").get_by_role("button")
    await like.click()
    await expect(like).to_contain_text("42")
    await expect(page.locator("#code-comments")).to_contain_text(f'src="{server.url}/components/comments.js"')
    await page.get_by_role("button", name="Copy the HTML of Comments").click()
    await expect(page.get_by_role("status").filter(has_text="Cop")).to_have_count(1)
