"""<ts-comments> on somebody else's page: the whole story, by mouse and by keyboard."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from playwright.async_api import Browser, Locator, Page, expect
from pytest_asyncio import fixture

from tests.browser.blog import Blog, open_blog, reader
from tests.browser.test_accessibility import findings
from tests.support.servers import Server
from tests.support.waiting import until
from townsquare.services.accounts.models import UserRole
from townsquare.services.threads.models.sites import Viewer

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SSO_KEY = "k" * 40
Scheme = Literal["light", "dark"]
FOCUSED = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused.getAttribute("aria-label") || focused.textContent;
}"""


@fixture(loop_scope="session")
async def blog(server: Server) -> AsyncIterator[Blog]:
    async with open_blog(server) as blog:
        blog.embed()
        yield blog


async def seen_as(page: Page, scheme: Scheme, width: int) -> None:
    await page.emulate_media(color_scheme=scheme)
    await page.set_viewport_size({"width": width, "height": 900})


def article(widget: Locator, text: str) -> Locator:
    return widget.get_by_role("article").filter(has=widget.page.get_by_text(text, exact=True))


async def choose(widget: Locator, text: str, action: str) -> None:
    """From the menu of the comment with this text."""
    comment = article(widget, text)
    await comment.locator("summary").click()
    await comment.get_by_role("button", name=action).click()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
async def test_the_whole_story_by_mouse(
    page: Page, browser: Browser, blog: Blog, scheme: Scheme, width: int
) -> None:
    await seen_as(page, scheme, width)
    await blog.account("bob")
    widget = await blog.open(page)
    await expect(widget).to_contain_text("No comments yet")
    email = f"ann-{blog.home.port}@example.org"
    await widget.get_by_role("button", name="Sign in", exact=True).click()
    await widget.get_by_label("Email").fill(email)
    await widget.get_by_role("button", name="Send me a code").click()
    await widget.get_by_label("The six digits").fill(await blog.code_for(email))
    await widget.get_by_role("button", name="Continue").click()
    await widget.get_by_role("dialog").get_by_label("Your name").fill("Ann")
    await widget.get_by_role("button", name="Save").click()
    await expect(widget.get_by_role("dialog")).to_have_count(0)
    await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()

    await widget.get_by_role("textbox", name="Write a comment").fill("Hello **world**")
    await widget.get_by_role("button", name="Preview").click()
    await expect(widget.get_by_role("region", name="Preview").locator("strong")).to_have_text("world")
    await widget.get_by_role("button", name="Post").click()
    await expect(widget.get_by_role("heading", level=2)).to_have_text("1 comment")
    await expect(widget.get_by_role("article", name="Comment by Ann")).to_contain_text("Hello world")
    await expect(widget.get_by_role("article", name="Comment by Ann")).to_be_focused()

    async with reader(browser, blog, "bob") as other:
        theirs = other.locator("ts-comments")
        await theirs.get_by_role("button", name="Vote up").click()
        await expect(theirs.get_by_role("button", name="Vote up")).to_have_attribute("aria-pressed", "true")
        await expect(theirs.get_by_role("group", name="1 point")).to_be_visible()
        await theirs.get_by_role("button", name="Reply", exact=True).click()
        await theirs.get_by_role("textbox", name="Reply to Ann").fill("first reply")
        await theirs.locator(".editor").get_by_role("button", name="Reply", exact=True).click()
        await expect(article(theirs, "first reply")).to_be_visible()
        await choose(theirs, "first reply", "Edit")
        await theirs.get_by_role("textbox", name="Edit").fill("better reply")
        await theirs.get_by_role("button", name="Save").click()
        await expect(article(theirs, "better reply")).to_contain_text("edited")

    await page.reload()
    await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()  # it is kept
    await expect(article(widget, "better reply")).to_be_visible()
    await expect(widget.get_by_role("group", name="1 point")).to_be_visible()
    mine = widget.get_by_role("article", name="Comment by Ann")
    await mine.locator("summary").click()
    await mine.get_by_role("button", name="Delete").click()
    await expect(widget.get_by_role("dialog")).to_contain_text("Its replies stay")
    await widget.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(widget.get_by_role("article", name="This comment was deleted")).to_be_visible()
    await expect(widget.get_by_role("heading", level=2)).to_have_text("1 comment")
    await widget.get_by_role("button", name="Sign out").click()
    await expect(widget.get_by_role("button", name="Sign in", exact=True)).to_be_focused()


