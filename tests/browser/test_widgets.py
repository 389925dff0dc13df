"""<ts-like>, <ts-ranking> and <ts-bbs> on somebody else's page."""

import itertools
import json
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.homepage import Homepage
from tests.support.servers import Server
from townsquare.services.widgets.drawing import THEMES
from townsquare.services.widgets.drawing.themes import theme_title

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TOKEN = "correct horse"
NUMBERS = itertools.count()
NASTY = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>"
FOREIGN = "שלום \u202eevil 👩‍👩‍👧"
LINES_OF_CELLS = """(row) => [...row.cells].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 4))).size;
})"""


async def made(server: Server, name: str, /, **params: Any) -> str:
    url = f"https://example.com/{name}/{next(NUMBERS)}"
    return str((await asked(server, name, "create", url=url, token=TOKEN, **params))["id"])


async def asked(server: Server, name: str, action: str, /, *, user: str = "tests", **params: Any) -> Any:
    answer = await server.ask(f"/widgets/{name}", user_agent=user, action=action, **params)
    assert answer.status == 200, answer.text
    return answer.json["data"]


def script(server: Server, *names: str) -> str:
    return "".join(f'<script type=module src="{server.url}/components/{name}.js"></script>' for name in names)


def no_alarm(page: Page) -> list[str]:
    alarms: list[str] = []

    async def note(dialog: Any) -> None:
        alarms.append(dialog.message)
        await dialog.dismiss()

    page.on("dialog", note)
    return alarms


async def test_a_like_is_pressed_and_taken_back(page: Page, server: Server, home: Homepage) -> None:
    id = await made(server, "like", icon="star")
    home.html = f"""{script(server, "like")}
        <ts-like id="{id}"></ts-like><ts-like id="{id}" digits=4></ts-like>
        <script>document.addEventListener("ts-liked", event => window.told = event.detail)</script>"""
    await page.goto(home.url)
    first, second = page.locator("ts-like").first, page.locator("ts-like").last
    button = first.get_by_role("button")
    await expect(button).to_have_accessible_name("Like: 0")
    await button.focus()
    await page.keyboard.press("Enter")
    await expect(button).to_have_attribute("aria-pressed", "true")
    await expect(button).to_contain_text("★")
    await expect(second.get_by_role("button")).to_contain_text("0001")
    assert (await page.evaluate("window.told"))["total"] == 1
    await page.reload()
    await expect(button).to_have_attribute("aria-pressed", "true")
    await button.click()
    await expect(button).to_have_accessible_name("Like: 0")
    assert (await asked(server, "like", "get", id=id))["total"] == 0


async def test_fifty_buttons_are_read_in_one_request(page: Page, server: Server, home: Homepage) -> None:
    ids = [await made(server, "like") for _ in range(49)]
    by_url = await asked(server, "like", "create", url=f"{home.url}x", token=TOKEN)
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url) if "/widgets/" in request.url else None)
    buttons = "".join(f'<ts-like id="{id}"></ts-like>' for id in ids)
    home.html = f'{script(server, "like")}{buttons}<ts-like url="{by_url["url"]}"></ts-like>'
    await page.goto(home.url)
    await expect(page.locator("ts-like").get_by_role("button", disabled=False)).to_have_count(50)
    assert asked_for == [f"{server.url}/widgets/like"]


async def test_a_button_that_does_not_exist_cannot_be_pressed(
    page: Page, server: Server, home: Homepage
) -> None:
    home.html = f'{script(server, "like")}<ts-like id="nobody-00000000" lang=ja></ts-like>'
    await page.goto(home.url)
    button = page.locator("ts-like").get_by_role("button")
    await expect(button).to_be_disabled()
    await expect(button).to_have_accessible_name("いいねを表示できません")


