"""axe-core finds nothing serious on any page and in any component, light and dark."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Locator, Page, expect
from pytest_asyncio import fixture

import townsquare.services.widgets as widgets_package
from tests.browser.homepage import homepage
from tests.services.social.client.site import ClientSite, client_site
from tests.services.widgets.given import ID, OTHER_ID, OTHER_URL, TOKEN, URL, visitor
from tests.support.browsers import watched_page
from tests.support.squares import Place
from townsquare.api import AnyEndpoint, HtmlPage
from townsquare.services.threads.mails import REPLIES, MailLinks, MailSubscription
from townsquare.services.widgets.drawing import DIGIT_THEMES, THEMES
from townsquare.services.widgets.models import Select
from townsquare.settings import Settings
from townsquare.square import Square
from townsquare.web.metrics import Metrics
from townsquare.web.system import system_endpoints

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SERIOUS = {"serious", "critical"}
ALL_RULES = {"resultTypes": ["violations"]}
COLOURS = {**ALL_RULES, "runOnly": ["color-contrast"]}  # all that differs between light and dark
MODULES = Path(widgets_package.__path__[0]) / "components" / "modules"
COMPONENTS = sorted({file.stem for file in MODULES.glob("*.js")} - {"shared", "themes"})
UNFOLDED = 3  # of many that are made alike, as on the API's page
UNFOLD = (
    "(most) => [...document.querySelectorAll('details')].slice(0, most).forEach((each) => (each.open = true))"
)
PREVIEW_FOLLOWS = """() => {
  const kind = document.querySelector("[name=kind]:checked");
  return !kind || document.querySelector(`#live > ts-${kind.value}`) !== null;
}"""
FAINT_FIELDS = (Path(__file__).parent / "faint_fields.js").read_text(encoding="utf-8")


@fixture(loop_scope="session")
async def site(plain_place: Place) -> AsyncIterator[ClientSite]:
    async with client_site(plain_place) as site:
        yield site


async def make_widgets(square: Square) -> str:
    """One of each kind with something in it, and one with nothing; the id of a message."""
    widgets = square.widgets
    for url in (URL, OTHER_URL):
        await widgets.counter.create(url, TOKEN)
        await widgets.like.create(url, TOKEN)
        await widgets.ranking.create(url, TOKEN, title="Heroes")
        await widgets.bbs.create(
            url, TOKEN, title="Guests", icons=["😀"], selects=[Select("Mood", ["good"])], messages_per_page=1
        )
    await widgets.ranking.submit(ID, visitor(), "ann", 7)
    await widgets.bbs.post(ID, visitor(1), "hello", selects={"Mood": "good"})
    return (await widgets.bbs.post(ID, visitor(2), "hello again", icon="😀")).message_id or ""


def pages_of(square: Square) -> list[AnyEndpoint]:
    """Every page that is declared anywhere."""
    services = [endpoint for service, built in square.enabled for endpoint in service.endpoints(built)]
    own = system_endpoints(services, {}, Metrics(), Settings(), (), {})
    return [each for each in (*services, *own) if each.method == "GET" and each.output is HtmlPage]


def addresses_of(page: AnyEndpoint, values: dict[str, str]) -> list[str]:
    """Where a page is found. One that takes what has no value here yet fails the test: give it one."""
    if page.path == "/widgets/demo":
        return [f"{page.path}?kind={kind}&id={ID}" for kind in ("counter", "like", "ranking", "bbs")]
    if page.path == "/movies/{id}":
        return ["/movies/1", "/movies?q=a+trial+in+the+rain", "/movies?q=zzzz+1902"]
    asked = [
        field.encode_name
        for field in msgspec.structs.fields(page.input)
        if field.required and f"{{{field.encode_name}}}" not in page.path
    ]
    query = "&".join(f"{name}={values[name]}" for name in asked)
    return [page.path.format_map(values) + (f"?{query}" if query else "")]


async def findings(page: Page, where: str) -> list[str]:
    """What axe-core calls serious, in light and in dark."""
    found: list[str] = []
    for scheme, rules in (("light", ALL_RULES), ("dark", COLOURS)):
        await page.emulate_media(
            color_scheme="light" if scheme == "light" else "dark", reduced_motion="reduce"
        )
        await page.evaluate("new Promise(requestAnimationFrame)")  # listeners have seen the change
        for broken in (await Axe().run(page, options=rules)).response["violations"]:
            if broken["impact"] in SERIOUS:
                nodes = [f"{node['target']} {node['failureSummary']}" for node in broken["nodes"][:3]]
                found.append(f"{where} ({scheme}): {broken['id']}: " + " | ".join(nodes))
        found += [f"{where} ({scheme}): {faint}" for faint in await page.evaluate(FAINT_FIELDS)]
    return found


async def findings_in_every_state(page: Page, where: str) -> list[str]:
    """A page as it comes, with everything unfolded, and with each tab or kind of widget chosen."""
    await page.evaluate(UNFOLD, UNFOLDED)
    found = await findings(page, where)
    choices: Sequence[Locator] = await page.locator("[role=tab], input[name=kind]").all()
    for choice in choices[1:]:
        if not await choice.is_visible():  # for who is signed in, or moderates
            continue
        await choice.click()
        await page.wait_for_function(PREVIEW_FOLLOWS)
        name = await choice.get_attribute("id") or await choice.get_attribute("value")
        found += await findings(page, f"{where} {name}")
    return found


async def is_loaded(page: Page) -> None:
    await page.wait_for_load_state("networkidle")
    await expect(page.locator("[aria-busy=true]")).to_have_count(0)


async def test_no_page_has_a_serious_finding(browser: Browser, site: ClientSite) -> None:
    values = {"id": ID, "messageId": await make_widgets(site.square), "action": "approve"}
    await site.sign_up("alice")
    alice = await site.square.accounts.users.find("alice")
    link = MailLinks(site.square.secret, site.url).unsubscribe(MailSubscription(alice.id, REPLIES))
    values["token"] = link.partition("token=")[2]
    post = await site.bob_posts()
    await site.square.search.wait_until_ready()
    declared = [address for page in pages_of(site.square) for address in addresses_of(page, values)]
    assert {"/", "/docs", "/social", "/widgets", "/accounts/sign-in"} <= set(declared)
    of_social = [f"/social?{query}" for query in (f"post={post}", "tag=nobody", "user=bob", "q=nobody")]
    found: list[str] = []
    async with watched_page(browser) as page:
        for address in (*declared, *of_social, "/nowhere"):
            await page.goto(site.url + address)
            await is_loaded(page)
            found += await findings_in_every_state(page, address)
        await site.sign_in(page, "alice")
        for address in ("/accounts/account", "/social", "/social?user=alice", "/social?feed=bookmarks"):
            await page.goto(site.url + address)
            await is_loaded(page)
            found += await findings_in_every_state(page, f"{address} of a member")
    assert not found, "\n".join(found)


async def test_no_component_has_a_serious_finding(browser: Browser, site: ClientSite) -> None:
    await make_widgets(site.square)
    assert {"counter", "like", "ranking", "bbs"} <= set(COMPONENTS)
    shown = "".join(
        f"<ts-{name} id={id} theme={theme}></ts-{name}>"
        for name in COMPONENTS
        for theme in (*THEMES, *(DIGIT_THEMES if name == "counter" else ()))
        for id in (ID, OTHER_ID)
    )
    missing = "".join(f"<ts-{name} id=nobody-00000000></ts-{name}>" for name in COMPONENTS)
    scripts = "".join(
        f'<script type=module src="{site.url}/components/{name}.js"></script>' for name in COMPONENTS
    )
    async with watched_page(browser) as page, homepage() as home:
        home.html = f"""<title>Home</title>{scripts}
            <style>body {{ background: #fff; color: #111 }}
            @media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} }}</style>
            <main><h1>My page</h1>{shown}{missing}</main>"""
        await page.goto(home.url)
        await page.wait_for_load_state("networkidle")
        found = await findings(page, "components")
    assert not found, "\n".join(found)


async def test_no_link_of_the_header_is_hidden_on_a_narrow_page(browser: Browser, site: ClientSite) -> None:
    name = "a_member_of_thirty_characters_"
    await site.sign_up(name)
    async with watched_page(browser) as page:
        await site.sign_in(page, name)
        for width in (390, 500, 760):
            await page.set_viewport_size({"width": width, "height": 800})
            for link in await page.locator("header.shell").get_by_role("link").all():
                await expect(link).to_be_in_viewport(ratio=1)
