from datetime import date
from typing import Any

import msgspec
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean, raw_names
from townsquare.keyspace import AnyKey, Role
from townsquare.services.analytics import keys
from townsquare.services.analytics.models import (
    Event,
    Interaction,
    Rating,
    Search,
    Session,
    View,
    Wishlist,
)
from townsquare.services.analytics.problems import BadBatch, BadEvent, WhoIsMissing
from townsquare.services.analytics.service import Analytics
from townsquare.store.store import Store

on_one_node = pytest.mark.parametrize("place", ["plain"], indirect=True)

TODAY = date(2026, 3, 14)
DAY_MS = 86_400_000
ONE_OF_EACH: list[Event] = [
    View(product="Whey Gold"),
    Search(term="protein", results=12, properties={"page": 1}),
    Rating(product="Whey Gold", stars=4),
    Wishlist(product="Whey Gold"),
    Interaction(name="banner", properties={"place": "top"}),
    Session(action="start"),
]


async def test_every_key_of_the_seed_is_there(analytics: Analytics, store: Store, clock: PinnedClock) -> None:
    await analytics.record(ONE_OF_EACH, user_id="usr_1")

    now = clock.now_ms()
    assert await store.call("GET", keys.views("Whey Gold")) == b"1"
    assert await store.call("ZCARD", keys.views_user("usr_1", "Whey Gold")) == 1
    for declared in (keys.events_search, keys.events_interaction, keys.events_session):
        (raw,) = await store.call("HVALS", declared(TODAY, now))
        assert msgspec.json.decode(raw)["user"] == "usr_1"


@on_one_node
async def test_names_in_redis_are_the_seeds(analytics: Analytics, store: Store) -> None:
    await analytics.record(ONE_OF_EACH, user_id="usr_1")

    assert {
        "test:analytics:views:Whey%20Gold",
        "test:analytics:views:user:usr_1:Whey%20Gold",
        "test:analytics:events:search:2026-03-14:1773500966535",
        "test:analytics:events:interaction:2026-03-14:1773500966535",
        "test:analytics:events:session:2026-03-14:1773500966535",
    } <= await raw_names(store)


async def test_each_kind_is_counted(analytics: Analytics, store: Store) -> None:
    answer = await analytics.record(ONE_OF_EACH, user_id="usr_1")

    assert (answer.recorded, answer.duplicates) == (6, 0)
    figures = await analytics.product("Whey Gold")
    assert (figures.views, figures.ratings, figures.average, figures.wishlists) == (1, 1, 4.0, 1)
    activity = await analytics.activity(TODAY, TODAY)
    assert activity.active_users == 1
    assert set(activity.events.values()) == {1}
    assert activity.hours["search"][15] == 1
    await assert_clean(store)


