"""Accounts and the social client on a real socket, with people who have posted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page, expect

from tests.services.accounts.door import LAPTOP, PASSWORD
from tests.services.accounts.issuers import LocalServer
from tests.support.squares import Place
from tests.web.asking import silent_logs
from townsquare import square as library
from townsquare.services.accounts.models import Profile
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
        profile = Profile(email=f"{username}@example.org", username=username)
        await self.square.sign_in.password.sign_up(profile, PASSWORD, LAPTOP)

    async def sign_in(self, page: Page, username: str, *, to: str = "/social") -> None:
        """As people do: on the accounts page, which leads back."""
        await page.goto(f"{self.url}{to}")
        await page.get_by_role("link", name="Sign in").click()
        await page.get_by_label("Email, phone or username").fill(username)
        await page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name=f"@{username}", exact=True).first).to_be_visible()


@asynccontextmanager
async def client_site(place: Place, **changes: Any) -> AsyncIterator[ClientSite]:
    async with library.open(settings=place.settings(**changes)) as square:
        site = ClientSite(square)
        async with site.running():
            yield site