async def press(page: Page, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def tab_to(page: Page, label: str) -> None:
    """Forward, as often as it takes to come to what has this label."""
    for _ in range(60):
        if label in await page.evaluate(FOCUSED):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {label!r}")


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1440), ("light", 390)])
async def test_the_whole_story_by_keyboard(page: Page, blog: Blog, scheme: Scheme, width: int) -> None:
    await seen_as(page, scheme, width)
    bob = await blog.account("bob")
    await blog.account("ann")
    await blog.comment(bob, "from bob")
    widget = await blog.open(page)
    await tab_to(page, "Sign in")
    await press(page, "Enter")
    await tab_to(page, "Password")
    await press(page, "Enter")
    await page.keyboard.type(blog.name("ann"))
    await press(page, "Tab")
    await page.keyboard.type("correct horse battery")
    await press(page, "Enter")
    await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()

    await tab_to(page, "Write a comment")
    await page.keyboard.type("by keyboard")
    await press(page, "Control+Enter")
    mine = article(widget, "by keyboard")
    await expect(mine).to_be_focused()
    await expect(widget.get_by_role("status")).to_have_text("Your comment is posted")

    await tab_to(page, f"More for the comment by {blog.name('ann')}")
    await press(page, "Enter")
    await tab_to(page, "Edit")
    await press(page, "Enter", "Control+A")
    await page.keyboard.type("by keyboard only")
    await press(page, "Control+Enter")
    mine = article(widget, "by keyboard only")
    await expect(mine.locator("summary")).to_be_focused()

    theirs = article(widget, "from bob")
    await theirs.focus()
    await tab_to(page, "Vote up")
    await press(page, "Enter")
    up = theirs.get_by_role("button", name="Vote up")
    await expect(up).to_have_attribute("aria-pressed", "true")
    await expect(up).to_be_focused()
    await press(page, "Enter")
    await expect(up).to_have_attribute("aria-pressed", "false")
    await tab_to(page, "Reply")
    await press(page, "Enter")
    await page.keyboard.type("not yet")
    await press(page, "Escape")
    await expect(theirs.get_by_role("button", name="Reply")).to_be_focused()
    await press(page, "Enter")
    await page.keyboard.type("an answer")
    await press(page, "Control+Enter")
    await expect(article(widget, "an answer")).to_be_focused()

    await mine.locator("summary").focus()
    await press(page, "Enter")
    await tab_to(page, "Delete")
    await press(page, "Enter")
    await tab_to(page, "Delete")
    await press(page, "Enter")
    await expect(mine).to_have_count(0)
    await expect(theirs).to_be_focused()


async def click(target: Locator) -> None:
    await target.click()


async def tab_and_enter(target: Locator) -> None:
    """From where the focus is, forward to the target."""
    for _ in range(200):
        if await target.evaluate("(element) => element.matches(':focus')"):
            return await target.page.keyboard.press("Enter")
        await target.page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {target}")


