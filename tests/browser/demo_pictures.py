"""python -m tests.browser.demo_pictures: take the pictures of README and the guide from the demo data."""

import asyncio
import base64
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from msgspec.structs import replace
from playwright.async_api import Browser, Page

from tests.browser.homepage import Homepage, homepage
from tests.support.browsers import chromium
from tests.support.servers import Server, running_server
from townsquare.cli.demo import HOME, SITE_ID, add_demo
from townsquare.settings import Settings
from townsquare.square import open as open_square

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
Scheme = Literal["light", "dark"]
THEMES: dict[Scheme, str] = {"light": "kawaii", "dark": "dark"}
COLOURS: dict[Scheme, str] = {"light": "#f3f4f6;color:#111", "dark": "#0d1117;color:#e6edf3"}
QUALITY = 0.82
TO_WEBP = """async ([data, quality]) => {
    const picture = new Image(); picture.src = "data:image/png;base64," + data; await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"),
        { width: picture.width, height: picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


async def allow(settings: Settings, home: Homepage) -> tuple[str, str]:
    """Allow the page to embed the comments of the blog. Returns its public key, and the id of its widgets."""
    async with open_square(settings=settings, background=False) as square:
        site = await square.threads.sites.get(SITE_ID)
        allowed = replace(site.settings, allowed_origins=(home.url.rstrip("/"),))
        await square.threads.sites.change(SITE_ID, settings=allowed)
        return site.api_key_public, await square.widgets.counter.find(HOME)


async def widget_page(page: Page, home: Homepage, server: Server, scheme: Scheme, id: str) -> bytes:
    kinds = ("counter", "like", "ranking", "bbs")
    scripts = "".join(
        f'<script type=module src="{server.url}/components/{kind}.js"></script>' for kind in kinds
    )
    home.html = f"""<style>body {{ margin: 0; padding: 14px; font: 15px system-ui;
        background: {COLOURS[scheme]} }}</style>{scripts}
        <p><ts-counter id={id} theme={THEMES[scheme]} digits=7></ts-counter>
        <ts-like id={id} theme={THEMES[scheme]}></ts-like></p>
        <ts-ranking id={id} theme={THEMES[scheme]} limit=5></ts-ranking>
        <ts-bbs id={id} theme={THEMES[scheme]}></ts-bbs>"""
    await page.set_viewport_size({"width": 380, "height": 860})
    await page.goto(home.url, wait_until="networkidle")
    return await page.screenshot()


async def comments_page(page: Page, home: Homepage, server: Server, scheme: Scheme, key: str) -> bytes:
    home.html = f"""<style>body {{ margin: 0; padding: 14px 18px; font: 15px system-ui;
        background: {COLOURS[scheme]} }}</style>
        <script type=module src="{server.url}/components/comments.js"></script>
        <ts-comments site="{key}" url="{HOME}bread-without-hurry" theme={scheme}></ts-comments>"""
    await page.set_viewport_size({"width": 560, "height": 860})
    await page.goto(home.url, wait_until="networkidle")
    await page.get_by_text("Author here").wait_for()
    await page.evaluate("document.querySelector('ts-comments').scrollIntoView()")
    return await page.screenshot()


async def draw(browser: Browser, server: Server, home: Homepage, key: str, id: str) -> None:
    for scheme in THEMES:
        page = await browser.new_page(color_scheme=scheme, locale="en-GB", timezone_id="UTC")
        await page.set_viewport_size({"width": 760, "height": 1000})
        await page.goto(f"{server.url}/social", wait_until="networkidle")
        feed = await page.screenshot()
        parts = [feed, await comments_page(page, home, server, scheme, key)]
        parts.append(await widget_page(page, home, server, scheme, id))
        shown = "".join(
            f'<img src="data:image/png;base64,{base64.b64encode(part).decode()}" style="height:640px">'
            for part in parts
        )
        await page.goto("about:blank")  # without the policy of a page
        await page.set_viewport_size({"width": 1268, "height": 680})
        await page.set_content(
            f"""<style>body {{ margin: 0; padding: 20px; display: flex; gap: 20px;
            background: {COLOURS[scheme]} }}
            img {{ border-radius: 12px; box-shadow: 0 2px 12px #0005 }}</style>{shown}"""
        )
        await save(page, await page.screenshot(), f"readme-{scheme}")
        await page.close()


async def save(page: Page, picture: bytes, name: str) -> None:
    """As WebP, a third of the size."""
    packed = await page.evaluate(TO_WEBP, [base64.b64encode(picture).decode(), QUALITY])
    (PICTURES / f"{name}.webp").write_bytes(base64.b64decode(packed))


async def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    try:
        async with running_server(folder / "data") as server, chromium() as browser, homepage() as home:
            await add_demo(server.settings(), server.url)
            await draw(browser, server, home, *await allow(server.settings(), home))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    asyncio.run(main())
