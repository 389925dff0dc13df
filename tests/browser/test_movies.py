"""/movies as people use it: ask, take a chip away, see why, open a film, like it and talk about it."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect
from pytest_asyncio import fixture

from tests.services.social.client.site import ClientSite, client_site
from tests.support.browsers import watched_page
from tests.support.squares import Place

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@fixture(loop_scope="session")
async def site(plain_place: Place) -> AsyncIterator[ClientSite]:
    async with client_site(plain_place) as site:
        await site.square.search.wait_until_ready()
        yield site


async def test_a_film_is_found_explained_and_opened_by_keyboard(browser: Browser, site: ClientSite) -> None:
    async with watched_page(browser) as page:
        await page.goto(f"{site.url}/movies")
        await page.locator("body").press("/")
        await expect(page.get_by_label("What are you in the mood for?")).to_be_focused()
        await page.keyboard.type("rashomon from the 50s")
        await page.keyboard.press("Enter")
        first = page.locator("#results li").first
        await expect(first.get_by_role("heading")).to_have_text("Rashomon")
        decade = page.get_by_role("button", name="1950s: take away")
        await expect(decade).to_be_visible()
        await page.get_by_role("button", name="How was this found?").press("Enter")
        await expect(page.get_by_role("heading", name="How this was found")).to_be_visible()
        await expect(page.locator(".steps li")).not_to_have_count(0)
        await expect(first.locator(".words")).not_to_contain_text("1950")  # the line of facts has it
        await page.evaluate("scrollTo(0, 100)")
        await decade.press("Enter")
        await expect(page.get_by_role("button", name="release date: put back")).to_be_visible()
        assert await page.evaluate("scrollY") == 100
        await expect(decade).to_have_count(0)
        assert "without=release_date" in page.url
        await page.go_back()
        await expect(decade).to_be_visible()
        await first.get_by_role("heading").get_by_role("link").press("Enter")
        await expect(page.get_by_role("heading", name="Rashomon 1950")).to_be_visible()


async def test_a_film_is_liked_and_talked_about(browser: Browser, site: ClientSite) -> None:
    async with watched_page(browser) as page:
        await page.goto(f"{site.url}/movies/1")
        like = page.locator("ts-like").get_by_role("button")
        await expect(like).to_have_accessible_name("Like: 0")
        await like.click()
        await expect(like).to_have_accessible_name("Like: 1")
        comments = page.locator("ts-comments")
        await expect(comments.get_by_role("heading", name="Comments")).to_be_visible()
        await expect(page.get_by_role("heading", name="Films like this")).to_be_visible()
        await page.reload()
        await expect(like).to_have_accessible_name("Like: 1")


async def test_a_question_without_an_answer_says_so(browser: Browser, site: ClientSite) -> None:
    async with watched_page(browser) as page:
        await page.set_viewport_size({"width": 390, "height": 800})
        await page.goto(f"{site.url}/movies?q=%3F%3F%3F")
        await expect(page.locator("#notice")).to_contain_text("Say what you are looking for")
        await page.get_by_label("What are you in the mood for?").fill("something calm")
        await page.get_by_role("button", name="Search").click()
        await expect(page.locator("#results li")).not_to_have_count(0)
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide
