from collections.abc import AsyncIterator

from playwright.async_api import Browser, Page
from pytest_asyncio import fixture

from tests.services.social.client.site import ClientSite, client_site
from tests.support.browsers import chromium, watched_page
from tests.support.squares import Place


@fixture(loop_scope="module")
async def site(plain_place: Place) -> AsyncIterator[ClientSite]:
    async with client_site(plain_place) as site:
        yield site


@fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    async with watched_page(browser) as page:
        yield page


@fixture(loop_scope="module")
async def bob_posted(site: ClientSite) -> str:
    return await site.bob_posts()