async def test_a_ranking_shows_its_best(page: Page, server: Server, home: Homepage) -> None:
    id = await made(server, "ranking", title="Heroes")
    for name, score in (("ann", 1), ("bob", 3), ("cat", 2)):
        await asked(server, "ranking", "submit", user=name, id=id, name=name, score=score)
    home.html = f"""{script(server, "ranking")}
        <ts-ranking id="{id}"></ts-ranking><ts-ranking id="{id}" limit=1 lang=ja></ts-ranking>"""
    await page.goto(home.url)
    table = page.locator("ts-ranking").first.get_by_role("table", name="Heroes")
    await expect(table.get_by_role("row")).to_have_text(["RankNameScore", "1bob3", "2cat2", "3ann1"])
    short = page.locator("ts-ranking").last.get_by_role("row")
    await expect(short).to_have_text(["順位名前スコア", "1bob3"])
    entered = await page.locator("ts-ranking").first.evaluate("one => one.submit('dan', 9, 'nine')")
    assert (entered["accepted"], entered["rank"]) == (True, 1)
    await expect(table.get_by_role("row").nth(1)).to_have_text("1dannine")


async def test_a_message_is_written_edited_and_removed(page: Page, server: Server, home: Homepage) -> None:
    id = await made(
        server,
        "bbs",
        title="Guests",
        icons="😀,😎",
        selects=json.dumps([{"label": "Mood", "options": ["good", "bad"]}]),
    )
    home.html = f'{script(server, "bbs")}<ts-bbs id="{id}"></ts-bbs>'
    await page.goto(home.url)
    board = page.locator("ts-bbs")
    await expect(board.get_by_role("heading", name="Guests")).to_be_visible()
    await board.get_by_label("Name").fill("ann")
    await board.get_by_label("Icon").select_option("😎")
    await board.get_by_label("Mood").select_option("good")
    await board.get_by_label("Message").fill("hello\nworld")
    await board.get_by_role("button", name="Post").click()
    item = board.get_by_role("listitem").first
    await expect(item).to_contain_text("hello")
    await expect(item).to_contain_text("Mood: good")
    await expect(board.get_by_role("status")).to_have_text("Posted")
    await board.get_by_label("Message").fill("too soon")
    await board.get_by_role("button", name="Post").click()
    await expect(board.get_by_role("status")).to_contain_text("Not so fast")
    await expect(board.get_by_label("Message")).to_have_value("too soon")
    await page.reload()
    await item.get_by_role("button", name="Edit").click()
    await item.get_by_label("Message").fill("edited")
    await item.get_by_role("button", name="Save").click()
    await expect(item).to_contain_text("edited")
    await expect(item).to_contain_text("😎")
    page.once("dialog", lambda dialog: dialog.accept())
    await item.get_by_role("button", name="Delete").click()
    await expect(item).to_contain_text("No messages yet")


async def test_others_messages_cannot_be_edited_and_pages_turn(
    page: Page, server: Server, home: Homepage
) -> None:
    id = await made(server, "bbs", messagesPerPage=2)
    for number in range(3):
        await asked(server, "bbs", "post", user=f"u{number}", id=id, message=f"m{number}")
    home.html = f'{script(server, "bbs")}<ts-bbs id="{id}" lang=ja></ts-bbs>'
    await page.goto(home.url)
    board = page.locator("ts-bbs")
    await expect(board.get_by_role("listitem")).to_have_count(2)
    await expect(board.get_by_role("listitem").get_by_role("button")).to_have_count(0)
    await board.get_by_role("button", name="古い").click()
    await expect(board.get_by_role("listitem")).to_have_count(1)
    await expect(board.get_by_role("listitem")).to_contain_text("m0")
    await expect(board).to_contain_text("2 / 2 ページ")
    await board.get_by_role("button", name="新しい").click()
    await expect(board.get_by_role("listitem")).to_have_count(2)


