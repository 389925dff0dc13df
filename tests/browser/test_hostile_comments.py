"""Comments, names, addresses and names of sites that try to run something, wherever they are shown."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace
from playwright.async_api import Dialog, Page, Route, expect
from pytest_asyncio import fixture

from tests.browser.blog import Blog, open_blog
from tests.services.threads.xss_payloads import PAYLOADS, URLS
from tests.support.servers import Server
from townsquare.api import Identity
from townsquare.problems import Invalid
from townsquare.services.accounts.mails import Mails
from townsquare.services.accounts.models import UserRole
from townsquare.services.social import keys as social_keys
from townsquare.services.threads.content import BadContent, render
from townsquare.services.threads.mails import AlertItem, alert_mail, comments_mail
from townsquare.services.threads.models.comments import RecentComment
from townsquare.services.threads.models.sites import Viewer
from townsquare.services.threads.problems import RefusedAsSpam
from townsquare.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TOGETHER = 20  # payloads in one comment that waits for moderators
# what in a page could run, by its attribute or its kind
DANGERS = r"""(root) => [...root.querySelectorAll("*")].flatMap((element) => [
  ...[...element.attributes].filter(({ name, value }) =>
    name.startsWith("on") || name === "srcdoc" ||
    (["href", "src", "action", "formaction"].includes(name) && !/^(https?:|mailto:|\/|#|$)/i.test(value))),
  ...(element.matches(".text :is(script, iframe, object, embed, base, meta, link, style, svg, math, form)")
    ? [element.tagName] : []),
]).map((found) => found.value ?? found)"""
# a reader of feeds that takes every text for HTML
READER = """(feed) => {
  const root = document.body.appendChild(document.createElement("main"));
  const parsed = new DOMParser().parseFromString(feed, "text/xml");
  for (const part of parsed.querySelectorAll("title, description")) {
    root.appendChild(document.createElement("div")).innerHTML = part.textContent;
  }
  return root.querySelectorAll("div").length;
}"""


@fixture(loop_scope="session")
async def blog(server: Server) -> AsyncIterator[Blog]:
    async with open_blog(server) as blog:
        blog.embed()
        yield blog


@fixture(loop_scope="session")
async def alarms(page: Page, server: Server) -> list[str]:
    """What a text made the browser say. Pictures from elsewhere are not asked for."""
    heard: list[str] = []
    page.on("dialog", lambda dialog: asyncio.ensure_future(noted(dialog, heard)))

    async def only_near(route: Route) -> None:
        await (route.continue_() if "//127.0.0.1:" in route.request.url else route.abort())

    await page.route("**/*", only_near)
    return heard


async def hostile_authors(blog: Blog) -> list[Viewer]:
    return [
        await blog.commenter(f"author{number}", name=text, avatar_url=url)
        for number, (text, url) in enumerate(zip(PAYLOADS, URLS, strict=False))
        if "\0" not in text + url
    ]


async def test_nothing_that_people_write_is_ever_run(page: Page, blog: Blog, alarms: list[str]) -> None:
    await blog.settings(max_links=0)
    await blog.threads.sites.change(blog.site.id, name=PAYLOADS[0][:100])
    texts = distinct(PAYLOADS)
    authors = await hostile_authors(blog)
    await blog.account("mod", "moderator")

    async def thread(place: int) -> int:
        """A root and replies of one payload each, as few parts as possible for the browser to read."""
        author = replace(authors[place % len(authors)], role="moderator")  # nothing is refused as spam
        root = await blog.comment(author, f"payloads from {place}")
        share = texts[place : place + 10]
        made = await asyncio.gather(*(written(blog, author, text, root.id) for text in share))
        return sum(made)

    count = sum([await thread(place) for place in range(0, len(texts), 10)])
    assert count > 600
    widget = await blog.open(page)
    more = widget.get_by_role("button", name="Show more comments")
    while await more.is_visible():
        before = await widget.locator("article").count()
        await more.click()
        await expect(widget.locator("article").nth(before)).to_be_attached(timeout=30_000)
    assert await widget.locator("li article .text").count() >= count
    assert await widget.evaluate(f"(widget) => ({DANGERS})(widget.shadowRoot)") == []

    address = f"{blog.server.url}/threads/v1/embed?site={blog.site.api_key_public}&page_url={blog.home.url}"
    await page.goto(address)
    seen = await page.locator("article").count()
    while await page.get_by_role("link", name="Older comments").count():
        assert await page.evaluate(f"({DANGERS})(document.body)") == []
        async with page.expect_navigation():  # the page is whole before it is counted
            await page.get_by_role("link", name="Older comments").click()
        seen += await page.locator("article").count()
    assert seen >= count

    await blog.settings(max_links=0, moderation="pre")
    shares = [texts[place : place + TOGETHER] for place in range(0, len(texts), TOGETHER)]
    for number, share in enumerate(shares):
        await blog.comment(authors[number], "\n\n".join([f"number {number}", *share]))
    await blog.desk(page, "mod")
    await expect(page.get_by_role("article")).to_have_count(len(shares))
    assert await page.evaluate(f"({DANGERS})(document.getElementById('items'))") == []
    assert not alarms


def distinct(payloads: Sequence[str]) -> list[str]:
    """Those that become different HTML: a browser cannot tell the others apart."""
    found: dict[str, str] = {}
    for text in payloads:
        with contextlib.suppress(BadContent):
            found.setdefault(render(text).html, text.replace("\0", ""))
    return [*found.values()]


async def written(blog: Blog, viewer: Viewer, text: str, parent: str | None = None) -> bool:
    try:
        await blog.comment(viewer, text, parent)
    except (Invalid, RefusedAsSpam):  # nothing of it is kept
        return False
    return True


async def noted(dialog: Dialog, alarms: list[str]) -> None:
    alarms.append(dialog.message)
    await dialog.dismiss()


async def hostile_comments(blog: Blog) -> int:
    """All payloads in few comments; answers how many comments."""
    texts = distinct(PAYLOADS)
    shares = [texts[place : place + TOGETHER] for place in range(0, len(texts), TOGETHER)]
    authors = await hostile_authors(blog)
    for number, share in enumerate(shares):
        await blog.comment(authors[number], "\n\n".join([f"number {number}", *share]))
    return len(shares)


async def shown_as_xml(page: Page, body: bytes) -> None:
    async def fulfil(route: Route) -> None:
        await route.fulfill(body=body, content_type="text/xml; charset=utf-8")

    await page.route("**/as-browsers-show-it", fulfil)


async def test_feeds_run_nothing(page: Page, blog: Blog, alarms: list[str]) -> None:
    await blog.settings(max_links=0)
    await blog.threads.sites.change(blog.site.id, name=PAYLOADS[0][:100])
    count = await hostile_comments(blog)
    site = {"site": blog.site.api_key_public}
    for asked in (site, {**site, "page_url": blog.home.url}):
        feed = await blog.server.ask("/threads/v1/feed.xml", **asked)
        await page.goto("about:blank")
        assert await page.evaluate(READER, feed.text) == 2 * count + 2
        assert await page.evaluate(f"({DANGERS})(document.body)") == []
        await shown_as_xml(page, feed.body)
        await page.goto(f"{blog.server.url}/as-browsers-show-it")
        assert "number 0" in await page.content()
    assert not alarms


async def test_mails_run_nothing(page: Page, blog: Blog, alarms: list[str]) -> None:
    await blog.settings(max_links=0, moderation="pre")
    count = await hostile_comments(blog)
    owner = Viewer(site_id=blog.site.id, owner=True)
    queued = (await blog.threads.moderation.queue(owner, limit=100)).items
    assert len(queued) == count
    items = [RecentComment(comment=one.comment, page_url=one.page_url) for one in queued]
    mails = Mails(Settings())
    link = "https://square.example.org/threads/moderate?token=x"
    for name in PAYLOADS[::60]:  # of the site
        for mail in (
            comments_mail(mails, "ann@example.org", f"for you on {name}", items, {}, link),
            alert_mail(mails, "ann@example.org", name, [AlertItem(one, link) for one in queued]),
        ):
            await page.set_content(mail.html)
            assert await page.locator(".item").count() >= count
            assert await page.evaluate(f"({DANGERS})(document.body)") == []
    assert not alarms


async def test_names_of_sites_run_nothing(page: Page, blog: Blog, alarms: list[str]) -> None:
    ann = await blog.account("ann")
    await blog.square.accounts.users.set_role(str(ann.user_id), UserRole.ADMIN)
    made = []
    for text in PAYLOADS[::5]:
        with contextlib.suppress(Invalid):
            made.append(await blog.threads.sites.create(text[:100], "blog.example.org"))
    assert len(made) > 200
    await blog.enter(page, "ann", "/threads")
    more = page.get_by_role("button", name="Show more sites")
    await expect(more).to_be_visible()
    while await page.locator("#rows li").count() < len(made):
        before = await page.locator("#rows li").count()
        await more.click()
        await expect(page.locator("#rows li").nth(before)).to_be_attached()
    assert await page.evaluate(f"({DANGERS})(document.body)") == []
    for site in made[::20]:
        await page.goto(f"{blog.server.url}/threads/moderation?{urlencode({'site': site.api_key_public})}")
        await expect(page.locator("#site")).not_to_have_text("Held comments and reports of your sites.")
        assert await page.evaluate(f"({DANGERS})(document.body)") == []
    assert not alarms


async def test_the_social_client_runs_nothing(page: Page, blog: Blog, alarms: list[str]) -> None:
    """Comments below a post, by people whose names and pictures are hostile too."""
    authors = await hostile_authors(blog)
    social, posts = blog.square.social, blog.threads.posts
    for number, (author, text) in enumerate(zip(authors, PAYLOADS, strict=False)):
        user = await blog.square.accounts.users.get(str(author.user_id))
        fields = {"avatar": URLS[number], "display_name": text, "bio": text, "website": URLS[number]}
        given = [part for pair in fields.items() for part in pair]
        await social.posts.create(str(user.username), text.replace("\0", "")[:200])
        await blog.square.store.call("HSET", social_keys.users.user(str(user.username)), *given)
    texts = distinct(PAYLOADS)
    name = str((await blog.square.accounts.users.get(str(authors[0].user_id))).username)
    post = await social.posts.create(name, "look")
    writer = Identity(str(authors[0].user_id), name)
    for place in range(0, len(texts), TOGETHER):
        await posts.create(post.id, writer, "\n\n".join(texts[place : place + TOGETHER]))
    await page.goto(f"{blog.server.url}/social?post={post.id}")
    more = page.get_by_role("button", name="Show more comments")
    await expect(page.locator(".comments li").first).to_be_visible()
    while await more.is_visible():
        before = await page.locator(".comments li").count()
        await more.click()
        await expect(page.locator(".comments li").nth(before)).to_be_attached()
    assert await page.locator(".comments li").count() == len(range(0, len(texts), TOGETHER))
    assert await page.evaluate(f"({DANGERS})(document.body)") == []
    for address in ("/social", f"/social?user={name}"):
        await page.goto(blog.server.url + address)
        await expect(page.locator(".post").first).to_be_visible()
        assert await page.evaluate(f"({DANGERS})(document.body)") == []
    assert not alarms
