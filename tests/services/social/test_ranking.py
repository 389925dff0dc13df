import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.services.social.world import World, ids, open_world
from tests.support.clock import PinnedClock
from tests.support.engines import Node
from tests.support.squares import Place, assert_clean
from townsquare.kit.paging import Cursor
from townsquare.problems import BadCursor
from townsquare.services.social import keys
from townsquare.services.social.service.feeds import RankedFeed

FORTNIGHT_MS = 14 * 24 * 3600 * 1000
FANS = [f"fan{number}" for number in range(6)]


@dataclass
class Model:
    """The formula, evaluated by hand."""

    created: dict[str, int] = field(default_factory=dict)
    likes: dict[str, set[str]] = field(default_factory=dict)
    bookmarks: dict[str, set[str]] = field(default_factory=dict)
    comments: dict[str, int] = field(default_factory=dict)
    banned: set[str] = field(default_factory=set)

    def add(self, id: str, now: int) -> None:
        self.created[id], self.likes[id], self.bookmarks[id], self.comments[id] = now, set(), set(), 0

    def score(self, id: str, now: int) -> float:
        weight = len(self.likes[id]) * 3 + self.comments[id] * 5 + len(self.bookmarks[id]) * 4
        return weight / ((now - self.created[id]) / 3_600_000 + 1)

    def order(self, now: int) -> list[tuple[float, int]]:
        shown = [id for id in self.created if id not in self.banned and now - self.created[id] < FORTNIGHT_MS]
        return sorted(((self.score(id, now), self.created[id]) for id in shown), reverse=True)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("post"), st.just(0), st.just(0)),
        st.tuples(
            st.sampled_from(
                ["like", "unlike", "bookmark", "unbookmark", "comment", "ban", "unban", "delete"]
            ),
            st.integers(0, 9),
            st.integers(0, 5),
        ),
        st.tuples(
            st.just("wait"),
            st.sampled_from([1, 31_000, 3_600_000, 7_200_000, 86_400_000, 5 * 86_400_000, FORTNIGHT_MS - 1]),
            st.just(0),
        ),
    ),
    max_size=40,
)


async def play(world: World, clock: PinnedClock, steps: list[tuple[str, int, int]]) -> None:
    social, model = world.social, Model()
    await world.people("alice", *FANS)
    for verb, number, fan in steps:
        if verb == "post":
            model.add((await world.post("alice", "#tag")).id, clock.now_ms())
            continue
        if verb == "wait":
            clock.move(ms=number)
            continue
        if not model.created:
            continue
        id = list(model.created)[number % len(model.created)]
        if verb == "delete":
            await social.posts.delete(id, None)
            del model.created[id]
            model.banned.discard(id)
        elif verb == "comment":
            await social.posts.set_comments_count(id, fan)
            model.comments[id] = fan
        elif verb == "ban":
            await social.moderation.ban(id, "alice")
            model.banned.add(id)
        elif verb == "unban":
            await social.moderation.unban(id)
            model.banned.discard(id)
        elif id in model.banned:
            continue  # nobody but alice sees it
        elif verb in ("like", "bookmark"):
            await getattr(social.posts, verb)(id, FANS[fan])
            (model.likes if verb == "like" else model.bookmarks)[id].add(FANS[fan])
        else:
            await getattr(social.posts, verb)(id, FANS[fan])
            (model.likes if verb == "unlike" else model.bookmarks)[id].discard(FANS[fan])
    clock.move(seconds=30)
    shown: list[str] = []
    cursor = None
    while True:
        page = await social.feeds.ranked("tag", None, cursor, 3)
        shown += ids(page)
        cursor = page.next
        if cursor is None:
            break
    now = clock.now_ms()
    assert [(model.score(id, now), model.created[id]) for id in shown] == model.order(now)
    for id in shown:
        assert await world.score(keys.hashtag_ranked("tag"), id) == model.score(id, now)
    assert sorted(await world.members(keys.hashtag_ranked("tag"))) == sorted(shown)
    await assert_clean(world.store)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_order_is_the_formula_evaluated_now(
    steps: list[tuple[str, int, int]], data_node: Node, cache_node: Node
) -> None:
    async def example() -> None:
        data_node.ask("FLUSHALL")
        place, clock = Place("plain", data_node.unix_url, cache_node.unix_url), PinnedClock()
        async with open_world(place, clock) as world:
            await play(world, clock, steps)

    asyncio.run(example())


async def test_the_order_is_the_formula_on_any_layout(world: World, clock: PinnedClock) -> None:
    steps = [("post", 0, 0)] * 4 + [("like", 0, fan) for fan in range(5)] + [("wait", 7_200_000, 0)]
    steps += [("post", 0, 0), ("like", 4, 1), ("bookmark", 2, 2), ("comment", 3, 1), ("ban", 1, 0)]
    await play(world, clock, steps)