@pytest.mark.parametrize("text", [NASTY, FOREIGN])
async def test_text_is_shown_as_text(page: Page, server: Server, home: Homepage, text: str) -> None:
    alarms = no_alarm(page)
    short = text[:16].strip()
    like = await made(server, "like", icon=short)
    ranking = await made(server, "ranking", title=text)
    await asked(server, "ranking", "submit", id=ranking, name=text[:50], score=1, displayScore=text)
    selects = json.dumps([{"label": text[:50], "options": [text[:50]]}])
    bbs = await made(server, "bbs", title=text, icons=short, selects=selects)
    chosen = json.dumps({text[:50]: text[:50]})
    await asked(
        server, "bbs", "post", id=bbs, message=text, author=text[:20].strip(), icon=short, selects=chosen
    )
    home.html = f"""{script(server, "like", "ranking", "bbs")}<ts-like id="{like}"></ts-like>
        <ts-ranking id="{ranking}"></ts-ranking><ts-bbs id="{bbs}"></ts-bbs>"""
    await page.goto(home.url)
    await expect(page.locator("ts-like").get_by_role("button")).to_contain_text(short)
    await expect(page.locator("ts-ranking").get_by_role("cell").first).to_have_text(text[:50])
    await expect(page.locator("ts-ranking").get_by_role("cell").last).to_have_text(text)
    await expect(page.locator("ts-bbs").get_by_role("listitem").locator("p")).to_have_text(text)
    await expect(page.locator("ts-bbs").locator("header b")).to_have_text(text[:20].strip())
    assert await page.locator("script:not([src]), img").count() == 0
    assert alarms == []


async def test_numbers_stay_whole_beside_long_names_and_nothing_leaves_its_frame(
    page: Page, server: Server, home: Homepage
) -> None:
    id = await made(server, "ranking")
    for score, name, shown in ((3, "n" * 50, "12,840"), (2, "bob", "11,200"), (1, "zoe", "x" * 100)):
        await asked(server, "ranking", "submit", user=name, id=id, name=name, score=score, displayScore=shown)
    home.html = f"""{script(server, "ranking")}<style>ts-ranking {{ width: 260px }}</style>
        <ts-ranking id="{id}"></ts-ranking>"""
    await page.set_viewport_size({"width": 390, "height": 800})
    for address, width in ((home.url, 260), (f"{server.url}/widgets/ranking/{id}", 390)):
        await page.goto(address)
        table = page.get_by_role("table")
        heads, numbers = table.locator("thead tr"), table.locator("tbody tr").nth(1)
        assert [await row.evaluate(LINES_OF_CELLS) for row in (heads, numbers)] == [[1, 1, 1], [1, 1, 1]]
        assert await table.evaluate("(table) => table.offsetWidth") <= width


@pytest.mark.parametrize("name", ["counter", "like", "ranking", "bbs"])
async def test_no_attribute_becomes_markup(page: Page, server: Server, home: Homepage, name: str) -> None:
    alarms = no_alarm(page)
    home.html = f"{script(server, name)}<ts-{name} id=x></ts-{name}>"
    await page.goto(home.url)
    element = page.locator(f"ts-{name}")
    for attribute in ("id", "url", "type", "theme", "digits", "format", "limit", "page", "lang"):
        await element.evaluate(
            "(one, [name, value]) => one.setAttribute(name, value)",
            [attribute, NASTY],
        )
    await page.wait_for_load_state("networkidle")
    shown = await element.evaluate("one => one.shadowRoot.innerHTML")
    assert "onerror" not in shown
    assert "alert" not in shown
    assert alarms == []


