"""Somebody's blog with comments: a page on another origin, its site on the server, and people who write."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.homepage import Homepage, homepage
from tests.support.browsers import watched_page
from tests.support.servers import Server
from tests.support.waiting import until
from townsquare import square as library
from townsquare.clock import SystemClock, iso
from townsquare.services.accounts.models import UserProfile
from townsquare.services.accounts.signin.models import Client
from townsquare.services.threads.models.comments import Comment
from townsquare.services.threads.models.sites import HoldRules, NewSite, SiteSettings, Viewer
from townsquare.services.threads.page_urls import page_address
from townsquare.square import Square

PASSWORD = "correct horse battery"
LAPTOP = Client("192.0.2.1", "laptop")


class Blog:
    def __init__(self, square: Square, server: Server, home: Homepage, site: NewSite) -> None:
        self.square = square
        self.server = server
        self.home = home
        self.site = site
        self.threads = square.threads

    def embed(self, attributes: str = "", *, post: str = "") -> None:
        """The page of the blog, with its comments in one line."""
        self.home.html = f"""<title>A post</title>
            <style>body {{ max-width: 44rem; margin: 2rem auto; background: #fff; color: #111 }}
            a {{ color: inherit }}
            @media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} }}</style>
            <main><h1>A post</h1>{post}
            <script type=module src="{self.server.url}/components/comments.js"></script>
            <ts-comments site="{self.site.api_key_public}" {attributes}></ts-comments></main>"""

    async def account(self, name: str, role: Any = "user") -> Viewer:
        """An account that exists already, with the one password of these tests."""
        profile = UserProfile(
            email=f"{name}-{self.home.port}@example.org", username=f"{name}{self.home.port}"
        )
        made = await self.square.accounts.password.sign_up(profile, PASSWORD, LAPTOP)
        if role != "user":
            await self.threads.sites.set_role(self.site.id, made.user.id, role)
        return Viewer(site_id=self.site.id, user_id=made.user.id, role=role)

    async def commenter(self, username: str, **fields: str | None) -> Viewer:
        """Somebody of whom these fields are in the store, whatever it would take to get them there."""
        account = await self.square.accounts.sign_up(self.name(username))
        await self.threads.commenters.get(account.id)
        await self.threads.commenters.save(account.id, fields)
        return Viewer(site_id=self.site.id, user_id=account.id)

    def name(self, name: str) -> str:
        return f"{name}{self.home.port}"

    async def comment(self, viewer: Viewer, text: str, parent: str | None = None) -> Comment:
        site = await self.threads.sites.by_key(self.site.api_key_public)
        page = page_address(site, self.home.url)
        made = (await self.threads.comments.create(viewer, site, page, text, parent_id=parent)).comment
        await until(
            lambda: iso(SystemClock().now_ms()) > made.created_at
        )  # so that "newest first" is defined
        return made

    async def comments(self, viewer: Viewer, count: int) -> list[Comment]:
        """Roots, the oldest first; their number is their text."""
        return [await self.comment(viewer, f"root number {number}") for number in range(count)]

    async def desk(self, page: Page, name: str) -> None:
        """The moderators' page."""
        await self.enter(page, name, f"/threads/moderation?site={self.site.api_key_public}")
        await expect(page.get_by_role("tab", name="Held")).to_be_visible()

    async def enter(self, page: Page, name: str, path: str) -> None:
        """A page of the server, by the door of accounts."""
        await page.goto(f"{self.server.url}/accounts/sign-in?next={quote(path)}")
        await page.get_by_label("Email, phone or username").fill(self.name(name))
        await page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**{path}")

    async def settings(self, **changes: Any) -> None:
        before = (await self.threads.sites.get(self.site.id)).settings
        await self.threads.sites.change(self.site.id, settings=replace(before, **changes))

    async def code_for(self, email: str) -> str:
        """The digits that the server has sent; its console is its mailbox."""
        async with asyncio.timeout(10):
            while f"email to {email}: Your code is " not in self.server.log:  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.02)
        return self.server.log.rpartition(f"email to {email}: Your code is ")[2][:6]

    async def open(self, page: Page, fragment: str = "") -> Locator:
        await page.goto(self.home.url + fragment)
        widget = page.locator("ts-comments")
        await expect(widget.get_by_role("heading", level=2)).to_be_visible()
        return widget

    async def sign_in(self, page: Page, name: str) -> None:
        """By password, in the dialog of the widget."""
        widget = page.locator("ts-comments")
        await widget.get_by_role("button", name="Sign in", exact=True).click()
        dialog = widget.get_by_role("dialog", name="Sign in")
        await dialog.get_by_role("button", name="Password").click()
        await dialog.get_by_label("Email or username").fill(self.name(name))
        await dialog.get_by_label("Password").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()


@asynccontextmanager
async def open_blog(server: Server) -> AsyncIterator[Blog]:
    async with library.open(settings=server.settings(), background=False) as square, homepage() as home:
        settings = SiteSettings(trust=HoldRules(least_seconds=0))  # a test types faster than people
        site = await square.threads.sites.create("A blog", f"127.0.0.1:{home.port}", settings=settings)
        yield Blog(square, server, home, site)


@asynccontextmanager
async def reader(browser: Browser, blog: Blog, name: str = "") -> AsyncIterator[Page]:
    """Another person in front of another browser."""
    async with watched_page(browser) as page:
        await blog.open(page)
        if name:
            await blog.sign_in(page, name)
        yield page
