"""<ts-counter> on somebody else's page."""

import pytest
from playwright.async_api import Browser, Page, expect
from pytest_asyncio import fixture

from tests.browser.homepage import Homepage
from tests.faults.visits import create_counter, total_of
from tests.support.servers import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@fixture(loop_scope="session")
async def counter(server: Server, home: Homepage) -> str:
    """The id of a counter that stands on the homepage twice."""
    id = await create_counter(server, home.url)
    home.html = f"""
        <script type=module src="{server.url}/components/counter.js"></script>
        <ts-counter class=total id="{id}" digits=6 theme=retro></ts-counter>
        <ts-counter class=today url="{home.url}" type=today></ts-counter>"""
    return id


async def test_a_visit_is_counted_and_shown(page: Page, server: Server, home: Homepage, counter: str) -> None:
    await page.goto(home.url)
    number = page.locator("ts-counter.total").get_by_role("img")
    await expect(number).to_have_text("000001")
    await expect(number).to_have_accessible_name("Visits: 1")
    await expect(number).to_have_css("color", "rgb(57, 255, 20)")
    await expect(page.locator("ts-counter.today").get_by_role("img")).to_have_text("1")
    assert await total_of(server, counter) == 1


async def test_a_reload_does_not_count_and_another_browser_does(
    page: Page, browser: Browser, server: Server, home: Homepage, counter: str
) -> None:
    await page.goto(home.url)
    await page.reload()
    await expect(page.locator("ts-counter.total").get_by_role("img")).to_have_text("000001")
    other = await browser.new_page(user_agent="another browser")
    await other.goto(home.url)
    await expect(other.locator("ts-counter.total").get_by_role("img")).to_have_text("000002")
    await other.close()


async def test_a_changed_attribute_shows_without_counting_again(
    page: Page, home: Homepage, counter: str
) -> None:
    await page.goto(home.url)
    element = page.locator("ts-counter.total")
    await expect(element.get_by_role("img")).to_have_text("000001")
    await element.evaluate("element => element.setAttribute('type', 'yesterday')")
    await element.evaluate("element => element.setAttribute('digits', 3)")
    await expect(element.get_by_role("img")).to_have_text("000")
    await expect(element.get_by_role("img")).to_have_accessible_name("Visits yesterday: 0")


async def test_a_page_counts_by_its_own_address_when_it_names_no_counter(
    page: Page, server: Server, home: Homepage
) -> None:
    await create_counter(server, home.url)
    home.html = f"""<ts-counter></ts-counter>
        <script type=module src="{server.url}/components/counter.js"></script>"""
    await page.goto(f"{home.url}#somewhere")
    await expect(page.locator("ts-counter").get_by_role("img")).to_have_text("1")


async def test_a_counter_that_does_not_exist_shows_a_dash(page: Page, server: Server, home: Homepage) -> None:
    home.html = f"""<ts-counter id=nobody-00000000></ts-counter>
        <script type=module src="{server.url}/components/counter.js"></script>"""
    await page.goto(home.url)
    number = page.locator("ts-counter").get_by_role("img")
    await expect(number).to_have_text("-")
    await expect(number).to_have_accessible_name("Counter unavailable")


async def test_a_counter_is_an_image_where_there_is_no_script(
    page: Page, server: Server, home: Homepage, counter: str
) -> None:
    address = f"{server.url}/widgets/visit?action=increment&id={counter}&format=image"
    home.html = f'<img alt=visits src="{address}">'
    await page.goto(home.url)
    image = page.get_by_alt_text("visits")
    assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert await total_of(server, counter) == 1