async def test_widgets_work_where_inline_styles_are_forbidden(page: Page, server: Server) -> None:
    """Our own pages have a strict policy, as careful sites do."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    id = await made(server, "like")
    await page.goto(f"{server.url}/widgets/demo?kind=like&id={id}")
    retro = page.locator("ts-like[theme=retro]").get_by_role("button")
    await expect(retro).to_have_css("background-color", "rgb(0, 0, 0)")
    assert complaints == []


async def test_a_person_makes_a_widget_and_copies_the_line(
    page: Page, server: Server, home: Homepage
) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    await page.goto(f"{server.url}/widgets")
    for kind in ("counter", "like", "ranking", "bbs"):
        await page.locator(f"input[value={kind}]").check()
        await expect(page.locator("#made")).to_be_hidden()
        await page.get_by_label("Address of your page").fill(f"https://example.com/made/{next(NUMBERS)}")
        await page.get_by_role("button", name="Generate").click()
        await page.get_by_role("radio", name="dark").check()
        await page.get_by_role("button", name="Create widget").click()
        await expect(page.locator("#result")).to_contain_text("Created: example-")
        element = page.locator(f"#live ts-{kind}")
        await expect(element).to_have_attribute("theme", "dark")
        snippet = await page.locator("#snippet").inner_text()
        plain = await page.locator("#plain").inner_text()
        assert f"<ts-{kind}" in snippet
        token = await page.get_by_label("Owner token").input_value()
        await expect(page.locator("#made")).to_contain_text(
            f"Keep this. Your owner token, to change or delete the widget later: {token}"
        )
        copy = page.locator(".snippet", has=page.locator("#snippet"))
        await copy.get_by_role("button", name="Copy").click()
        await expect(copy.get_by_role("status")).to_have_text("Copied")
        assert await page.evaluate("navigator.clipboard.readText()") == snippet
        home.html = snippet + plain
        other = await page.context.new_page()
        await other.goto(home.url)
        await expect(other.locator(f"ts-{kind}")).to_be_visible()
        image = other.locator("img")
        assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 20
        await other.close()
    assert complaints == []


async def test_a_widget_is_seen_in_every_theme_before_it_is_made(page: Page, server: Server) -> None:
    made: list[str] = []
    page.on("request", lambda request: made.append(request.url) if request.method == "POST" else None)
    await page.goto(f"{server.url}/widgets")
    await expect(page.locator("#live ts-counter")).to_contain_text("12345")
    await page.get_by_role("radio", name="nixie").check()
    await expect(page.locator("#live ts-counter img")).to_have_attribute("src", re.compile("^data:image/svg"))
    await page.get_by_role("radio", name="Like button").check()
    await expect(page.get_by_role("radio", name="nixie")).to_be_hidden()
    await page.locator("#live").get_by_role("button", name="Like: 41").click()
    await expect(page.locator("#live").get_by_role("button", name="Like: 42")).to_be_visible()
    await page.get_by_role("radio", name="Ranking").check()
    await page.get_by_text("More options").click()
    await page.get_by_label("Title").fill("Heroes")
    await expect(page.locator("#live caption")).to_have_text("Heroes")
    for theme in THEMES:
        await page.get_by_role("radio", name=theme_title(theme), exact=True).check()
        colour = re.compile(
            ", ".join(str(int(THEMES[theme].accent[place : place + 2], 16)) for place in (1, 3, 5))
        )
        await expect(page.locator("#live caption")).to_have_css("background-color", colour)
    await page.get_by_role("radio", name="Bulletin board").check()
    await page.locator("#live").get_by_label("Message").fill("Only a try")
    await page.locator("#live").get_by_role("button", name="Post").click()
    await expect(page.locator("#live").get_by_role("listitem").first).to_contain_text("Only a try")
    assert made == []


async def test_a_wrong_address_is_said_and_nothing_is_made(page: Page, server: Server) -> None:
    await page.goto(f"{server.url}/widgets")
    await page.get_by_label("Address of your page").fill("https://example.com/taken")
    await page.get_by_label("Owner token").fill("correct horse")
    await page.get_by_role("button", name="Create widget").click()
    await expect(page.locator("#result")).to_contain_text("Created: example-")
    await page.get_by_label("Owner token").fill("another horse")
    await page.get_by_role("button", name="Create widget").click()
    await expect(page.locator("#result")).to_have_text("The token is not this widget's owner token")


async def test_without_javascript_a_like_and_a_board_still_work(browser: Browser, server: Server) -> None:
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    like, bbs = await made(server, "like"), await made(server, "bbs", title="Guests")
    await page.goto(f"{server.url}/widgets/like/{like}")
    await page.get_by_role("button").click()
    await expect(page.get_by_role("button")).to_contain_text("1")
    await page.goto(f"{server.url}/widgets/bbs/{bbs}")
    await page.get_by_label("Name").fill("ann")
    await page.get_by_label("Message").fill("no script")
    await page.get_by_role("button", name="Post").click()
    await expect(page.get_by_role("listitem")).to_contain_text("no script")
    await expect(page.get_by_role("status")).to_contain_text("Keep this token")
    await context.close()
