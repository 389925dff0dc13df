import pytest

from tests.services.social.world import World
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.kit.paging import Page
from townsquare.services.social import keys
from townsquare.services.social.keys import name_rank
from townsquare.services.social.models import Profile
from townsquare.services.social.problems import BadHashtag
from townsquare.services.social.service import Social
from townsquare.services.social.service.hydration import Hydration
from townsquare.services.social.service.page_pipeline import PagePipeline
from townsquare.services.social.service.search import SORTED_NAMES, SocialSearch


def names(page: Page[Profile]) -> list[str]:
    return [profile.username for profile in page.items]


async def test_the_newest_come_first_by_role(world: World, clock: PinnedClock) -> None:
    for number in range(5):
        clock.move(ms=1)
        await world.people(f"user{number}")
        await world.people(f"model{number}", role="model")
    social = world.social
    first = await social.search.newest_users("user", None, None, 3)
    assert names(first) == ["user4", "user3", "user2"]
    assert names(await social.search.newest_users("user", None, first.next, 3)) == ["user1", "user0"]
    assert names(await social.search.newest_users("model", None, None, 2)) == ["model4", "model3"]


async def test_top_models_are_ordered_by_engagement(world: World) -> None:
    await world.people("low", "high", role="model")
    await world.people("fan")
    for name, count in (("low", 1), ("high", 2)):
        for _ in range(count):
            await world.social.posts.like((await world.post(name)).id, "fan")
    page = await world.social.search.top_models(None)
    assert [(one.profile.username, one.engagement) for one in page.items] == [("high", 6), ("low", 3)]
    first = await world.social.search.top_models(None, None, 1)
    assert [
        one.profile.username for one in (await world.social.search.top_models(None, first.next, 1)).items
    ] == ["low"]


async def test_names_are_found_by_their_beginning(world: World) -> None:
    everybody = ["al", "Alice", "ALICE2", "alan", "bob", "a.l", "alexandria1", "alexandria2", "Alexandrina"]
    await world.people(*everybody)
    social = world.social

    async def found(prefix: str) -> list[str]:
        return names(await social.search.users(prefix, None, None, 50))

    for prefix in ("a", "AL", "ali", "alice", "alexandri", "alexandria", "Alexandria1", "z", "b", "a."):
        right = sorted(name for name in everybody if name.lower().startswith(prefix.lower()))
        assert sorted(await found(prefix)) == right, prefix
    for nothing in ("", "ä", "a b", "%", "*"):
        assert await found(nothing) == []
    seen: list[str] = []
    cursor = None
    while True:
        page = await social.search.users("al", None, cursor, 2)
        seen += names(page)
        cursor = page.next
        if cursor is None:
            break
    assert seen[0] == "al"
    assert sorted(seen) == sorted(name for name in everybody if name.lower().startswith("al"))
    await assert_clean(world.store)


async def walked(social: Social, prefix: str, limit: int) -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        page = await social.search.users(prefix, None, cursor, limit)
        seen += names(page)
        cursor = page.next
        if cursor is None:
            return seen


LONG = "sharedname"
IN_ORDER = [
    "shared",
    LONG,
    f"{LONG}-",
    f"{LONG}.z",
    f"{LONG}_",
    f"{LONG}0",
    f"{LONG}A",
    f"{LONG}a",
    f"{LONG}Aa",
    f"{LONG}aB",
    f"{LONG}B",
    f"{LONG}b-",
    f"{LONG}bb",
    f"{LONG}Z",
    "sharedNamf",
    "sharedzz",
]


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
async def test_names_come_by_the_alphabet_to_their_last_character(world: World, limit: int) -> None:
    await world.people(*reversed(IN_ORDER), "Share", "zed")
    assert await walked(world.social, "Shared", limit) == IN_ORDER
    assert await walked(world.social, f"{LONG}A", limit) == [f"{LONG}A", f"{LONG}a", f"{LONG}Aa", f"{LONG}aB"]


async def test_very_many_names_with_the_same_beginning_come_each_once(world: World) -> None:
    many = [f"{LONG}{number:04}{case}" for number in range(SORTED_NAMES // 2) for case in "xX"]
    others = [f"{LONG[:9]}", "sharednam-", "sharednama", "sharednb", "sharedna"]
    words = [word for name in (*many, *others) for word in (name_rank(name), name)]
    await world.store.call("ZADD", keys.users_names(), *words)
    search = SocialSearch(world.store, PagePipeline(world.store, Hydration(world.store)))
    seen: list[str] = []
    after = None
    lowest, highest = name_rank("sharedn"), name_rank("sharedo") - 1
    while found := await search._by_alphabet(after, lowest, highest, 40):
        seen += [place.member for place in found]
        after = found[-1]
    assert sorted(seen) == sorted([*many, *others])
    assert (seen[0], seen[-1]) == ("sharedna", "sharednb")
    assert seen[1:-1] == sorted(seen[1:-1])  # too many to sort: by bytes


async def test_the_best_posts_of_several_tags(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    both = await world.post("alice", "#a #b")
    clock.move(ms=1)
    only = await world.post("alice", "#b")
    await world.social.posts.like(both.id, "bob")
    found = await world.social.search.top_posts(["A", "b", "#a", "none"], "bob")
    assert [(one.hashtag, [item.post.id for item in one.items]) for one in found] == [
        ("a", [both.id]),
        ("b", [both.id, only.id]),
        ("none", []),
    ]
    assert found[0].items[0].is_liked
    for wrong in ([], [f"t{number}" for number in range(13)], ["no tag"]):
        with pytest.raises(BadHashtag):
            await world.social.search.top_posts(wrong, None)


async def test_tags_trend_by_their_posts_of_a_day(world: World, clock: PinnedClock) -> None:
    async def trends() -> list[tuple[str, int]]:
        return [(trend.hashtag, trend.posts) for trend in await world.social.search.trending()]

    await world.people("alice")
    for _ in range(3):
        await world.post("alice", "#old")
    clock.move(hours=20)
    for _ in range(2):
        last = await world.post("alice", "#new")
    assert await trends() == [("old", 3), ("new", 2)]
    clock.move(hours=4)
    assert await trends() == [("new", 2)]
    assert await world.members(keys.hashtags_trending()) == ["new"]
    await world.social.posts.delete(last.id, "alice")
    assert await trends() == [("new", 1)]
    await world.post("alice", "#old")
    assert sorted(await trends()) == [("new", 1), ("old", 1)]