async def test_two_events_in_one_millisecond_are_two_events(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    twice: list[Event] = [Search(term="a"), Search(term="a"), View(product="P"), View(product="P")]
    await analytics.record(twice, user_id="usr_1")
    await analytics.record([Search(term="a")], user_id="usr_2")

    assert await store.call("HLEN", keys.events_search(TODAY, clock.now_ms())) == 3
    assert len((await analytics.history("usr_1", "P")).viewed) == 2
    assert (await analytics.top_terms("day")).items[0].searches == 3
    assert len((await analytics.journey("usr_1")).items) == 4


@on_one_node
async def test_a_batch_is_one_round_trip(
    analytics: Analytics, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await analytics.record(ONE_OF_EACH, user_id="usr_1")
    nodes = store.role_stores[Role.DATA].nodes
    execute, sent = nodes.execute, []

    async def counted(slot: int | None, *command: Any) -> Any:
        sent.append(command[0])
        return await execute(slot, *command)

    monkeypatch.setattr(nodes, "execute", counted)
    monkeypatch.setattr(nodes, "execute_many", None)
    await analytics.record([View(product=f"P{number}") for number in range(100)], user_id="usr_1")
    assert sent == ["EVALSHA"]


async def test_the_history_has_the_last_hundred_newest_first(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    began = clock.now_ms()
    for number in range(3):
        clock.move(minutes=1)
        events: list[Event] = [View(product="P", at=began + number * 1000 + n) for n in range(50)]
        await analytics.record(events, user_id="usr_1")

    viewed = (await analytics.history("usr_1", "P")).viewed
    assert viewed == sorted(viewed, reverse=True)
    assert (len(viewed), viewed[0], viewed[-1]) == (100, began + 2049, began + 1000)
    assert (await analytics.product("P")).views == 150


async def test_an_event_that_arrives_late_takes_its_place(analytics: Analytics, clock: PinnedClock) -> None:
    now = clock.now_ms()
    await analytics.record([View(product="P")], user_id="usr_1")
    await analytics.record([View(product="P", at=now - 16 * 3_600_000)], user_id="usr_1")

    assert (await analytics.history("usr_1", "P")).viewed == [now, now - 16 * 3_600_000]
    activity = await analytics.activity(date(2026, 3, 13), TODAY)
    assert [day.events["view"] for day in activity.days] == [1, 1]


async def test_an_event_from_the_future_happened_now(analytics: Analytics, clock: PinnedClock) -> None:
    await analytics.record([View(product="P", at=clock.now_ms() + 60_000)], user_id="usr_1")
    assert (await analytics.history("usr_1", "P")).viewed == [clock.now_ms()]


async def test_a_batch_is_recorded_whole_or_not_at_all(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    events: list[Event] = [
        View(product="P"),
        View(product="P", at=clock.now_ms() - DAY_MS),
        View(product=" \t "),
        View(product="a\x07b"),
        View(product="\ud800"),
        View(product="P", id="a b"),
        Rating(product="P", stars=6),
    ]
    with pytest.raises(BadEvent) as refusal:
        await analytics.record(events, user_id="usr_1")

    assert [error["field"] for error in refusal.value.extra["errors"]] == [
        "events[1].at",
        "events[2]",
        "events[3]",
        "events[4]",
        "events[5].id",
        "events[6].stars",
    ]
    assert await raw_names(store) == set()


@pytest.mark.parametrize("count", [0, 101])
async def test_a_batch_has_one_to_a_hundred_events(analytics: Analytics, count: int) -> None:
    with pytest.raises(BadBatch):
        await analytics.record([View(product="P")] * count, user_id="usr_1")


@pytest.mark.parametrize(
    ("user_id", "visitor"),
    [(None, None), (None, "short"), (None, "with.a.dot"), (None, "x" * 65), ("a:b", None), ("a.b", None)],
)
async def test_somebody_must_have_done_it(
    analytics: Analytics, user_id: str | None, visitor: str | None
) -> None:
    with pytest.raises(WhoIsMissing):
        await analytics.record([View(product="P")], user_id=user_id, visitor=visitor)


async def test_a_visitor_cannot_pass_for_a_user(analytics: Analytics) -> None:
    await analytics.record([View(product="P")], visitor="usr_12345678")

    assert (await analytics.journey("usr_12345678")).items == []
    assert len((await analytics.journey("visitor.usr_12345678")).items) == 1


async def test_terms_differ_by_neither_case_nor_spacing(analytics: Analytics) -> None:
    events: list[Event] = [Search(term="Whey  PROTEIN "), Search(term="whey protein")]
    await analytics.record(events, user_id="usr_1")
    (found,) = (await analytics.top_terms("week")).items
    assert (found.term, found.searches) == ("whey protein", 2)


@pytest.mark.parametrize(
    "name", ["a:b", "{0a3}", "50% off", "ホエイ プロテイン", "user", "x" * 200, "👨‍👩‍👧"]
)
async def test_any_name_can_be_a_product(analytics: Analytics, store: Store, name: str) -> None:
    events: list[Event] = [View(product=name), Rating(product=name, stars=5), Wishlist(product=name)]
    await analytics.record(events, user_id="usr_1")

    (found,) = (await analytics.top("viewed")).items
    assert (found.figures.product, found.figures.views, found.figures.wishlists) == (name, 1, 1)
    await assert_clean(store)


async def test_the_last_rating_of_a_user_counts(analytics: Analytics, store: Store) -> None:
    await analytics.record([Rating(product="P", stars=1), Rating(product="P", stars=5)], user_id="usr_1")
    await analytics.record([Rating(product="P", stars=2)], user_id="usr_2")
    await analytics.record([Rating(product="P", stars=4)], user_id="usr_1")

    figures = await analytics.product("P")
    assert (figures.ratings, figures.average) == (2, 3.0)
    await assert_clean(store)


async def test_a_wishlist_counts_users_not_clicks(analytics: Analytics, store: Store) -> None:
    await analytics.record([Wishlist(product="P"), Wishlist(product="P")], user_id="usr_1")
    await analytics.record([Wishlist(product="P")], user_id="usr_2")
    assert (await analytics.product("P")).wishlists == 2

    await analytics.record([Wishlist(product="P", action="remove")], user_id="usr_1")
    await analytics.record([Wishlist(product="P", action="remove")], user_id="usr_2")
    assert (await analytics.product("P")).wishlists == 0
    assert (await analytics.top("wishlisted")).items == []
    await assert_clean(store)


async def test_everything_that_should_end_has_a_lifetime(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    await analytics.record([View(id="e1", product="P"), Search(term="a")], user_id="usr_1")

    async def days(key: AnyKey) -> float:
        return round(float(await store.call("PTTL", key)) / DAY_MS, 1)

    assert await days(keys.seen("usr_1")) == 1
    assert await days(keys.journey("usr_1")) == 30
    assert await days(keys.events_search(TODAY, clock.now_ms())) == 30
    assert await days(keys.views_user("usr_1", "P")) == 365
    assert await days(keys.top_in("viewed", "2026-03-14")) == 90.4
    assert await days(keys.top_in("terms", "2026-W11")) == 401.4
    assert await days(keys.top_in("viewed", "2026-03")) == 417.4
    assert await days(keys.hours(TODAY)) == await days(keys.active(TODAY)) == 400.4
    await assert_clean(store)
