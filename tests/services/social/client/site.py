"""Accounts and the social client on a real socket, with people who have posted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page, Request, Route, expect

from tests.services.accounts.door import LAPTOP, PASSWORD
from tests.services.accounts.issuers import LocalServer
from tests.support.squares import Place
from tests.web.asking import silent_logs
from townsquare import square as library
from townsquare.services.accounts.models import UserProfile
from townsquare.square import Square
from townsquare.web.site import site_of

SCRIPT = "<script>window.broken = true</script><img src=x onerror='window.broken = true'>"


class ClientSite(LocalServer):
    def __init__(self, square: Square) -> None:
        super().__init__([])
        self.square = square
        self.social = square.social
        self._app = site_of(square, silent_logs())  # type: ignore[assignment]

    async def sign_up(self, username: str) -> None:
        profile = UserProfile(email=f"{username}@example.org", username=username)
        await self.square.accounts.password.sign_up(profile, PASSWORD, LAPTOP)

    async def bob_posts(self) -> str:
        await self.social.profiles.register("bob", given={"display_name": "Bob", "bio": "Hello @alice"})
        post = await self.social.posts.create("bob", "First #Travel of bob")
        return post.id

    async def sign_in(self, page: Page, username: str) -> None:
        await self.pass_the_door(page, username)
        await expect(page.get_by_role("link", name="Profile", exact=True)).to_be_visible()

    async def pass_the_door(self, page: Page, username: str) -> None:
        """As people do: on the accounts page, which leads back."""
        await page.goto(f"{self.url}/social")
        await page.get_by_role("link", name="Sign in").click()
        await page.wait_for_url("**/accounts/sign-in?*")  # with its scripts: they send the form
        await page.get_by_label("Email, phone or username").fill(username)
        await page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
        await page.keyboard.press("Enter")


@asynccontextmanager
async def client_site(place: Place, **changes: Any) -> AsyncIterator[ClientSite]:
    async with library.open(settings=place.settings(**changes), background=False) as square:
        site = ClientSite(square)
        async with site.running():
            yield site


class Held:
    """Requests of a page that wait on their way until they are let go, then fail with `status` or go on."""

    def __init__(self, page: Page, status: int = 0) -> None:
        self.sent: list[Request] = []
        self._page = page
        self._status = status
        self._one_came = asyncio.Event()
        self._let_go = asyncio.Event()

    async def hold(self, route: Route) -> None:
        self.sent.append(route.request)
        self._one_came.set()
        await self._let_go.wait()
        await (route.fulfill(status=self._status, json={}) if self._status else route.continue_())

    async def one_came(self) -> None:
        await asyncio.wait_for(self._one_came.wait(), 10)

    async def let_go(self) -> None:
        """Until the page has had the answer, and one to a request after it."""
        async with self._page.expect_event("requestfinished", lambda request: request in self.sent):
            self._let_go.set()
        await self._page.evaluate(
            "fetch('/shared/page.js', { cache: 'reload' }).then((answer) => answer.text())"
        )


@asynccontextmanager
async def held(page: Page, address: str, status: int = 0) -> AsyncIterator[Held]:
    held = Held(page, status)
    await page.route(address, held.hold)
    yield held
    await page.unroute(address, held.hold)


async def walk(page: Page, to: str) -> None:
    """To another view, as a link leads there."""
    await page.evaluate(
        "(href) => { const link = Object.assign(document.createElement('a'), { href });"
        " document.body.append(link); link.click(); link.remove(); }",
        to,
    )
