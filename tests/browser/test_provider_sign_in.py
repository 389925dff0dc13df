"""Google and GitHub in <ts-comments> on another site's page: a window there and back, without a cookie."""

from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest
from playwright.async_api import Locator, Page, expect
from pytest_asyncio import fixture

from tests.browser.blog import Blog, open_blog
from tests.browser.homepage import Homepage
from tests.browser.test_accessibility import findings
from tests.services.accounts.issuers import CLIENT_ID, CLIENT_SECRET, Issuer, OAuthServer
from tests.support.servers import running_server
from townsquare.clock import SystemClock

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@fixture(scope="module", loop_scope="session")
async def github() -> AsyncIterator[OAuthServer]:
    github = OAuthServer()
    async with github.running():
        yield github


@fixture(loop_scope="session", scope="module")
async def blog(tmp_path_factory: pytest.TempPathFactory, github: OAuthServer) -> AsyncIterator[Blog]:
    """A blog on another site than the server, not on another port alone."""
    issuer = Issuer(SystemClock())
    async with (
        issuer.running(),
        running_server(
            tmp_path_factory.mktemp("providers") / "data",
            google_client_id=CLIENT_ID,
            google_issuer=issuer.url,
            github_client_id=CLIENT_ID,
            github_client_secret=CLIENT_SECRET,
            github_url=github.url,
            github_api_url=f"{github.url}/api",
        ) as server,
        open_blog(server) as blog,
    ):
        await blog.settings(allowed_origins=(origin_of(blog),))
        blog.embed()
        yield blog


def origin_of(blog: Blog) -> str:
    return f"http://localhost:{blog.home.port}"


async def opened(page: Page, blog: Blog) -> Locator:
    await page.goto(f"{origin_of(blog)}/")
    widget = page.locator("ts-comments")
    await widget.get_by_role("button", name="Sign in", exact=True).click()
    return widget


async def closed(window: Page) -> None:
    """Return when it is closed: it may have gone before anybody waited for it."""
    if not window.is_closed():
        await window.wait_for_event("close")


async def test_google_and_github_lead_back_to_the_comments(page: Page, blog: Blog) -> None:
    widget = await opened(page, blog)
    async with page.expect_popup() as opening:
        await widget.get_by_role("button", name="Google").click()
    window = await opening.value
    await expect(window.get_by_role("heading", level=1)).to_have_text("Sign in to A blog")
    await expect(window.get_by_role("main")).to_contain_text(f"localhost:{blog.home.port}")
    assert await findings(window, "the window") == []
    await window.keyboard.press("Enter")  # the button has the focus
    await closed(window)
    await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()
    await expect(widget.get_by_role("dialog")).to_have_count(0)
    await widget.get_by_role("textbox", name="Write a comment").fill("by Google")
    await widget.get_by_role("button", name="Post").click()
    await expect(widget.get_by_role("article", name="Comment by Alice A.")).to_contain_text("by Google")
    assert await page.context.cookies() == []
    await page.reload()
    await widget.get_by_role("button", name="Sign out").click()

    await widget.get_by_role("button", name="Sign in", exact=True).press("Enter")
    async with page.expect_popup() as opening:  # this site was agreed to: straight to the provider
        await widget.get_by_role("button", name="GitHub").press("Enter")
    await closed(await opening.value)
    await expect(widget.get_by_text("Alice A.", exact=True).first).to_be_visible()  # the address is confirmed


async def test_a_window_that_is_closed_leaves_the_other_ways(page: Page, blog: Blog) -> None:
    await blog.account("ann")
    widget = await opened(page, blog)
    async with page.expect_popup() as opening:
        await widget.get_by_role("button", name="GitHub").click()
    window = await opening.value
    await expect(window.get_by_role("button", name="Continue with GitHub")).to_be_focused()
    await widget.get_by_role("button", name="Password").click()
    await closed(window)
    dialog = widget.get_by_role("dialog")
    await dialog.get_by_label("Email or username").fill(blog.name("ann"))
    await dialog.get_by_label("Password").fill("correct horse battery")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()


async def test_nobody_else_is_told_who_signed_in(page: Page, blog: Blog, home: Homepage) -> None:
    """A page that pretends to be the blog opens the window: what comes out of it is not for that page."""
    home.html = "<script>heard = []; addEventListener('message', ({ data }) => heard.push(data))</script>"
    asked = {"site": blog.site.api_key_public, "provider": "github", "origin": origin_of(blog)}
    address = f"{blog.server.url}/threads/sign-in?"
    await page.goto(home.url)
    async with page.expect_popup() as opening:
        await page.evaluate("(address) => { open(address); }", address + urlencode(asked))
    window = await opening.value
    await window.get_by_role("button", name="Continue with GitHub").click()
    await closed(window)  # it has told the origin that it was opened for
    assert await page.evaluate("heard") == []
    own = {**asked, "origin": home.url.rstrip("/")}
    await page.goto(address + urlencode(own))
    await expect(page.get_by_role("main")).to_contain_text("is not allowed")


async def test_a_way_back_that_nobody_began_leads_nowhere(
    page: Page, blog: Blog, github: OAuthServer
) -> None:
    await page.goto(f"{blog.server.url}/threads/sign-in?code=stolen&state=of-somebody-else")
    await expect(page.get_by_role("status")).to_have_text("This sign-in was not started here. Try again.")
    assert "stolen" not in page.url


async def test_the_comments_believe_the_window_alone(page: Page, blog: Blog) -> None:
    widget = await opened(page, blog)
    async with page.expect_popup() as opening:
        await widget.get_by_role("button", name="Google").click()
    session = {"access_token": "x", "refresh_token": "y", "expires_in": 900, "user": {"id": "z"}}
    await page.evaluate("(session) => postMessage(session, '*')", session)
    await (await opening.value).close()
    await expect(widget.get_by_role("dialog")).to_be_visible()
    assert "refresh_token" not in await page.evaluate("JSON.stringify({ ...localStorage })")
