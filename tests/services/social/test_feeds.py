import pytest

from tests.services.social.world import World, ids
from tests.support.clock import PinnedClock
from townsquare.problems import BadCursor
from townsquare.services.social.problems import BadHashtag


async def page_through(world: World, limit: int, viewer: str | None = None) -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        page = await world.social.feeds.explore(viewer, cursor, limit)
        assert len(page.items) <= limit
        seen += ids(page)
        cursor = page.next
        if cursor is None:
            return seen


async def test_explore_shows_the_newest_first(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    posts = []
    for number in range(7):
        clock.move(ms=1)
        posts.append((await world.post(["alice", "bob"][number % 2])).id)
    assert await page_through(world, 3) == posts[::-1]
    assert await page_through(world, 7) == posts[::-1]


@pytest.mark.parametrize("limit", [1, 2, 5, 40])
async def test_posts_of_one_moment_come_each_once(world: World, limit: int) -> None:
    await world.people("alice")
    posts = [(await world.post("alice")).id for _ in range(30)]
    assert sorted(await page_through(world, limit)) == sorted(posts)


async def test_pages_do_not_shift_when_others_post_or_delete(world: World, clock: PinnedClock) -> None:
    await world.people("alice")
    posts = []
    for _ in range(6):
        clock.move(ms=1)
        posts.append((await world.post("alice")).id)
    first = await world.social.feeds.explore(None, None, 3)
    clock.move(ms=1)
    await world.post("alice")
    await world.social.posts.delete(posts[3], "alice")
    second = await world.social.feeds.explore(None, first.next, 3)
    assert ids(first) + ids(second) == posts[::-1]


async def test_a_page_is_filled_up_where_the_rules_took_posts_away(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob", "carol")
    mine = []
    for _ in range(4):
        clock.move(ms=1)
        mine.append((await world.post("alice")).id)
        await world.post("bob")
        await world.post("bob")
    await world.social.follows.mute("carol", "bob")
    assert ids(await world.social.feeds.explore("carol", None, 4)) == mine[::-1]


async def test_a_feed_shows_a_changed_author_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("townsquare.services.social.service.profiles.REFRESHED_AT_ONCE", 0)
    await world.people("alice")
    await world.post("alice")
    await world.social.users.change("alice", {"display_name": "New"})
    (item,) = (await world.social.feeds.explore(None)).items
    assert (item.post.display_name, item.author.display_name) == ("New", "New")


async def test_tags_are_looked_up_however_they_are_written(world: World) -> None:
    await world.people("alice")
    post = await world.post("alice", "#Straße")
    for tag in ("straße", "STRAßE", "#Straße", " straße "):
        assert ids(await world.social.feeds.hashtag(tag, None)) == [post.id]
    with pytest.raises(BadHashtag):
        await world.social.feeds.hashtag("no tag", None)


@pytest.mark.parametrize(
    "cursor", ["x", "%%%", "MTIz", "YTpi", "é", "A" * 500, "MTIzOg", "OTk5OTk5OTk5OTk5OTk5OTk5OTk6eA"]
)
async def test_a_cursor_that_is_none_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(BadCursor):
        await world.social.feeds.explore(None, cursor)