@pytest.mark.parametrize("use", [click, tab_and_enter])
@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1440)])
async def test_a_moderator_follows_a_link_and_hears_what_is_new(
    page: Page, blog: Blog, use: Callable[[Locator], Awaitable[None]], scheme: Scheme, width: int
) -> None:
    await seen_as(page, scheme, width)
    ann, bob = await blog.account("ann"), await blog.account("bob")
    await blog.account("mod", "moderator")
    roots = await blog.comments(ann, 45)
    await blog.settings(moderation="pre")
    await blog.comment(bob, "good")
    await blog.comment(bob, "bad")
    await blog.settings(moderation="none")
    blog.embed(post=f'<p><a href="#comment-{roots[3].id}">What Ann said</a></p>')
    widget = await blog.open(page)
    await blog.sign_in(page, "mod")

    await use(article(widget, "bad").get_by_role("button", name="Reject"))
    await expect(article(widget, "bad")).to_contain_text("Rejected")
    await widget.get_by_role("textbox", name="Write a comment").focus()
    await use(article(widget, "good").get_by_role("button", name="Approve"))
    await expect(article(widget, "good")).not_to_contain_text("Waiting for approval")
    await use(article(widget, "good").locator("summary"))
    await use(article(widget, "good").get_by_role("button", name="Pin"))
    await expect(article(widget, "good")).to_contain_text("Pinned")

    await page.get_by_role("heading", level=1).click()
    await use(page.get_by_role("link", name="What Ann said"))
    await expect(article(widget, "root number 3")).to_be_focused()
    await expect(article(widget, "root number 3")).to_be_in_viewport()
    await expect(article(widget, "root number 20")).to_have_count(0)

    await page.get_by_role("heading", level=1).click()
    await blog.comment(bob, "news")
    bar = widget.get_by_role("button", name="1 new comment")
    await expect(bar).to_be_visible()
    await expect(article(widget, "news")).to_have_count(0)
    await use(bar)
    await expect(article(widget, "news")).to_be_focused()
    assert await findings(page, "what is new") == []


async def test_a_link_leads_into_the_third_page_and_deep_below(page: Page, blog: Blog) -> None:
    ann = await blog.account("ann")
    roots = await blog.comments(ann, 50)
    deep = roots[5]
    for depth in range(60):
        deep = await blog.comment(ann, f"depth {depth}", deep.id)
    for number in range(14):
        await blog.comment(ann, f"reply {number}", roots[-1].id)

    widget = await blog.open(page, f"#comment-{deep.id}")
    target = article(widget, "depth 59")
    await expect(target).to_be_focused()
    await expect(target).to_be_in_viewport()
    await expect(widget.locator("li.target > article")).to_contain_text("depth 59")
    box = await target.bounding_box()
    assert box is not None
    assert box["width"] > 300, "replies to replies leave no room for their words"
    await expect(article(widget, "root number 49")).to_have_count(0)

    await widget.get_by_role("button", name="Show the thread from its start").click()
    await expect(article(widget, "root number 49")).to_be_visible()
    await expect(article(widget, "root number 30")).to_be_visible()
    await expect(article(widget, "reply 3")).to_have_count(0)
    await widget.get_by_role("button", name="Show 4 more replies").click()
    await expect(article(widget, "reply 0")).to_be_visible()
    await expect(widget.get_by_role("button", name="more replies")).to_have_count(0)
    await widget.get_by_role("button", name="Show more comments").click()
    await expect(article(widget, "root number 29")).to_be_focused()
    await widget.get_by_role("combobox", name="Sort by").select_option("old")
    await expect(widget.get_by_role("article").first).to_contain_text("root number 0")

    await page.evaluate(f"location.hash = 'comment-{roots[-1].id}'")
    await expect(article(widget, "root number 49")).to_be_focused()
    await page.goto(f"{blog.home.url}#comment-{'0' * 8}-0000-4000-8000-{'0' * 12}")
    await page.reload()
    await expect(widget.get_by_role("alert").filter(has_text="is not here any more")).to_be_visible()


async def test_a_guest_gives_a_name_and_stays_the_same(page: Page, blog: Blog) -> None:
    blog.embed("lang=ja theme=dark")
    widget = page.locator("ts-comments")
    await page.goto(blog.home.url)
    await widget.get_by_role("textbox", name="コメントを書く").fill("こんにちは")
    await widget.get_by_role("textbox", name="お名前").fill("太郎")
    await widget.get_by_role("button", name="投稿").click()
    await expect(widget.get_by_role("article", name="太郎 さんのコメント")).to_contain_text("こんにちは")
    await page.reload()
    await expect(widget.get_by_role("button", name="ログアウト")).to_be_visible()
    for number in range(4):  # the last ones take the browser some work
        await widget.get_by_role("textbox", name="コメントを書く").fill(f"number {number}")
        await widget.get_by_role("button", name="投稿").click()
        await expect(article(widget, f"number {number}")).to_be_visible(timeout=30_000)
        await choose(widget, f"number {number}", "削除")
        await widget.get_by_role("dialog").get_by_role("button", name="削除").click()
        await expect(article(widget, f"number {number}")).to_have_count(0)
    await choose(widget, "こんにちは", "削除")
    await widget.get_by_role("dialog").get_by_role("button", name="削除").click()
    await expect(widget).to_contain_text("まだコメントがありません")
    await blog.settings(anonymous=False)
    await widget.get_by_role("button", name="ログアウト").click()
    await expect(widget.get_by_role("textbox", name="お名前")).to_have_count(0)


