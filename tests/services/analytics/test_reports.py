from datetime import date, timedelta

import pytest

from tests.services.analytics.recount import ordered, whole
from tests.support.clock import PinnedClock
from townsquare.argument_validation import checked
from townsquare.kit.paging import Cursor
from townsquare.problems import BadCursor, Invalid
from townsquare.services.analytics import keys
from townsquare.services.analytics.models import Event, Rating, Search, View
from townsquare.services.analytics.problems import BadRange
from townsquare.services.analytics.service import Analytics
from townsquare.store.store import Store

TODAY = date(2026, 3, 14)


async def test_pages_follow_each_other_through_equal_scores(analytics: Analytics, store: Store) -> None:
    scores = {f"Product {number}": number // 40 for number in range(130)} | {"é": 1, "E": 1, "z": 1}
    for name, score in scores.items():
        await store.call("ZADD", keys.top("viewed"), score, name)

    found, cursor = [], None
    while True:
        page = await analytics.top("viewed", limit=7, cursor=cursor)
        found += [(one.figures.product, one.score) for one in page.items]
        if (cursor := page.next) is None:
            break

    assert found == ordered(scores)
    await store.call("DEL", keys.top("viewed"))


async def test_a_page_goes_on_where_the_last_one_ended_although_that_one_has_moved(
    analytics: Analytics, store: Store
) -> None:
    for name in "abcdef":
        await analytics.record([View(product=name)], user_id="usr_1")
    first = await analytics.top("viewed", limit=3)
    assert [one.figures.product for one in first.items] == ["f", "e", "d"]

    await analytics.record([View(product="d")], user_id="usr_1")

    second = await analytics.top("viewed", limit=3, cursor=first.next)
    assert [one.figures.product for one in second.items] == ["c", "b", "a"]
    assert second.next is None


@pytest.mark.parametrize("cursor", ["x", "!!!", "e30", Cursor(1, "a").encode()[:-3], "WzFlOTk5LCJhIl0", "é"])
async def test_a_cursor_of_somebody_elses_is_refused(analytics: Analytics, cursor: str) -> None:
    with pytest.raises(BadCursor):
        await analytics.top("viewed", cursor=cursor)


@pytest.mark.parametrize("limit", [0, 101, -1])
async def test_pages_are_bounded(analytics: Analytics, limit: int) -> None:
    with pytest.raises(Invalid):
        await checked(analytics).top_terms("day", limit=limit)


async def test_a_single_best_rating_does_not_lead(analytics: Analytics) -> None:
    for number in range(20):
        await analytics.record(
            [Rating(product="Loved", stars=5 - (number % 5 == 0))], user_id=f"usr_{number}"
        )
    await analytics.record([Rating(product="New", stars=5), Rating(product="Bad", stars=1)], user_id="usr_1")

    page = await analytics.top("rated")
    assert [(one.figures.product, one.figures.average) for one in page.items] == [
        ("Loved", 4.8),
        ("New", 5.0),
        ("Bad", 1.0),
    ]


async def test_periods_are_kept_apart(analytics: Analytics, clock: PinnedClock) -> None:
    """A Saturday, the Monday after it, and the first of the next month."""
    for moment in ("2026-03-14T23:59:59.999Z", "2026-03-16T00:00:00.000Z", "2026-04-01T00:00:00.000Z"):
        clock.set(moment)
        await analytics.record([View(product="P"), Search(term=moment[:10])], user_id="usr_1")

    for span, day, views in (
        ("day", TODAY, 1),
        ("week", TODAY, 1),
        ("week", date(2026, 3, 22), 1),
        ("month", TODAY, 2),
        ("month", date(2026, 4, 30), 1),
    ):
        assert await whole(analytics, "viewed", span, day) == [("P", views)]
    assert await whole(analytics, "viewed", "day", date(2026, 3, 15)) == []
    assert [one.term for one in (await analytics.top_terms("day")).items] == ["2026-04-01"]
    assert (await analytics.top("viewed")).items[0].score == 3


async def test_weeks_belong_to_the_year_of_their_thursday(analytics: Analytics, clock: PinnedClock) -> None:
    clock.set("2027-01-01T12:00:00.000Z")
    await analytics.record([View(product="P")], user_id="usr_1")
    assert await whole(analytics, "viewed", "week", date(2026, 12, 28)) == [("P", 1)]


async def test_counts_outlive_the_events_they_came_from(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    at = clock.now_ms()
    await analytics.record([View(product="P"), Search(term="a")], user_id="usr_1")
    clock.move(days=31)
    await store.call("DEL", keys.events_search(TODAY, at))

    assert (await analytics.product("P")).views == 1
    assert (await analytics.top_terms("day", TODAY)).items[0].searches == 1
    assert (await analytics.activity(TODAY, TODAY)).events["search"] == 1
    assert (await analytics.journey("usr_1")).items == []


async def test_active_users_of_a_range_are_different_ones(analytics: Analytics, clock: PinnedClock) -> None:
    for people in (range(30), range(20, 50)):
        for number in people:
            events: list[Event] = [View(product="P")]
            await analytics.record(events, user_id=f"usr_{number}")
        clock.move(days=1)

    activity = await analytics.activity(TODAY, TODAY + timedelta(days=2))
    assert [day.active_users for day in activity.days] == [30, 30, 0]
    assert activity.active_users == 50
    assert activity.hours["view"][15] == 60


@pytest.mark.parametrize("days", [-1, 92])
async def test_a_range_is_at_most_a_quarter(analytics: Analytics, days: int) -> None:
    with pytest.raises(BadRange):
        await analytics.activity(TODAY, TODAY + timedelta(days=days))
