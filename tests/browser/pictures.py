"""python -m tests.browser.pictures: draw the pictures of docs/widgets.md again."""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path

from playwright.async_api import Browser

from tests.browser.homepage import homepage
from tests.support.browsers import chromium
from tests.support.servers import Server, running_server
from townsquare.services.widgets.drawing import THEMES

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
URL, TOKEN = "https://example.com", "correct horse"
PEOPLE = [("Ann", 12_840), ("ボブ", 11_200), ("Chloé", 9_999), ("דנה", 7_050)]
WORDS = ["Hello from the old web!", "ひさしぶりに来ました。\nまた来ます。", "Nice counter <3"]


async def fill(server: Server) -> str:
    async def ask(name: str, action: str, user: str = "somebody", /, **params: object) -> None:
        answer = await server.ask(f"/widgets/{name}", user_agent=user, action=action, **params)
        assert answer.status == 200, answer.text

    id = "example-100680ad"
    moods = json.dumps([{"label": "Mood", "options": ["good", "great"]}])
    await ask("visit", "create", url=URL, token=TOKEN)
    await ask("visit", "set", id=id, token=TOKEN, total=1233)
    await ask("like", "create", url=URL, token=TOKEN)
    await ask("like", "set", id=id, token=TOKEN, total=41)
    await ask("ranking", "create", url=URL, token=TOKEN, title="High scores")
    await ask("bbs", "create", url=URL, token=TOKEN, title="Guest book", icons="😀,🐈,🌸", selects=moods)
    for name, score in PEOPLE:
        await ask("ranking", "submit", name, id=id, name=name, score=score, displayScore=f"{score:,}")
    for (author, _), message, icon in zip(PEOPLE, WORDS, "😀🌸🐈", strict=False):
        await ask("bbs", "post", author, id=id, author=author, message=message, icon=icon)
    return id


async def draw(browser: Browser, server: Server, id: str) -> None:
    page = await browser.new_page(
        viewport={"width": 700, "height": 480}, locale="en-GB", user_agent="painter", timezone_id="UTC"
    )
    async with homepage() as home:
        for theme in THEMES:
            home.html = f"""
                <style>body {{ margin: 14px; width: 660px; font: 15px system-ui }}
                  div {{ display: grid; grid-template-columns: 250px 1fr; gap: 20px; align-items: start }}
                </style>
                {
                "".join(
                    f'<script type=module src="{server.url}/components/{kind}.js"></script>'
                    for kind in ("counter", "like", "ranking", "bbs")
                )
            }
                <div><section><p><ts-counter id={id} theme={theme} digits=6></ts-counter>
                <p><ts-like id={id} theme={theme}></ts-like>
                <p><ts-ranking id={id} theme={theme}></ts-ranking></section>
                <ts-bbs id={id} theme={theme}></ts-bbs></div>"""
            await page.goto(home.url, wait_until="networkidle")
            await page.locator("ts-like").get_by_role("button").click()
            await page.locator("ts-like").get_by_role("button", name="Like: 42").wait_for()
            await page.screenshot(path=PICTURES / f"theme-{theme}.png", full_page=True)
            await page.locator("ts-like").get_by_role("button").click()
            await page.locator("ts-like").get_by_role("button", name="Like: 41").wait_for()
    await draw_svg(browser, server, id)
    await draw_pages(browser, server, id)


async def draw_svg(browser: Browser, server: Server, id: str) -> None:
    page = await browser.new_page(viewport={"width": 680, "height": 350})
    look = f"action=get&format=image&id={id}"
    async with homepage() as home:
        rows = "".join(
            f"<tr><td>{theme}"
            + "".join(
                f'<td><img src="{server.url}/widgets/{name}?{look}&theme={theme}&digits=6">'
                for name in ("visit", "like")
            )
            for theme in THEMES
        )
        lists = "".join(
            f'<img src="{server.url}/widgets/{name}?{look}&theme={theme}">'
            for name, theme in (("ranking", "kawaii"), ("bbs", "dark"))
        )
        home.html = f"""<style>body {{ font: 14px system-ui; display: flex; gap: 20px; margin: 12px }}
            td {{ padding: 4px 10px 4px 0 }} img {{ display: block; margin-bottom: 10px }}</style>
            <table>{rows}</table><div>{lists}</div>"""
        await page.goto(home.url, wait_until="networkidle")
        await page.screenshot(path=PICTURES / "widgets-images.png", full_page=True)


async def draw_pages(browser: Browser, server: Server, id: str) -> None:
    page = await browser.new_page(viewport={"width": 1100, "height": 900})
    await page.goto(f"{server.url}/widgets")
    await page.locator("input[value=ranking]").check()
    await page.get_by_label("Address of your page").fill(URL)
    await page.get_by_label("Owner token").fill(TOKEN)
    await page.get_by_role("radio", name="kawaii").check()
    await page.get_by_role("button", name="Create widget").click()
    await page.locator("#made").wait_for()
    await page.locator("#live").get_by_text("12,840").wait_for()
    await page.evaluate("scrollTo(0, 0)")
    await page.screenshot(path=PICTURES / "widgets-page.png")
    narrow = await browser.new_page(viewport={"width": 420, "height": 700}, java_script_enabled=False)
    await narrow.goto(f"{server.url}/widgets/bbs/{id}")
    await narrow.screenshot(path=PICTURES / "widgets-board-page.png", full_page=True)
    await narrow.goto(f"{server.url}/widgets/like/{id}")
    await narrow.screenshot(
        path=PICTURES / "widgets-like-page.png", clip={"x": 0, "y": 0, "width": 420, "height": 260}
    )


async def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    try:
        async with running_server(folder / "data") as server, chromium() as browser:
            await draw(browser, server, await fill(server))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    asyncio.run(main())
