"""Answers that come late, twice or not at all, as the web client takes them."""

import pytest
from playwright.async_api import Page, Route, expect

from tests.services.social.client.site import ClientSite, held, walk
from townsquare.services.social import keys

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest.mark.parametrize(
    ("view", "late"),
    [
        ("?tag=travel", "**/feed/hashtag/travel?*"),
        ("?user=bob", "**/social/users/bob"),
        ("?user=bob", "**/social/users/bob/posts?*"),
        ("?user=bob&list=followers", "**/social/users/bob/followers?*"),
        ("?q=bo", "**/search/users?*"),
        ("?post={id}", "**/social/posts/*"),
        ("", "**/feed/explore?*"),
    ],
)
async def test_an_answer_for_a_view_that_was_left_is_not_shown(
    page: Page, site: ClientSite, bob_posted: str, view: str, late: str
) -> None:
    await site.social.profiles.register("carl")
    await site.social.follows.follow("carl", "bob")
    await page.goto(f"{site.url}/social?tag=quiet")
    await expect(page.get_by_text("No posts with this hashtag.")).to_be_visible()
    before = await page.locator("#main").inner_text()
    async with held(page, late) as answer:
        await walk(page, f"/social{view.format(id=bob_posted)}")
        await answer.one_came()
        await walk(page, "/social?tag=quiet")
        await expect(page.get_by_text("No posts with this hashtag.")).to_be_visible()
        await answer.let_go()
    await expect(page).to_have_title("#quiet · Townsquare")
    assert await page.locator("#main").inner_text() == before


async def test_more_of_a_list_that_was_left_is_not_shown(page: Page, site: ClientSite) -> None:
    await site.social.profiles.register("bob")
    for number in range(21):
        await site.social.posts.create("bob", f"number {number}")
    await page.goto(f"{site.url}/social")
    async with held(page, "**/feed/explore?*cursor*") as answer:
        await page.get_by_role("button", name="More", exact=True).click()
        await answer.one_came()
        await walk(page, "/social?tag=quiet")
        await answer.let_go()
    await expect(page.get_by_text("No posts with this hashtag.")).to_be_visible()
    await expect(page.get_by_role("article")).to_have_count(0)


@pytest.mark.parametrize("status", [0, 500])
async def test_a_notice_of_a_view_that_was_left_is_not_shown(
    page: Page, site: ClientSite, bob_posted: str, status: int
) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    async with held(page, "**/social/posts", status) as answer:
        await page.get_by_label("Your post").fill("Written in haste")
        await page.keyboard.press("Control+Enter")
        await answer.one_came()
        await walk(page, "/social?tag=quiet")
        await answer.let_go()
    await expect(page.get_by_text("No posts with this hashtag.")).to_be_visible()
    await expect(page.get_by_role("status")).to_be_hidden()
    await expect(page.get_by_role("article")).to_have_count(0)


async def test_sending_three_times_makes_one_post(page: Page, site: ClientSite) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")
    async with held(page, "**/social/posts") as answer:
        await page.get_by_label("Your post").fill("Once")
        for _ in range(3):
            await page.keyboard.press("Control+Enter")
        await page.get_by_role("button", name="Post", exact=True).dblclick(force=True)
        await answer.let_go()
    await expect(page.get_by_role("status")).to_have_text("Posted.")
    await expect(page.get_by_role("article")).to_have_count(1)
    assert len(answer.sent) == 1
    assert await site.square.store.call("ZCARD", keys.user_posts("alice")) == 1


async def test_sending_again_after_a_lost_answer_makes_one_post(page: Page, site: ClientSite) -> None:
    await site.sign_up("alice")
    await site.sign_in(page, "alice")

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await page.route("**/social/posts", lose, times=1)
    await page.get_by_label("Your post").fill("Once")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("status")).to_have_text("The server cannot be reached.")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("status")).to_have_text("Posted.")
    assert await site.square.store.call("ZCARD", keys.user_posts("alice")) == 1
    await page.get_by_label("Your post").fill("Once")  # the same words, and another post
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("article")).to_have_count(2)
    assert await site.square.store.call("ZCARD", keys.user_posts("alice")) == 2