async def test_a_page_that_the_site_does_not_know_says_why_it_has_no_comments(page: Page, blog: Blog) -> None:
    await page.goto(f"http://localhost:{blog.home.port}/")
    alert = page.locator("ts-comments").get_by_role("alert")
    await expect(alert).to_contain_text(f"The origin http://localhost:{blog.home.port} is not allowed")
    await blog.settings(allowed_origins=(f"http://localhost:{blog.home.port}",))
    await page.locator("ts-comments").get_by_role("button", name="Try again").click()
    await expect(page.locator("ts-comments")).to_contain_text("No comments yet")


async def test_a_user_of_the_site_writes_by_the_sites_own_token(page: Page, blog: Blog) -> None:
    await blog.settings(sso_keys=(SSO_KEY,))
    now = blog.square.store.clock.now_ms() // 1000
    claims = {"sub": "42", "name": "Ann of the site", "exp": now + 600}
    token = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SSO_KEY))
    widget = await blog.open(page)
    await widget.evaluate("(widget, token) => { widget.token = token; }", token)
    await expect(widget.get_by_role("button", name="Sign in", exact=True)).to_have_count(0)
    await widget.get_by_role("textbox", name="Write a comment").fill("as myself")
    await widget.get_by_role("button", name="Post").click()
    await expect(widget.get_by_role("article", name="Comment by Ann of the site")).to_contain_text(
        "as myself"
    )
    assert token not in await page.content()


async def test_what_is_being_written_survives_signing_in(page: Page, blog: Blog) -> None:
    bob = await blog.account("bob")
    await blog.account("ann")
    await blog.settings(anonymous=False)
    await blog.comment(bob, "from bob")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    blog.embed("lang=en_US sort=top")  # no locale that browsers know
    widget = await blog.open(page)
    assert len([url for url in asked if "/v1/comments?" in url]) == 1
    await article(widget, "from bob").get_by_role("button", name="Vote up").click()
    await page.keyboard.press("Escape")
    await article(widget, "from bob").get_by_role("button", name="Reply").click()
    await widget.get_by_role("textbox", name="Reply to").fill("a long answer")
    await widget.locator(".editor").get_by_role("button", name="Reply", exact=True).click()
    dialog = widget.get_by_role("dialog", name="Sign in")
    await dialog.get_by_role("button", name="Password").click()
    await dialog.get_by_label("Email or username").fill(blog.name("ann"))
    await dialog.get_by_label("Password").fill("wrong")
    await page.keyboard.press("Enter")
    await expect(dialog.get_by_role("alert")).to_contain_text("do not match")
    await dialog.get_by_label("Password").fill("correct horse battery")
    await page.keyboard.press("Enter")
    await expect(article(widget, "a long answer")).to_be_focused()


async def test_a_half_written_reply_outlives_what_happens_around_it(page: Page, blog: Blog) -> None:
    bob = await blog.account("bob")
    roots = await blog.comments(bob, 45)
    newest = roots[-1]
    widget = await opened_live(page, blog)
    await article(widget, "root number 44").get_by_role("button", name="Reply").click()
    draft = widget.get_by_role("textbox", name="Reply to")
    await page.keyboard.type("half a")
    site = await blog.threads.sites.by_key(blog.site.api_key_public)
    await blog.threads.comments.edit(bob, site, newest.id, "edited meanwhile")
    await expect(article(widget, "edited meanwhile")).to_be_visible()
    await blog.threads.comments.delete(bob, newest.id)
    await expect(widget.get_by_role("article", name="This comment was deleted")).to_be_visible()
    await expect(draft).to_be_focused()
    await page.keyboard.type(" thought")
    await page.keyboard.press("Escape")
    await expect(draft).to_have_count(0)

    await article(widget, "root number 40").get_by_role("button", name="Reply").click()
    await page.keyboard.type("a long answer")
    await widget.get_by_role("button", name="Show more comments").click()
    await expect(article(widget, "root number 20")).to_be_visible()
    await expect(article(widget, "root number 40").locator("textarea")).to_have_value("a long answer")
    await widget.get_by_role("combobox", name="Sort by").select_option("old")
    await expect(widget.get_by_role("article").first).to_contain_text("root number 0")
    await expect(draft).to_have_value("a long answer")  # above the list: its comment is two pages away
    await widget.get_by_label("Your name").last.fill("Guest")
    await draft.press("Control+Enter")
    await expect(article(widget, "a long answer")).to_be_focused()
    await expect(draft).to_have_count(0)
    await expect(article(widget, "root number 40")).to_be_visible()


