"""The web client, used in a real browser, over a real socket."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.async_api import Browser, FilePayload, Locator, Page, expect

from tests.services.social.client.site import (
    SCRIPT,
    ClientSite,
    client_site,
    held,
    walk,
)
from tests.support.squares import Place
from townsquare.services.social import keys

DECODED = 30_000  # ms; the first image waits for its process

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def post_of(page: Page, text: str) -> Locator:
    return page.get_by_role("article").filter(has_text=text)


async def test_a_visitor_reads_and_is_led_to_the_door(page: Page, site: ClientSite, bob_posted: str) -> None:
    await page.goto(f"{site.url}/social")
    await expect(post_of(page, "First #Travel of bob")).to_be_visible()
    await expect(page.get_by_role("form", name="Write a post")).to_have_count(0)
    await page.get_by_role("button", name="Like, 0").click()
    await expect(page).to_have_url(f"{site.url}/accounts/sign-in?next=%2Fsocial")


async def test_one_posts_likes_bookmarks_and_follows(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await page.get_by_label("Your post").fill("Hello from #Hyrule")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("status")).to_have_text("Posted.")
    await expect(page.get_by_role("article").first).to_contain_text("Hello from #Hyrule")

    bobs = post_of(page, "First #Travel of bob")
    await bobs.get_by_role("button", name="Like, 0").click()
    await expect(bobs.get_by_role("button", name="Liked, 1")).to_have_attribute("aria-pressed", "true")
    await bobs.get_by_role("button", name="Bookmark, 0").click()
    await expect(bobs.get_by_role("button", name="Bookmarked, 1")).to_be_visible()

    await bobs.get_by_role("link", name="Bob", exact=True).click()
    await expect(page.get_by_role("heading", name="Bob")).to_be_visible()
    await page.get_by_role("button", name="Follow", exact=True).click()
    await expect(page.get_by_role("button", name="Following", exact=True)).to_be_visible()
    await expect(page.get_by_role("region", name="Profile")).to_contain_text("1 follower")

    await page.get_by_role("link", name="Following", exact=True).first.click()
    await expect(post_of(page, "First #Travel of bob")).to_be_visible()
    await page.get_by_role("link", name="Bookmarks").click()
    await expect(page.get_by_role("article")).to_have_count(1)

    await page.reload()
    await expect(page.get_by_role("button", name="Liked, 1")).to_be_visible()
    assert await site.square.store.call("SISMEMBER", keys.following("alice"), "bob")
    assert (await site.social.posts.get(bob_posted)).likes_count == 1


async def test_hashtags_lead_to_their_posts_newest_or_best_first(
    page: Page, site: ClientSite, bob_posted: str
) -> None:
    await site.social.posts.create("bob", "Second #travel")
    await site.social.posts.like(bob_posted, "bob")
    await page.goto(f"{site.url}/social")
    await post_of(page, "First").get_by_role("link", name="#Travel").click()
    await expect(page.get_by_role("heading", name="#Travel")).to_be_visible()
    await expect(page.get_by_role("article").first).to_contain_text("Second")
    await page.get_by_role("link", name="Best").click()
    await expect(page.get_by_role("article").first).to_contain_text("First")
    await page.go_back()
    await expect(page.get_by_role("article").first).to_contain_text("Second")
    await expect(page.get_by_role("complementary")).to_contain_text("#travel")


async def test_what_people_write_stays_text(page: Page, site: ClientSite) -> None:
    given = {
        "display_name": SCRIPT[:100],
        "bio": SCRIPT,
        "avatar": "https://example.invalid/a.png?<b>",
        "links": ["https://example.invalid/\"onmouseover='x'"],
    }
    await site.social.profiles.register("eve", role="model", given=given)
    post = await site.social.posts.create(
        "eve", f"{SCRIPT} #tag javascript:alert(1) https://example.org/x?a=<b>"
    )
    await site.social.posts.like(post.id, "eve")
    for path in ("/social", "/social?user=eve", f"/social?post={post.id}", "/social?tag=tag", "/social?q=e"):
        await page.goto(f"{site.url}{path}", wait_until="networkidle")
        assert await page.evaluate("window.broken") is None
        assert await page.locator("#main script, #side script").count() == 0
        hrefs = await page.locator("a").evaluate_all("links => links.map((link) => link.protocol)")
        assert set(hrefs) <= {"http:", "https:"}
    await page.goto(f"{site.url}/social?tag={SCRIPT}&user=", wait_until="networkidle")
    assert await page.evaluate("window.broken") is None
    await page.goto(f"{site.url}/social?post={post.id}")
    await expect(page.get_by_role("article")).to_contain_text(SCRIPT)


async def test_the_keyboard_is_enough(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await page.keyboard.press("n")
    await expect(page.get_by_label("Your post")).to_be_focused()
    await page.keyboard.type("By the keyboard")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("status")).to_have_text("Posted.")
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("l")
    await expect(post_of(page, "First").get_by_role("button", name="Liked, 1")).to_be_focused()
    await page.keyboard.press("b")
    await expect(post_of(page, "First").get_by_role("button", name="Bookmarked, 1")).to_be_focused()
    await page.keyboard.press("o")
    await expect(page.get_by_role("article")).to_have_count(1)
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await page.keyboard.type("bo")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="People: bo")).to_be_visible()
    await expect(page.get_by_role("link", name="Bob @bob")).to_be_visible()


async def test_the_focus_stays_at_the_post_that_a_menu_was_opened_for(
    page: Page, site: ClientSite, bob_posted: str
) -> None:
    await site.sign_up("alice")
    await site.social.posts.create("bob", "Newer")
    await site.sign_in(page, "alice")
    newer = post_of(page, "Newer")
    await newer.get_by_label("More").focus()
    await page.keyboard.press("Enter")
    await newer.get_by_role("button", name="Mute @bob").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog", name="Mute @bob?")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(newer.get_by_label("More")).to_be_focused()
    await page.keyboard.press("Enter")
    await newer.get_by_role("button", name="Mute @bob").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").get_by_role("button", name="Mute").focus()
    await page.keyboard.press("Enter")
    await expect(newer).to_have_count(0)
    await expect(post_of(page, "First").get_by_role("link", name="Bob", exact=True)).to_be_focused()


async def test_one_edits_and_deletes_a_post_of_ones_own(page: Page, site: ClientSite) -> None:
    await site.sign_up("alice")
    await site.social.posts.create("alice", "With a tpyo")
    await site.sign_in(page, "alice")
    post = page.get_by_role("article")
    await post.get_by_label("More").click()
    await post.get_by_role("button", name="Edit").click()
    await page.get_by_label("Text").fill("Without a typo")
    await page.get_by_role("button", name="Save").click()
    await expect(post).to_contain_text("Without a typo")
    await expect(post).to_contain_text("edited")
    await expect(post.get_by_label("More")).to_be_focused()
    await post.get_by_label("More").click()
    await post.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("article")).to_have_count(0)
    await expect(page.get_by_role("main")).to_be_focused()
    assert await site.square.store.call("ZCARD", keys.user_posts("alice")) == 0


async def test_one_mutes_reports_and_blocks(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    post = post_of(page, "First")
    await post.get_by_label("More").click()
    await post.get_by_role("button", name="Report").click()
    await page.get_by_label("What is wrong with it?").fill("spam")
    await page.get_by_role("dialog").get_by_role("button", name="Report").click()
    await expect(page.get_by_role("status")).to_contain_text("Thank you")
    await page.goto(f"{site.url}/social?user=bob")
    await page.get_by_role("button", name="Mute").click()
    await page.get_by_role("dialog").get_by_role("button", name="Mute").click()
    await expect(page.get_by_role("button", name="Unmute")).to_be_visible()
    await page.goto(f"{site.url}/social")
    await expect(page.get_by_text("Nothing has been posted yet.")).to_be_visible()
    await page.goto(f"{site.url}/social?user=bob")
    await page.get_by_role("button", name="Block").click()
    await page.get_by_role("dialog").get_by_role("button", name="Block").click()
    await expect(page).to_have_url(f"{site.url}/social")
    await expect(page.get_by_text("Nothing has been posted yet.")).to_be_visible()
    await page.goto(f"{site.url}/social?user=bob")
    await expect(page.get_by_text("You block this person")).to_be_visible()
    await expect(page.get_by_role("article")).to_have_count(0)


async def test_ones_own_profile_is_edited(page: Page, site: ClientSite) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await page.get_by_role("link", name="Profile", exact=True).click()
    await page.get_by_role("button", name="Edit profile").click()
    await page.get_by_label("Name").fill("Alice of the square")
    await page.get_by_label("About you").fill("I write about #travel")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Alice of the square")).to_be_visible()
    await expect(
        page.get_by_role("region", name="Profile").get_by_role("link", name="#travel")
    ).to_be_visible()


async def test_a_list_goes_on_page_by_page_and_repeats_nothing(page: Page, site: ClientSite) -> None:
    await site.social.profiles.register("bob")
    for number in range(45):
        await site.social.posts.create("bob", f"number {number}")
    await page.goto(f"{site.url}/social")
    await expect(page.get_by_role("article")).to_have_count(20)
    await page.get_by_role("button", name="More", exact=True).click()
    await expect(page.get_by_role("article")).to_have_count(40)
    await page.get_by_role("button", name="More", exact=True).click()
    await expect(page.get_by_role("article")).to_have_count(45)
    await expect(page.get_by_role("button", name="More", exact=True)).to_have_count(0)
    words = await page.locator(".words").all_text_contents()
    assert len(set(words)) == 45


async def test_an_old_name_leads_to_the_profile(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.social.users.rename("bob", "robert")
    await page.goto(f"{site.url}/social?user=bob")
    await expect(page.get_by_role("region", name="Profile")).to_contain_text("@robert")
    await expect(post_of(page, "First")).to_be_visible()


async def test_somebody_without_a_profile_can_make_one(page: Page, site: ClientSite) -> None:
    await site.sign_up("alice")
    await site.social.users.delete("alice")
    await site.pass_the_door(page, "alice")
    await page.get_by_role("button", name="Make my profile").click()
    await expect(page.get_by_label("Your post")).to_be_focused()


async def test_who_was_signed_out_elsewhere_goes_on_as_a_visitor(
    page: Page, site: ClientSite, bob_posted: str
) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    alice = await site.square.accounts.users.find_by("username", "alice")
    assert alice
    await site.square.accounts.sessions.end_all(alice.id)
    await page.get_by_role("link", name="Explore").click()
    await expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    await expect(post_of(page, "First #Travel of bob")).to_be_visible()
    await expect(page.get_by_role("link", name="Bookmarks")).to_be_hidden()


async def test_it_is_read_where_accounts_are_switched_off(page: Page, plain_place: Place) -> None:
    async with client_site(plain_place, disabled_services=("accounts",)) as site:
        await site.social.profiles.register("bob")
        await site.social.posts.create("bob", "Still here")
        await page.goto(f"{site.url}/social")
        await expect(post_of(page, "Still here")).to_be_visible()
        await expect(page.get_by_role("link", name="Sign in")).to_have_count(0)
        await page.get_by_role("button", name="Like, 0").click()
        await expect(page.get_by_role("status")).to_have_text("Nobody can sign in here.")
        await expect(page).to_have_url(f"{site.url}/social")
        await page.evaluate(
            "localStorage.setItem('townsquare.session', '{\"refresh_token\": \"from.before\"}')"
        )
        await page.reload()
        await expect(post_of(page, "Still here")).to_be_visible()
        await expect(page.locator("#who")).to_be_empty()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_follows_the_colours_of_the_system(
    browser: Browser, site: ClientSite, bob_posted: str, scheme: str
) -> None:
    page = await browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    await page.goto(f"{site.url}/social")
    await expect(page.get_by_role("article")).to_be_visible()
    ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) > 3 * 128
    assert light == (scheme == "light")
    await page.close()


async def test_the_focus_stays_where_somebody_acts(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await walk(page, "/social?user=bob")
    follow = page.get_by_role("button", name="Follow", exact=True)
    async with held(page, "**/social/users/bob/follow") as answer:
        await follow.focus()
        await page.keyboard.press("Enter")
        await answer.one_came()
        await expect(follow).to_be_focused()
        await answer.let_go()
    await expect(page.get_by_role("button", name="Following", exact=True)).to_be_focused()
    await page.get_by_role("button", name="Mute").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").get_by_role("button", name="Mute").press("Enter")
    await expect(page.get_by_role("button", name="Unmute")).to_be_focused()
    await page.get_by_role("button", name="Block").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").get_by_role("button", name="Block").press("Enter")
    await expect(page.get_by_role("main")).to_be_focused()
    await walk(page, "/social?user=alice")
    await page.get_by_role("button", name="Edit profile").press("Enter")
    await page.get_by_label("Name").fill("Alice of the square")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Alice of the square")).to_be_visible()
    await expect(page.get_by_role("button", name="Edit profile")).to_be_focused()


async def test_more_people_are_reached_by_keyboard(page: Page, site: ClientSite) -> None:
    for number in range(21):
        await site.social.profiles.register(f"bob{number:02}")
    await page.goto(f"{site.url}/social?q=bob")
    await page.get_by_role("button", name="More", exact=True).press("Enter")
    await expect(page.get_by_role("main").get_by_role("link", name="bob20")).to_be_focused()


async def test_escape_closes_a_menu(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await page.get_by_label("More").press("Enter")
    await page.get_by_role("button", name="Report").focus()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Report")).to_be_hidden()
    await expect(page.get_by_label("More")).to_be_focused()


async def test_skipping_to_the_posts_loads_nothing_again(
    page: Page, site: ClientSite, bob_posted: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/feed/" in request.url else None)
    await page.goto(f"{site.url}/social")
    await expect(post_of(page, "First")).to_be_visible()
    await page.get_by_role("link", name="Skip to the posts").press("Enter")
    await expect(page).to_have_url(f"{site.url}/social#stream")
    await expect(page.locator("#stream")).to_be_focused()
    await page.evaluate("fetch('/social/feed/hashtag/after')")
    assert [url.partition("?")[0].rpartition("/")[2] for url in asked] == ["explore", "after"]


async def test_every_view_has_one_heading_of_the_first_rank(
    page: Page, site: ClientSite, bob_posted: str
) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    lists = ("?feed=following", "?feed=bookmarks", "?people=blocked", "?people=muted")
    for view in ("", "?user=bob", "?user=nobody", "?tag=travel", f"?post={bob_posted}", "?q=b", *lists):
        await walk(page, f"/social{view}")
        await expect(page.locator("#main")).not_to_have_attribute("aria-busy", "true")
        await expect(page.get_by_role("heading", level=1)).to_have_count(1)


async def test_blocks_and_mutes_have_a_way_back(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("alice")
    await site.social.profiles.register("carl")
    for name in ("bob", "carl"):
        await site.social.follows.block("alice", name)
    await site.social.follows.mute("alice", "bob")
    await site.sign_in(page, "alice")
    await page.get_by_role("link", name="Profile", exact=True).click()
    await page.get_by_role("link", name="Blocked and muted").click()
    await page.get_by_role("button", name="Unblock @carl").press("Enter")
    await expect(page.get_by_role("status")).to_have_text("@carl is not blocked any more.")
    await expect(page.get_by_role("main").get_by_role("link", name="Bob @bob")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Unblock").press("Enter")
    await expect(page.get_by_role("region", name="Profile")).to_contain_text("@bob")
    await expect(page.get_by_role("button", name="Follow", exact=True)).to_be_focused()
    await walk(page, "/social?people=blocked")
    await expect(page.get_by_text("You block nobody.")).to_be_visible()
    await page.get_by_role("link", name="Muted", exact=True).click()
    await page.get_by_role("button", name="Unmute @bob").click()
    await expect(page.get_by_text("You mute nobody.")).to_be_visible()
    for key in (keys.blocking("alice"), keys.muting("alice")):
        assert await site.square.store.call("ZCARD", key) == 0


async def test_a_bad_field_keeps_the_dialog_and_what_was_typed(page: Page, site: ClientSite) -> None:
    site.square.services["images"].accepted = False  # then a picture is given by its address
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await walk(page, "/social?user=alice")
    await page.get_by_role("button", name="Edit profile").click()
    name, picture = page.get_by_label("Name"), page.get_by_label("Address of your picture")
    await name.focus()
    await page.keyboard.insert_text("🦊" * 101)
    await picture.fill("javascript:alert(1)")
    await page.get_by_role("button", name="Save").click()
    assert "at most 100" in await name.evaluate("(input) => input.validationMessage")
    await name.press("Backspace")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("Use an http or https URL")
    await expect(picture).to_be_focused()
    await expect(picture).to_have_attribute("aria-invalid", "true")
    await expect(name).to_have_value("🦊" * 100)
    await picture.fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="🦊" * 100)).to_be_visible()


async def test_pictures_are_uploaded(page: Page, site: ClientSite) -> None:
    drawn = BytesIO()
    Image.new("RGB", (600, 300), "teal").save(drawn, "PNG")
    picture: FilePayload = {"name": "sea.png", "mimeType": "image/png", "buffer": drawn.getvalue()}
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    await page.goto(f"{site.url}/social")
    await page.get_by_role("textbox", name="Your post").fill("The sea")
    await page.locator("input[type=file]").set_input_files(picture)
    await page.get_by_role("textbox", name="Description of the picture").fill("A calm sea")
    await page.get_by_role("button", name="Post", exact=True).click()
    shown = page.get_by_role("img", name="A calm sea")
    await expect(shown).to_have_attribute("width", "600", timeout=DECODED)
    await expect(shown).to_have_js_property("complete", True)
    assert await shown.evaluate("(image) => image.naturalWidth") > 0
    await page.goto(f"{site.url}/accounts/account")
    await page.locator("input[type=file]").set_input_files(picture)
    await page.get_by_role("img", name="Your picture").press("ArrowLeft")
    await page.locator("#dialog").get_by_role("button", name="Save").click()
    face = page.locator("#face img")
    await expect(face).to_have_attribute("src", re.compile(r"/images/img_\w+/small\.webp$"), timeout=DECODED)


async def test_one_comments_replies_and_deletes(page: Page, site: ClientSite, bob_posted: str) -> None:
    await site.sign_up("commenter")
    await site.sign_in(page, "commenter")
    await page.goto(f"{site.url}/social?post={bob_posted}")
    bobs = post_of(page, "First #Travel of bob")
    comments = bobs.get_by_role("region", name="Comments")
    await comments.get_by_label("Your comment").fill(f"Nice! {SCRIPT}")
    await page.keyboard.press("Control+Enter")
    await expect(comments.get_by_role("listitem")).to_contain_text(SCRIPT)
    await expect(bobs.get_by_role("button", name="Comments, 1")).to_be_visible()
    await comments.get_by_role("button", name="Reply").click()
    await comments.get_by_label("Your reply").fill("And again")
    await page.keyboard.press("Control+Enter")
    await expect(comments.get_by_role("listitem")).to_have_count(2)
    assert (await site.social.posts.get(bob_posted)).comments_count == 2
    await page.goto(f"{site.url}/social?post={bob_posted}#comment-1")  # as a mail leads here
    await page.reload()
    await expect(comments.get_by_text("And again")).to_be_visible()
    await comments.get_by_role("button", name="Delete").first.click()
    await expect(comments.get_by_text("This comment was deleted.")).to_be_visible()
    await expect(comments.get_by_text("And again")).to_be_visible()
    assert (await site.social.posts.get(bob_posted)).comments_count == 1
