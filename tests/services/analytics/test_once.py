"""Every event is counted once: retried, raced, replayed or left half-way by a crash."""

import asyncio
from typing import Any

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.services.analytics import keys
from townsquare.services.analytics.models import Event, Rating, Search, View, Wishlist
from townsquare.services.analytics.service import Analytics
from townsquare.store.keys import outbox
from townsquare.store.store import Store

on_a_cluster = pytest.mark.parametrize("place", ["cluster"], indirect=True)

BATCH: list[Event] = [
    View(id="e1", product="P"),
    View(id="e2", product="Q"),
    Search(id="e3", term="a"),
    Rating(id="e4", product="P", stars=3),
    Wishlist(id="e5", product="Q"),
]


async def totals(analytics: Analytics) -> dict[str, Any]:
    """What the counts say, all of them."""
    activity = await analytics.activity(analytics.today(), analytics.today())
    return {
        "P": await analytics.product("P"),
        "Q": await analytics.product("Q"),
        "viewed": [(one.figures.product, one.score) for one in (await analytics.top("viewed")).items],
        "week": [(one.figures.product, one.score) for one in (await analytics.top_viewed_in("week")).items],
        "terms": [(one.term, one.searches) for one in (await analytics.top_terms("month")).items],
        "events": activity.events,
    }


async def test_a_retry_is_not_counted_again(analytics: Analytics, store: Store) -> None:
    await analytics.record(BATCH, user_id="usr_1")
    before = await totals(analytics)

    answer = await analytics.record(BATCH, user_id="usr_1")

    assert (answer.recorded, answer.duplicates) == (0, 5)
    assert await totals(analytics) == before
    assert len((await analytics.journey("usr_1")).items) == 5
    await assert_clean(store)


async def test_of_a_retry_with_news_only_the_news_count(analytics: Analytics) -> None:
    await analytics.record(BATCH[:2], user_id="usr_1")
    answer = await analytics.record([*BATCH, BATCH[4]], user_id="usr_1")
    assert (answer.recorded, answer.duplicates) == (3, 3)


async def test_fifty_retries_at_once_count_once(analytics: Analytics, store: Store) -> None:
    answers = await asyncio.gather(*(analytics.record(BATCH, user_id="usr_1") for _ in range(50)))

    assert sum(answer.recorded for answer in answers) == 5
    assert (await analytics.product("P")).views == 1
    await assert_clean(store)


async def test_nobody_can_use_up_the_ids_of_others(analytics: Analytics) -> None:
    await analytics.record(BATCH, visitor="somebody-else")
    assert (await analytics.record(BATCH, user_id="usr_1")).recorded == 5


async def test_events_without_an_id_are_always_new(analytics: Analytics) -> None:
    for _ in range(2):
        await analytics.record([View(product="P")], user_id="usr_1")
    assert (await analytics.product("P")).views == 2


async def test_an_id_is_remembered_for_a_day(analytics: Analytics, store: Store, clock: PinnedClock) -> None:
    await analytics.record([View(id="e1", product="P")], user_id="usr_1")
    clock.move(hours=23, minutes=59)
    assert (await analytics.record([View(id="e1", product="P")], user_id="usr_1")).recorded == 0

    clock.move(minutes=2)
    await analytics.record([View(id="e2", product="P")], user_id="usr_1")
    assert await store.call("ZRANGE", keys.seen("usr_1"), 0, -1) == [b"e2"]


async def test_no_event_is_lost_when_many_send_at_once(analytics: Analytics, store: Store) -> None:
    async def device(number: int) -> None:
        for _ in range(5):
            await analytics.record([View(product="P"), View(product="Q")], visitor=f"device-{number:03}")

    await asyncio.gather(*(device(number) for number in range(50)))

    assert [one.score for one in (await analytics.top("viewed")).items] == [250, 250]
    assert [one.score for one in (await analytics.top_viewed_in("day")).items] == [250, 250]
    await assert_clean(store)


@on_a_cluster
async def test_tallies_that_are_handed_over_twice_count_once(analytics: Analytics, store: Store) -> None:
    await analytics.record([Wishlist(product="P")], user_id="usr_1")
    home = outbox(keys.journey("usr_1").bucket)
    drain = store.effects.drain

    async def later(bucket: str) -> None:
        """As a server that died before it drained."""

    store.effects.drain = later  # type: ignore[method-assign]
    await analytics.record(BATCH, user_id="usr_1")
    handed_over = await store.call("XRANGE", home, "-", "+")
    store.effects.drain = drain  # type: ignore[method-assign]
    assert (await analytics.product("P")).views == 0

    assert await store.effects.sweep() == 1
    once = await totals(analytics)
    assert once["events"] == {
        "view": 2,
        "search": 1,
        "rating": 1,
        "wishlist": 2,
        "interaction": 0,
        "session": 0,
    }
    assert once["viewed"] == once["week"] == [("Q", 1), ("P", 1)]

    for _, (_, effect) in handed_over:
        await store.call("XADD", home, "*", "effect", effect)
    await store.effects.sweep()
    assert await totals(analytics) == once
    await assert_clean(store)


@on_a_cluster
async def test_a_number_that_a_crash_lost_is_not_given_again(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    await analytics.record([View(product="P")], user_id="usr_1")
    await store.call("DEL", keys.sequence(keys.journey("usr_1").bucket))
    clock.move(ms=1)

    await analytics.record([View(product="P")], user_id="usr_1")

    assert (await analytics.product("P")).views == 2