async def test_refusals_are_told_in_the_language_of_the_page(page: Page, blog: Blog) -> None:
    await blog.account("ann")
    blog.embed("lang=ja")
    await page.goto(blog.home.url)
    widget = page.locator("ts-comments")
    await widget.get_by_role("button", name="ログイン", exact=True).click()
    await widget.get_by_role("button", name="パスワード").click()
    await widget.get_by_label("メールまたはユーザー名").fill(blog.name("ann"))
    await widget.get_by_label("パスワード").fill("wrong")
    await page.keyboard.press("Enter")
    await expect(widget.get_by_role("alert").filter(has_text="一致しません")).to_be_visible()
    await page.keyboard.press("Escape")
    await blog.settings(max_links=1)
    await widget.get_by_role("textbox", name="コメントを書く").fill("https://a.example https://b.example")
    await widget.get_by_role("textbox", name="お名前").fill("太郎")
    await widget.get_by_role("button", name="投稿").click()
    await expect(widget.get_by_role("alert").filter(has_text="受け付けられませんでした")).to_be_visible()
    address = f"{blog.server.url}/threads/v1/embed?site={blog.site.api_key_public}&page_url=nowhere&lang=ja"
    await page.goto(address)
    await expect(page.get_by_role("alert")).to_have_text("このページにはコメントできません。")


async def test_no_state_of_the_comments_has_a_serious_finding(page: Page, blog: Blog) -> None:
    ann, mod = await blog.account("ann"), await blog.account("mod", "moderator")
    roots = await blog.comments(ann, 3)
    await blog.comment(
        mod, "> quoted\n\n`code` and [a link](https://example.org)\n\n| a |\n|---|\n| b |", roots[0].id
    )
    await blog.threads.comments.pin(mod, roots[1].id, True)
    await blog.settings(moderation="pre")
    await blog.comment(ann, "held back")
    widget = await blog.open(page, f"#comment-{roots[2].id}")
    found = await findings(page, "a reader")
    await widget.get_by_role("button", name="Sign in", exact=True).click()
    found += await findings(page, "signing in")
    await page.keyboard.press("Escape")
    await blog.sign_in(page, "mod")
    await article(widget, "held back").locator("summary").click()
    found += await findings(page, "a moderator with a menu")
    await page.keyboard.press("Escape")
    await article(widget, "root number 2").get_by_role("button", name="Reply").click()
    found += await findings(page, "a reply")
    assert not found, "\n".join(found)


async def test_moderators_judge_in_the_thread(page: Page, browser: Browser, blog: Blog) -> None:
    ann, _ = await blog.account("ann"), await blog.account("mod", "moderator")
    await blog.settings(moderation="pre")
    await blog.comment(ann, "good")
    await blog.comment(ann, "bad")
    widget = await blog.open(page)
    await expect(widget).to_contain_text("No comments yet")
    await blog.sign_in(page, "mod")
    await expect(article(widget, "good")).to_contain_text("Waiting for approval")
    await article(widget, "good").get_by_role("button", name="Approve").click()
    await expect(article(widget, "good")).not_to_contain_text("Waiting for approval")
    await expect(widget.get_by_role("heading", level=2)).to_have_text("1 comment")
    await article(widget, "bad").get_by_role("button", name="Reject").click()
    await expect(article(widget, "bad")).to_contain_text("Rejected")
    await choose(widget, "good", "Pin")
    await expect(article(widget, "good")).to_contain_text("Pinned")
    async with reader(browser, blog) as other:
        theirs = other.locator("ts-comments")
        await expect(theirs.get_by_role("article")).to_have_count(1)
        await expect(theirs.locator(".pinned")).to_contain_text("good")