async def test_a_like_scores_its_post_at_once(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    post = await world.post("alice", "#tag")
    assert await world.score(keys.hashtag_ranked("tag"), post.id) == 0
    clock.move(hours=2)
    await world.social.posts.like(post.id, "bob")
    assert await world.score(keys.hashtag_ranked("tag"), post.id) == 1


async def test_posts_are_scored_again_at_most_every_thirty_seconds(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    first = await world.post("alice", "#tag")
    clock.move(ms=1)
    assert ids(await world.social.feeds.ranked("tag", None)) == [first.id]
    second = await world.post("alice", "#tag")
    await world.social.posts.like(second.id, "bob")
    clock.move(seconds=29)
    assert ids(await world.social.feeds.ranked("tag", None)) == [first.id]
    clock.move(seconds=1)
    assert ids(await world.social.feeds.ranked("tag", None)) == [second.id, first.id]


async def test_posts_past_two_weeks_leave(world: World, clock: PinnedClock) -> None:
    await world.people("alice", "bob")
    old = await world.post("alice", "#tag")
    await world.social.posts.like(old.id, "bob")
    clock.move(ms=FORTNIGHT_MS - 1)
    assert ids(await world.social.feeds.ranked("tag", None)) == [old.id]
    clock.move(seconds=30)
    assert ids(await world.social.feeds.ranked("tag", None)) == []
    assert await world.members(keys.hashtag_ranked("tag")) == []
    await world.social.posts.bookmark(old.id, "bob")
    assert await world.members(keys.hashtag_ranked("tag")) == []
    assert ids(await world.social.feeds.hashtag("tag", None)) == [old.id]
    await assert_clean(world.store)


async def test_a_page_goes_on_after_the_post_that_ended_the_last(world: World, clock: PinnedClock) -> None:
    await world.people("alice", *FANS)
    posts = []
    for number in range(6):
        clock.move(ms=1)
        posts.append((await world.post("alice", "#tag")).id)
        for fan in FANS[:number]:
            await world.social.posts.like(posts[-1], fan)
    best = posts[::-1]
    first = await world.social.feeds.ranked("tag", None, None, 2)
    assert ids(first) == best[:2]
    await world.social.posts.delete(best[0], None)
    clock.move(seconds=30)
    assert ids(await world.social.feeds.ranked("tag", None, first.next, 2)) == best[2:4]


async def posts_by_rank(world: World, clock: PinnedClock, count: int) -> list[str]:
    """Posts that nobody has liked: the newest is the best."""
    posts = []
    for _ in range(count):
        clock.move(ms=1)
        posts.append((await world.post("alice", "#tag")).id)
    return posts[::-1]


async def test_pages_go_on_in_the_order_of_the_first_while_others_like_and_ban(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice", *FANS)
    best = await posts_by_rank(world, clock, 10)
    first = await world.social.feeds.ranked("tag", None, None, 3)
    assert ids(first) == best[:3]
    for taken_out in (best[0], best[2]):
        await world.social.moderation.ban(taken_out, "alice")
    for fan in FANS:
        await world.social.posts.like(best[9], fan)
    clock.move(seconds=31)
    fresh = await world.post("alice", "#tag")
    rescored = await world.social.feeds.ranked("tag", None, None, 3)
    assert ids(rescored) == [best[9], fresh.id, best[1]]
    seen, cursor = ids(first), first.next
    while cursor:
        page = await world.social.feeds.ranked("tag", None, cursor, 3)
        seen, cursor = seen + ids(page), page.next
    assert seen == best


async def forget_orders(world: World, clock: PinnedClock, cursor: str | None) -> None:
    """As after five minutes: the order that a cursor names is not kept any more."""
    assert cursor is not None
    scored = int(cursor.partition(".")[0])
    assert await world.store.call("DEL", keys.hashtag_order("tag", scored)) == 1
    clock.move(minutes=5)


async def test_a_page_of_an_order_that_is_not_kept_goes_on_after_its_post(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice")
    best = await posts_by_rank(world, clock, 6)
    first = await world.social.feeds.ranked("tag", None, None, 2)
    await world.social.posts.delete(best[0], None)
    await forget_orders(world, clock, first.next)
    assert ids(await world.social.feeds.ranked("tag", None, first.next, 2)) == best[2:4]


async def test_a_page_of_an_order_that_is_not_kept_goes_on_where_its_post_stood(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice")
    best = await posts_by_rank(world, clock, 6)
    first = await world.social.feeds.ranked("tag", None, None, 2)
    await world.social.posts.delete(best[1], None)
    await forget_orders(world, clock, first.next)
    assert ids(await world.social.feeds.ranked("tag", None, first.next, 2)) == best[2:4]


async def test_orders_are_kept_for_five_minutes(world: World, clock: PinnedClock) -> None:
    await world.people("alice")
    best = await posts_by_rank(world, clock, 2)
    page = await world.social.feeds.ranked("tag", None, None, 1)
    assert page.next is not None
    scored = int(page.next.partition(".")[0])
    assert scored == clock.now_ms()
    assert 0 < await world.store.call("TTL", keys.hashtag_order("tag", scored)) <= 300
    assert ids(await world.social.feeds.ranked("tag", None, page.next, 1)) == best[1:]


async def test_a_post_that_lost_its_tag_is_not_ranked_under_it_any_more(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice")
    best = await posts_by_rank(world, clock, 4)
    assert ids(await world.social.feeds.ranked("tag", None)) == best
    await world.social.posts.edit(best[0], "alice", content="about something else")
    assert ids(await world.social.feeds.ranked("tag", None)) == best[1:]
    (top,) = await world.social.search.top_posts(["tag"], None, 2)
    assert [item.post.id for item in top.items] == best[1:3]


@pytest.mark.parametrize("cursor", ["x.MDph", "1.", ".MDph", "MDph", "1.zzz", "²2.MDph", f"{'9' * 16}.MDph"])
async def test_a_cursor_of_another_kind_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(BadCursor):
        await world.social.feeds.ranked("tag", None, cursor)


async def test_a_made_up_place_is_a_page_all_the_same(world: World, clock: PinnedClock) -> None:
    await world.people("alice")
    best = await posts_by_rank(world, clock, 3)
    first = await world.social.feeds.ranked("tag", None, None, 1)
    assert first.next is not None
    scored = first.next.partition(".")[0]
    for place, shown in ((Cursor(-9, "x"), best), (Cursor(2, "x"), []), (Cursor(10**15, "x"), [])):
        cursor = f"{scored}.{place.encode()}"
        assert ids(await world.social.feeds.ranked("tag", None, cursor)) == shown


async def test_the_work_for_a_big_tag_is_bounded(world: World, clock: PinnedClock) -> None:
    await world.people("alice")
    now = clock.now_ms()
    made = [(now - number * 1000, f"{number:08x}-0000-4000-8000-000000000000") for number in range(6000)]
    words = [word for score, id in made for word in (score, id)]
    await world.store.call("ZADD", keys.hashtag_posts("tag"), *words)
    favourite = made[4000][1]
    await world.store.call("ZADD", keys.hashtag_weights("tag"), 300, favourite)
    await world.store.call("ZADD", keys.hashtag_ranked("tag"), 300, favourite)
    skeleton = await RankedFeed(world.store, "tag", None).read(None, 10)
    assert skeleton.ids == [favourite, *(id for _, id in made[:9])]
    assert [skeleton.cursor(index).score for index in range(10)] == list(range(10))
    assert await world.store.call("ZCARD", keys.hashtag_ranked("tag")) == 2001


async def test_a_tag_that_nobody_ranks_does_not_grow_for_ever(world: World, clock: PinnedClock) -> None:
    await world.people("alice")
    words = [word for number in range(5000) for word in (0, f"{number:08x}-0000-4000-8000-000000000000")]
    await world.store.call("ZADD", keys.hashtag_ranked("tag"), *words)
    post = await world.post("alice", "#tag")
    assert await world.members(keys.hashtag_ranked("tag")) == [post.id]


async def test_a_tag_that_nobody_ranks_keeps_its_newest_and_its_best(
    world: World, clock: PinnedClock
) -> None:
    await world.people("alice")
    now = clock.now_ms()
    made = [(now - number * 1000, f"{number:08x}-0000-4000-8000-000000000000") for number in range(4000)]
    gone = [f"{number:08x}-0000-4000-9000-000000000000" for number in range(5000)]
    favourite = made[3600][1]
    await world.store.call("ZADD", keys.hashtag_posts("tag"), *(word for entry in made for word in entry))
    await world.store.call("ZADD", keys.hashtag_weights("tag"), 300, favourite)
    await world.store.call(
        "ZADD", keys.hashtag_ranked("tag"), 300, favourite, *(word for id in gone for word in (0, id))
    )
    clock.move(hours=1)
    post = await world.post("alice", "#tag")
    kept = await world.members(keys.hashtag_ranked("tag"))
    assert kept[0] == favourite
    assert sorted(kept[1:]) == sorted([post.id, *(id for _, id in made[:1999])])
    assert await world.score(keys.hashtag_ranked("tag"), favourite) == 300 / 3


@pytest.mark.parametrize("tag", ["nothing", "日本"])
async def test_a_tag_without_posts_is_empty_and_leaves_no_key(world: World, tag: str) -> None:
    assert ids(await world.social.feeds.ranked(tag, None)) == []
    assert await world.store.call("EXISTS", keys.hashtag_scored(tag)) == 0
