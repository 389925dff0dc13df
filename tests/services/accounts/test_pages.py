"""The pages for people, in a real browser, over a real socket."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect
from pytest_asyncio import fixture

from tests.services.accounts.door import EMAIL, LAPTOP, PASSWORD, Door, open_door
from tests.services.accounts.issuers import CLIENT_ID, CLIENT_SECRET, Issuer, LocalServer, OAuthServer
from tests.support.browsers import chromium, watched_page
from tests.support.squares import Place, open_square
from townsquare.clock import SystemClock
from townsquare.services.accounts.models import AccountStatus

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


class Site(LocalServer):
    def __init__(self, door: Door) -> None:
        super().__init__([])
        self.door = door
        self._app = door.app()  # type: ignore[assignment]


@fixture(loop_scope="module")
async def issuer() -> AsyncIterator[Issuer]:
    issuer = Issuer(SystemClock())
    async with issuer.running():
        yield issuer


@fixture(loop_scope="module")
async def github() -> AsyncIterator[OAuthServer]:
    server = OAuthServer()
    async with server.running():
        yield server


@fixture(loop_scope="module")
async def site(plain_place: Place, issuer: Issuer, github: OAuthServer) -> AsyncIterator[Site]:
    async with (
        open_square(plain_place, SystemClock()) as square,
        open_door(
            square,
            google_client_id=CLIENT_ID,
            google_issuer=issuer.url,
            github_client_id=CLIENT_ID,
            github_client_secret=CLIENT_SECRET,
            github_url=github.url,
            github_api_url=f"{github.url}/api",
        ) as door,
    ):
        site = Site(door)
        async with site.running():
            yield site


@fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    async with watched_page(browser) as page:
        yield page


async def sign_in(page: Page, site: Site) -> None:
    await page.goto(f"{site.url}/accounts/sign-in")
    await page.get_by_label("Email, phone or username").fill(EMAIL)
    await page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("alice")


@fixture(loop_scope="module")
async def alice(site: Site) -> str:
    signed_up = await site.door.sign_up(username="alice")
    return signed_up.user.id


async def hold_back(page: Page, address: str) -> asyncio.Event:
    """Until the event is set, nothing comes from there."""
    released = asyncio.Event()

    async def late(route: Route) -> None:
        await released.wait()
        await route.continue_()

    await page.route(address, late)
    return released


async def test_a_new_account_is_made_and_confirmed(page: Page, site: Site) -> None:
    await page.goto(f"{site.url}/accounts/sign-in")
    await page.get_by_role("tab", name="New account").click()
    form = page.locator("#signup")
    await form.get_by_label("Email").fill(EMAIL)
    await form.get_by_label("Username").fill("alice")
    await form.get_by_label("Password").fill("password123")
    await form.get_by_role("button").click()
    await expect(page.get_by_role("status")).to_contain_text("too common")
    await form.get_by_label("Password").fill(PASSWORD)
    await form.get_by_role("button").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, alice!")
    await expect(page.get_by_text(f"sent a mail to {EMAIL}")).to_be_visible()
    await page.goto(f"{site.url}/accounts/account")
    await expect(page.locator("#email-state")).to_have_text("· not confirmed yet")
    await page.get_by_label("Code", exact=True).fill(await site.door.code_for(EMAIL))
    await page.get_by_role("button", name="Confirm").click()
    await expect(page.locator("#email-state")).to_have_text("· confirmed")
    await expect(page.locator("#sessions li")).to_have_count(1)


async def test_who_chooses_a_tab_before_the_script_is_there_has_chosen_it(page: Page, site: Site) -> None:
    chosen = await hold_back(page, "**/signin.js*")
    await page.goto(f"{site.url}/accounts/sign-in", wait_until="commit")
    await page.get_by_role("tab", name="New account").click()
    await expect(page.locator("#signup")).to_be_hidden()
    chosen.set()
    await expect(page.locator("#signup")).to_be_visible()
    await page.get_by_role("tab", name="Password").click()
    await expect(page.locator("#signup")).to_be_hidden()


async def test_a_taken_name_is_said_at_its_field(page: Page, site: Site, alice: str) -> None:
    await page.goto(f"{site.url}/accounts/sign-in")
    await page.get_by_role("tab", name="New account").click()
    form = page.locator("#signup")
    await form.get_by_label("Email").fill("other@example.org")
    await form.get_by_label("Username").fill("alice")
    await form.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    name = form.get_by_label("Username")
    await expect(name).to_have_accessible_description("This username is already taken")
    await expect(name).to_have_attribute("aria-invalid", "true")
    await expect(name).to_be_focused()
    await expect(page.get_by_role("status")).to_be_hidden()
    await name.fill("alice2")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, alice2!")


async def test_the_keyboard_is_enough_to_sign_in_with_a_code(page: Page, site: Site) -> None:
    await page.goto(f"{site.url}/accounts/sign-in")
    await expect(page.get_by_role("button", name="Continue with GitHub")).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Code")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.type(EMAIL)
    await page.keyboard.press("Enter")
    await expect(page.locator("#code").get_by_label("The six digits")).to_be_focused()
    code = await site.door.code_for(EMAIL)
    await page.keyboard.type(f"{code[:3]} {code[3:]}")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text(EMAIL)


async def test_a_wrong_password_is_said_and_a_forgotten_one_replaced(
    page: Page, site: Site, alice: str
) -> None:
    await page.goto(f"{site.url}/accounts/sign-in")
    await page.get_by_label("Email, phone or username").fill("alice")
    await page.get_by_role("textbox", name="Password", exact=True).fill("not the password")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("do not match")
    await page.get_by_role("button", name="Forgot").click()
    form = page.locator("#forgot")
    await form.get_by_label("Email or phone").fill(EMAIL)
    await form.get_by_role("button", name="Send me a code").click()
    await expect(form.get_by_label("The six digits")).to_be_focused()
    await form.get_by_label("The six digits").fill(await site.door.code_for(EMAIL))
    await form.get_by_label("New password").fill("another good password")
    await form.get_by_role("button", name="Set the new password").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("alice")
    await site.door.accounts.password.sign_in("alice", "another good password", LAPTOP)


@pytest.mark.parametrize("provider", ["Google", "GitHub"])
async def test_a_provider_signs_in_and_leaves_nothing_in_the_address(
    page: Page, site: Site, provider: str
) -> None:
    await page.goto(f"{site.url}/accounts/sign-in")
    await page.get_by_role("button", name=f"Continue with {provider}").click()
    await page.wait_for_url(re.compile(r"/accounts/account$"))
    await expect(page.locator("#ways li", has_text=provider)).to_contain_text("linked")
    assert await page.evaluate("history.state") is None


async def test_a_provider_is_linked_and_unlinked(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    await page.get_by_role("button", name="Link GitHub", exact=True).click()
    await page.get_by_role("button", name="Unlink GitHub").click()
    await expect(page.get_by_role("button", name="Link GitHub", exact=True)).to_be_visible()
    assert (await site.door.users.get(alice)).providers == {}


async def test_what_a_provider_sends_without_being_asked_is_refused(page: Page, site: Site) -> None:
    await page.goto(f"{site.url}/accounts/sign-in?code=stolen&state=of-somebody-else")
    await expect(page.get_by_role("status")).to_contain_text("not started here")
    assert page.url == f"{site.url}/accounts/sign-in"
    await expect(page.get_by_role("button", name="Continue with GitHub")).to_be_visible()


async def test_what_a_provider_sends_is_read_though_a_tab_was_chosen(page: Page, site: Site) -> None:
    chosen = await hold_back(page, "**/signin.js*")
    sent = f"{site.url}/accounts/sign-in?code=stolen&state=of-somebody-else"
    await page.goto(sent, wait_until="commit")
    await page.get_by_role("tab", name="Code").click()
    chosen.set()
    await expect(page.get_by_role("status")).to_contain_text("not started here")
    assert page.url == f"{site.url}/accounts/sign-in"


async def test_sessions_are_shown_and_ended(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    rows = page.locator("#sessions li")
    await expect(rows).to_have_count(2)
    await expect(rows.filter(has_text="this one")).to_have_count(1)
    await page.get_by_role("button", name="Sign out laptop").click()
    await expect(rows).to_have_count(1)
    await expect(page.get_by_role("button", name="Sign out everywhere else")).to_be_hidden()
    await page.get_by_role("button", name="Sign out", exact=True).click()
    await page.wait_for_url(re.compile(r"/accounts/sign-in$"))
    assert await site.door.accounts.sessions.list(alice) == []


async def test_a_session_has_a_name_that_people_know(browser: Browser, site: Site, alice: str) -> None:
    agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
    page = await browser.new_page(user_agent=agent)
    await sign_in(page, site)
    mine = page.locator("#sessions li").filter(has_text="this one")
    await expect(mine).to_contain_text("Firefox on Windows")
    await expect(mine.get_by_title(agent)).to_be_visible()
    await page.close()


async def test_a_session_that_was_ended_elsewhere_leads_to_the_door(
    page: Page, site: Site, alice: str
) -> None:
    await sign_in(page, site)
    await site.door.accounts.sessions.end_all(alice)
    await page.get_by_role("button", name="Download your data").click()
    await page.wait_for_url(f"{site.url}/accounts/sign-in?next=%2Faccounts%2Faccount")
    assert await page.evaluate("localStorage.length") == 0


async def test_who_pressed_a_button_by_keyboard_stays_there(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    save = page.get_by_role("button", name="Save")
    await save.focus()
    await page.keyboard.press("Space")
    await expect(page.get_by_role("status")).to_have_text("Nothing has changed.")
    await expect(save).to_be_focused()
    await page.get_by_role("button", name="Delete my account").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Type delete to confirm")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Delete my account")).to_be_focused()


async def test_tabs_are_signed_in_and_out_together(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    tabs = [page, *[await page.context.new_page() for _ in range(3)]]
    for tab in tabs[1:]:
        await tab.goto(f"{site.url}/accounts/account")
    for _ in range(3):
        await asyncio.gather(*(tab.reload() for tab in tabs))  # each renews, all at once
        for tab in tabs:
            await expect(tab.get_by_role("heading", level=1)).to_have_text("alice")
    assert len(await site.door.accounts.sessions.list(alice)) == 2  # signed up, signed in
    await page.get_by_role("button", name="Sign out", exact=True).first.click()
    for tab in tabs:
        await tab.wait_for_url(re.compile(r"/accounts/sign-in"))
    await tabs[1].get_by_label("Email, phone or username").fill(EMAIL)
    await tabs[1].get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
    await tabs[1].keyboard.press("Enter")
    for tab in tabs:
        await expect(tab.get_by_role("heading", level=1)).to_have_text("alice")


async def test_a_page_that_is_left_while_it_renews_stays_signed_in(
    page: Page, site: Site, alice: str
) -> None:
    """The server has exchanged the token, and nobody has read its answer."""
    await sign_in(page, site)
    exchanged = asyncio.Event()

    async def lose_the_answer(route: Route) -> None:
        await route.fetch()
        exchanged.set()
        await route.abort()

    await page.route("**/accounts/refresh", lose_the_answer, times=1)
    await page.goto(f"{site.url}/accounts/account")
    await exchanged.wait()
    await page.goto(f"{site.url}/accounts/account")
    await expect(page.get_by_role("heading", level=1)).to_have_text("alice")


async def test_who_is_suspended_is_at_the_door_again(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    await site.door.users.set_status(alice, AccountStatus.SUSPENDED)
    await page.reload()
    await page.wait_for_url(re.compile(r"/accounts/sign-in\?next="))


async def test_the_profile_is_changed(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    await page.get_by_label("Display name").fill("<b>Alice</b>")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("<b>Alice</b>")
    await page.get_by_label("Current password").fill(PASSWORD)
    await page.get_by_label("New password").fill("another good password")
    await page.get_by_role("button", name="Set password").click()
    await expect(page.get_by_role("status")).to_contain_text("Your password is set")
    await expect(page.locator("#sessions li")).to_have_count(1)


async def test_a_new_address_is_confirmed_before_it_counts(page: Page, site: Site) -> None:
    await site.door.accounts.code.send(EMAIL, LAPTOP)
    code = await site.door.code_for(EMAIL)
    alice = await site.door.accounts.code.sign_in(EMAIL, code, LAPTOP)
    await site.door.accounts.password.change(alice.user.id, "", PASSWORD, LAPTOP)
    await page.goto(f"{site.url}/accounts/sign-in")
    await page.get_by_label("Email, phone or username").fill(EMAIL)
    await page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"{site.url}/accounts/account")
    email = page.locator("#profile").get_by_label("Email")
    await expect(email).to_have_value(EMAIL)
    await email.fill("new@example.org")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("as soon as you confirm it")
    await expect(email).to_have_value(EMAIL)
    await expect(page.locator("#confirm-to")).to_have_text("new@example.org")
    await page.get_by_label("Code", exact=True).fill(await site.door.code_for("new@example.org"))
    await page.get_by_role("button", name="Confirm").click()
    await expect(email).to_have_value("new@example.org")
    await expect(page.locator("#confirm")).to_be_hidden()


async def test_data_is_exported_and_the_account_deleted(
    page: Page, site: Site, alice: str, tmp_path: Path
) -> None:
    await sign_in(page, site)
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download your data").click()
    exported = tmp_path / "export.json"
    await (await download.value).save_as(exported)
    assert EMAIL in exported.read_text()
    await expect(page.get_by_role("status")).to_have_text("Your data was exported.")
    await expect(page.get_by_role("status")).to_be_in_viewport()
    await page.get_by_role("button", name="Delete my account").click()
    await page.get_by_role("button", name="Keep it").click()
    await page.get_by_role("button", name="Delete my account").click()
    await page.get_by_label("Type delete to confirm").fill("delete")
    await page.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("heading", name="Good-bye")).to_be_visible()
    assert (await site.door.users.get(alice)).account_status is AccountStatus.DISABLED


@pytest.mark.parametrize("next", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
async def test_nobody_is_sent_elsewhere_after_signing_in(
    page: Page, site: Site, alice: str, next: str
) -> None:
    await page.goto(f"{site.url}/accounts/sign-in?next={next}")
    await page.get_by_label("Email, phone or username").fill(EMAIL)
    await page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"{site.url}/accounts/account")


async def test_tokens_are_not_where_others_could_read_them(page: Page, site: Site, alice: str) -> None:
    await sign_in(page, site)
    assert await page.evaluate("document.cookie") == ""
    assert await page.evaluate("sessionStorage.length") == 0
    assert await page.evaluate("Object.keys(localStorage)") == ["townsquare.session"]
    assert "eyJ" not in await page.evaluate("localStorage.getItem('townsquare.session')")  # an access token