async def test_moderators_judge_at_the_desk_by_keyboard(page: Page, blog: Blog) -> None:
    ann, bob = await blog.account("ann"), await blog.account("bob")
    await blog.account("mod", "moderator")
    reported = await blog.comment(ann, "rude words")
    site = await blog.threads.sites.by_key(blog.site.api_key_public)
    await blog.threads.comments.report(bob, site, reported.id, "harassment", "see for yourself")
    await blog.settings(moderation="pre")
    for text in ("first", "second", "third", "fourth"):
        await blog.comment(ann, text)
    await blog.desk(page, "mod")
    card = page.get_by_role("article")
    await expect(card).to_have_count(4)
    await press(page, "j", "j", "k")
    await expect(card.first).to_be_focused()
    await press(page, "j", "a")
    await expect(card).to_have_count(3)
    await expect(card.nth(1)).to_be_focused()
    await press(page, "r")
    await expect(card).to_have_count(2)
    await expect(card.nth(1)).to_contain_text("fourth")
    await press(page, "d")
    await page.get_by_role("dialog").get_by_role("button", name="Delete").press("Enter")
    await expect(card).to_have_count(1)
    thread = await blog.threads.reading.thread(bob, site.settings, reported.page_id)
    assert [one.content for one in thread.comments] == ["second", "rude words"]
    found = await findings(page, "the desk")
    await page.get_by_role("tab", name="Reported").click()
    await expect(card).to_contain_text("see for yourself")
    found += await findings(page, "reports")
    await card.get_by_role("button", name="Ban the author").click()
    found += await findings(page, "a ban")
    await page.get_by_role("dialog").get_by_role("button", name="Ban").click()
    await expect(page.get_by_text("No reports.")).to_be_visible()
    (banned,) = await blog.threads.moderation.bans(Viewer(site_id=blog.site.id, owner=True))
    assert banned.user_id == ann.user_id
    assert not found, "\n".join(found)


async def test_a_reader_without_javascript_writes_by_a_form(page: Page, browser: Browser, blog: Blog) -> None:
    address = f"{blog.server.url}/threads/v1/embed?site={blog.site.api_key_public}&page_url={blog.home.url}"
    blog.home.html = f'<iframe src="{address}" title="Comments" width=600 height=600></iframe>'
    context = await browser.new_context(java_script_enabled=False)
    plain = await context.new_page()
    await plain.goto(blog.home.url)
    frame = plain.frame_locator("iframe")
    await frame.get_by_label("Your name").fill("Ann")
    await frame.get_by_label("Comment", exact=True).fill("no script at all")
    await frame.get_by_role("button", name="Post").click()
    await expect(frame.get_by_role("status")).to_have_text("Your comment is posted.")
    await expect(frame.locator("li:target")).to_contain_text("no script at all")
    await context.close()
    await page.goto(address)
    assert await findings(page, "without JavaScript") == []


async def test_what_others_write_arrives_behind_a_bar(page: Page, browser: Browser, blog: Blog) -> None:
    ann, bob = await blog.account("ann"), await blog.account("bob")
    roots = await blog.comments(ann, 30)
    blog.embed("sort=new", post="<p>text</p>" * 5)
    widget = await opened_live(page, blog)
    reading = article(widget, "root number 15")
    await reading.scroll_into_view_if_needed()
    place = await reading.bounding_box()
    await blog.comment(bob, "news")
    await blog.comment(bob, "an answer", roots[15].id)
    bar = widget.get_by_role("button", name="2 new comments")
    await expect(bar).to_be_in_viewport()
    assert await reading.bounding_box() == place
    await expect(article(widget, "news")).to_have_count(0)
    await blog.threads.comments.vote(bob, roots[15].id, "up")
    await expect(reading.get_by_role("group", name="1 point")).to_be_visible()
    assert await reading.bounding_box() == place
    await bar.click()
    await expect(article(widget, "an answer")).to_be_visible()
    await expect(article(widget, "news")).to_be_visible()
    await expect(bar).to_have_count(0)
    await expect(widget.get_by_role("heading", level=2)).to_have_text("32 comments")
    site = await blog.threads.sites.by_key(blog.site.api_key_public)
    await reading.get_by_role("button", name="Reply").focus()
    await blog.threads.comments.edit(ann, site, roots[15].id, "root number 15, edited")
    edited = article(widget, "root number 15, edited")
    await expect(edited.get_by_role("button", name="Reply")).to_be_focused()
    await blog.threads.comments.delete(ann, roots[16].id)
    await expect(article(widget, "root number 16")).to_have_count(0)


