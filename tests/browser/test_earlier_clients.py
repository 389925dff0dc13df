"""Pages written for the earlier widget system: elements of both its generations, and its names for ours."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.homepage import Homepage
from tests.browser.test_widgets import NASTY, asked, made, no_alarm
from tests.support.servers import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SCRIPTS = Path(__file__).parent / "earlier"
GENERATIONS = ("older", "newer")


def elements(server: Server, *lines: str) -> str:
    scripts = (
        f'<script data-base="{server.url}">{(SCRIPTS / f"{generation}.js").read_text()}</script>'
        for generation in GENERATIONS
    )
    return "".join((*scripts, *lines))


async def deed(page: Page, element: str, method: str, *given: Any) -> Any:
    """Call a method of an element, as its own buttons would."""
    called = "([method, given], one) => one[method](...given)"
    return await page.locator(element).evaluate(
        f"(one, asked) => ({called})(asked, one)", [method, list(given)]
    )


async def test_both_generations_count_like_and_submit_on_one_page(
    page: Page, server: Server, home: Homepage
) -> None:
    alarms = no_alarm(page)
    visit, like = await made(server, "visit"), await made(server, "like")
    rankings = [await made(server, "ranking", title="Heroes") for _ in GENERATIONS]
    home.html = elements(
        server,
        f'<older-counter id="{visit}" data-digits="4"></older-counter>',
        f'<newer-counter id="{visit}"></newer-counter>',
        f'<older-like id="{like}"></older-like><newer-like id="{like}"></newer-like>',
        *(f'<{g}-ranking id="{id}"></{g}-ranking>' for g, id in zip(GENERATIONS, rankings, strict=True)),
    )
    await page.goto(home.url)
    await expect(page.locator("newer-counter")).to_have_text("1")
    drawn = page.locator("older-counter img")
    assert await drawn.evaluate("one => one.decode().then(() => one.naturalWidth)") > 20
    for generation in GENERATIONS:
        button = page.locator(f"{generation}-like button")
        await button.click()
        await expect(button).to_have_text("♥ 1")
        await button.click()
        await expect(button).to_have_text("♡ 0")
        ranking = page.locator(f"{generation}-ranking")
        await expect(ranking.get_by_role("heading")).to_have_text("Heroes")
        await deed(page, f"{generation}-ranking", "submit", "ann", 12, NASTY)
        await expect(ranking.get_by_role("listitem")).to_have_text(f"1 ann {NASTY}")
        assert await ranking.locator("img, script").count() == 0
    assert (await asked(server, "visit", "get", id=visit))["total"] == 1
    assert alarms == []


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_a_message_is_posted_edited_and_deleted(
    page: Page, server: Server, home: Homepage, generation: str
) -> None:
    id = await made(server, "bbs")
    await asked(server, "bbs", "post", user="somebody else", id=id, author="bob", message="before")
    home.html = elements(server, f'<{generation}-bbs id="{id}"></{generation}-bbs>')
    await page.goto(home.url)
    items = page.locator("li")
    await expect(items).to_have_text(["bob: before"])
    message = await deed(page, f"{generation}-bbs", "post", "ann", "hello")
    mine = "ann: hello" if generation == "older" else "ann: hello edit"
    shown = ["bob: before", mine] if generation == "older" else [mine, "bob: before"]
    await expect(items).to_have_text(shown)
    await deed(page, f"{generation}-bbs", "edit", message, "hey")
    await expect(items).to_have_text([text.replace("hello", "hey") for text in shown])
    await deed(page, f"{generation}-bbs", "remove_", message)
    await expect(items).to_have_text(["bob: before"])


async def test_25_messages_are_paged_through_in_both_orders(
    page: Page, server: Server, home: Homepage
) -> None:
    id = await made(server, "bbs", messagesPerPage=10)
    for number in range(25):
        await asked(server, "bbs", "post", user=f"u{number}", id=id, author="a", message=number)
    home.html = elements(server, f'<older-bbs id="{id}"></older-bbs><newer-bbs id="{id}"></newer-bbs>')
    await page.goto(home.url)
    oldest = [f"a: {number}" for number in range(25)]
    newest = oldest[::-1]
    older, newer = page.locator("older-bbs li"), page.locator("newer-bbs li")
    await expect(older).to_have_text(oldest[20:])
    await expect(newer).to_have_text(newest[:10])
    for number in (1, 2, 3):
        some = slice(10 * number - 10, 10 * number)
        await deed(page, "older-bbs", "open", number)
        await deed(page, "newer-bbs", "open", number)
        await expect(older).to_have_text(oldest[some])
        await expect(newer).to_have_text(newest[some])
        await expect(page.locator("p")).to_have_text([f"{number}/3", f"{number}/3"])


@pytest.mark.parametrize("kind", ["", "type=module"])
async def test_the_earlier_names_of_our_elements(
    page: Page, server: Server, home: Homepage, kind: str
) -> None:
    """From another origin, as classic scripts and as modules, each under its earlier address."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "response",
        lambda answer: wrong.append(answer.url) if not answer.ok and server.url in answer.url else None,
    )
    ids = {name: await made(server, name) for name in ("visit", "like", "ranking", "bbs")}
    await asked(server, "ranking", "submit", id=ids["ranking"], name="ann", score=1, displayScore="<b>1</b>")
    await asked(server, "bbs", "post", user="somebody", id=ids["bbs"], message="hello")
    home.html = "".join(
        f'<script {kind} src="{server.url}/components/{name}.js"></script>' for name in ids
    ) + (
        f'<nostalgic-counter id="{ids["visit"]}" digits="3"></nostalgic-counter>'
        f'<nostalgic-counter id="{ids["visit"]}" theme="segment" digits="6"></nostalgic-counter>'
        f'<nostalgic-like id="{ids["like"]}" icon="star"></nostalgic-like>'
        f'<nostalgic-ranking id="{ids["ranking"]}"></nostalgic-ranking>'
        f'<nostalgic-bbs id="{ids["bbs"]}"></nostalgic-bbs>'
    )
    await page.goto(home.url)
    first, second = page.locator("nostalgic-counter").first, page.locator("nostalgic-counter").last
    await expect(first).to_have_text("visits001")
    picture = second.get_by_role("img", name="Visits: 1")
    assert await picture.evaluate("one => one.decode().then(() => one.naturalWidth)") == 6 * 20 + 6
    await expect(page.locator("nostalgic-like").get_by_role("button")).to_have_text("★0")
    await page.locator("nostalgic-like").get_by_role("button").click()
    await expect(page.locator("nostalgic-like").get_by_role("button")).to_have_text("★1")
    await expect(page.locator("nostalgic-ranking").get_by_role("cell").last).to_have_text("<b>1</b>")
    await expect(page.locator("nostalgic-bbs").get_by_role("listitem")).to_contain_text("hello")
    assert wrong == []
