"""<ts-comments> on somebody else's page: the whole story, by mouse and by keyboard."""

from collections.abc import AsyncIterator

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from playwright.async_api import Browser, Locator, Page, expect
from pytest_asyncio import fixture

from tests.browser.blog import Blog, open_blog, reader
from tests.browser.test_accessibility import findings
from tests.support.servers import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SSO_KEY = "k" * 40
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


def article(widget: Locator, text: str) -> Locator:
    return widget.get_by_role("article").filter(has=widget.page.get_by_text(text, exact=True))


async def choose(widget: Locator, text: str, action: str) -> None:
    """From the menu of the comment with this text."""
    comment = article(widget, text)
    await comment.locator("summary").click()
    await comment.get_by_role("button", name=action).click()


async def test_the_whole_story_by_mouse(page: Page, browser: Browser, blog: Blog) -> None:
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
    await expect(widget.get_by_role("button", name="Sign out")).to_be_visible()

    await widget.get_by_role("textbox", name="Write a comment").fill("Hello **world**")
    await widget.get_by_role("button", name="Preview").click()
    await expect(widget.get_by_role("region", name="Preview").locator("strong")).to_have_text("world")
    await widget.get_by_role("button", name="Post").click()
    await expect(widget.get_by_role("heading", level=2)).to_have_text("1 comment")
    await expect(widget.get_by_role("article", name="Comment by Ann")).to_contain_text("Hello world")

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


async def test_the_whole_story_by_keyboard(page: Page, blog: Blog) -> None:
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


async def test_a_link_leads_into_the_third_page_and_deep_below(page: Page, blog: Blog) -> None:
    ann = await blog.account("ann")
    roots = await blog.comments(ann, 50)
    deep = roots[5]
    for depth in range(6):
        deep = await blog.comment(ann, f"depth {depth}", deep.id)
    for number in range(14):
        await blog.comment(ann, f"reply {number}", roots[-1].id)

    widget = await blog.open(page, f"#comment-{deep.id}")
    target = article(widget, "depth 5")
    await expect(target).to_be_focused()
    await expect(target).to_be_in_viewport()
    await expect(widget.locator("li.target > article")).to_contain_text("depth 5")
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
    await choose(widget, "こんにちは", "削除")
    await widget.get_by_role("dialog").get_by_role("button", name="削除").click()
    await expect(widget).to_contain_text("まだコメントがありません")
    await blog.settings(anonymous=False)
    await widget.get_by_role("button", name="ログアウト").click()
    await expect(widget.get_by_role("textbox", name="お名前")).to_have_count(0)


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
    widget = await blog.open(page)
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