async def opened_live(page: Page, blog: Blog) -> Locator:
    """The comments, once the page hears what happens."""
    hears = asyncio.Event()

    def heard(frame: str | bytes) -> None:
        if "subscribed" in str(frame):
            hears.set()

    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    widget = await blog.open(page)
    await asyncio.wait_for(hears.wait(), 10)
    return widget


async def test_who_has_signed_in_holds_a_socket(page: Page, blog: Blog) -> None:
    """A browser refuses a socket to whom the server answers none of the subprotocols that it offered."""
    await blog.account("ann")
    await blog.open(page)
    await blog.sign_in(page, "ann")
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    await page.reload()
    await until(lambda: any('"subscribed"' in frame for frame in frames))


async def test_without_a_socket_the_page_asks_now_and_then(page: Page, blog: Blog) -> None:
    bob = await blog.account("bob")
    await page.route_web_socket("**/threads/v1/live**", lambda socket: socket.close())
    await page.clock.install()
    widget = await blog.open(page)
    async with page.expect_response("**/threads/v1/pages/events**"):
        await page.clock.run_for(10_000)
    await blog.comment(bob, "news")
    async with page.expect_response("**/threads/v1/pages/events**"):
        await page.clock.run_for(25_000)
    await expect(widget.get_by_role("button", name="1 new comment")).to_be_visible()


async def test_a_page_in_the_background_holds_no_socket(page: Page, blog: Blog) -> None:
    bob = await blog.account("bob")
    await page.add_init_script("""
        Object.defineProperty(document, "hidden", { get: () => window.isAway === true });
        window.away = (is) => { window.isAway = is; document.dispatchEvent(new Event("visibilitychange")); };
    """)
    async with page.expect_websocket() as opened:
        widget = await opened_live(page, blog)
    socket = await opened.value
    async with socket.expect_event("close"):
        await page.evaluate("away(true)")
    await blog.comment(bob, "missed")
    async with page.expect_websocket():
        await page.evaluate("away(false)")
    await expect(widget.get_by_role("button", name="1 new comment")).to_be_visible()


async def test_an_administrator_puts_comments_on_a_site(page: Page, blog: Blog) -> None:
    ann = await blog.account("ann")
    await blog.square.accounts.users.set_role(str(ann.user_id), UserRole.ADMIN)
    await page.goto(f"{blog.server.url}/threads")
    sample = page.locator("#live ts-comments")
    await sample.get_by_role("button", name="Vote up").first.click()
    await expect(sample.get_by_role("group", name="8 points")).to_be_visible()
    await page.get_by_label("Name", exact=True).fill("My blog")
    await page.get_by_label("Domain").fill(blog.home.url.split("/")[2])
    await page.get_by_role("button", name="Create site").click()
    await expect(page.locator("#result")).to_contain_text("Only an administrator")
    await blog.enter(page, "ann", "/threads")
    await page.get_by_label("Name", exact=True).fill("My blog")
    await page.get_by_label("Domain").fill(blog.home.url.split("/")[2])
    await page.get_by_label("Colours").select_option("dark")
    await page.get_by_role("button", name="Create site").click()
    await expect(page.locator("#made")).to_be_focused()
    await expect(page.locator("#secret")).to_contain_text("tsq_sec_")
    await expect(page.locator("#live ts-comments")).to_contain_text("No comments yet")
    assert await findings(page, "a new site") == []
    blog.home.html = await page.locator("#snippet").inner_text()
    widget = await blog.open(page)
    await expect(widget).to_have_attribute("theme", "dark")
    await expect(widget).to_contain_text("No comments yet")
