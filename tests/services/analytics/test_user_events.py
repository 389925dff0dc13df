import asyncio
from typing import Any

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean, raw_names
from townsquare.keyspace import mint_id
from townsquare.services.analytics.keys import journey
from townsquare.services.analytics.models import (
    Event,
    EventExport,
    Interaction,
    Rating,
    Search,
    Session,
    View,
    Wishlist,
)
from townsquare.services.analytics.problems import BeingForgotten
from townsquare.services.analytics.scripts import BeginForgetting, ForgetChunk
from townsquare.services.analytics.service import Analytics, user_events
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


async def a_busy_user(analytics: Analytics, clock: PinnedClock, user_id: str = "usr_1") -> None:
    for number in range(12):
        clock.move(minutes=1)
        events: list[Event] = [
            View(product=f"P{number}", id=f"v{number}"),
            Search(term=f"term {number}", results=number, properties={"page": 2}),
            Rating(product=f"P{number}", stars=1 + number % 5),
            Wishlist(product=f"P{number}"),
            Interaction(name="click", properties={"x": 1.5, "deep": True}),
            Session(action="end"),
        ]
        await analytics.record(events, user_id=user_id)


async def test_a_journey_is_everything_newest_first(analytics: Analytics, clock: PinnedClock) -> None:
    await a_busy_user(analytics, clock)

    steps, cursor = [], None
    while True:
        page = await analytics.journey("usr_1", limit=10, cursor=cursor)
        steps += page.items
        if (cursor := page.next) is None:
            break

    assert len(steps) == len({step.id for step in steps}) == 72
    assert [step.at for step in steps] == sorted((step.at for step in steps), reverse=True)
    (search,) = [step for step in steps if step.what == "term 7"]
    assert (search.kind, search.results, search.properties) == ("search", 7, {"page": 2})
    (rating,) = [step for step in steps if step.kind == "rating" and step.what == "P3"]
    assert rating.value == 4


async def test_a_journey_ends_thirty_days_ago(analytics: Analytics, store: Store, clock: PinnedClock) -> None:
    await analytics.record([View(product="old")], user_id="usr_1")
    clock.move(days=29, hours=23)
    await analytics.record([View(product="new")], user_id="usr_1")
    assert [step.what for step in (await analytics.journey("usr_1")).items] == ["new", "old"]

    clock.move(hours=2)
    await analytics.record([View(product="newest")], user_id="usr_1")
    assert [step.what for step in (await analytics.journey("usr_1")).items] == ["newest", "new"]
    assert await store.call("ZCARD", journey("usr_1")) == 2


async def test_an_export_has_all_that_is_known(analytics: Analytics, clock: PinnedClock) -> None:
    await a_busy_user(analytics, clock)
    await a_busy_user(analytics, clock, "usr_2")

    export = await analytics.export("usr_1")

    assert len(export.events) == 72
    assert [history.product for history in export.views] == sorted(f"P{number}" for number in range(12))
    assert all(len(history.viewed) == 1 for history in export.views)
    assert export.ratings == {f"P{number}": 1 + number % 5 for number in range(12)}
    assert export.wishlist == sorted(f"P{number}" for number in range(12))


async def test_an_export_of_nobody_is_empty(analytics: Analytics) -> None:
    assert await analytics.export("usr_0") == EventExport(events=[], views=[], ratings={}, wishlist=[])


async def test_forgetting_leaves_nothing_that_names_the_user(
    analytics: Analytics, store: Store, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_events, "CHUNK", 5)
    await a_busy_user(analytics, clock)
    await a_busy_user(analytics, clock, "usr_2")

    await analytics.forget("usr_1")

    assert not [name for name in await raw_names(store) if "usr_1" in name]
    assert await analytics.export("usr_1") == EventExport(events=[], views=[], ratings={}, wishlist=[])
    assert len((await analytics.export("usr_2")).events) == 72
    figures = await analytics.product("P3")
    assert (figures.views, figures.ratings, figures.wishlists) == (2, 1, 1)
    await assert_clean(store)


async def test_forgetting_deletes_the_events_as_they_came(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    await a_busy_user(analytics, clock)
    await analytics.forget("usr_1")
    assert not [name for name in await raw_names(store) if ":events:" in name]


async def test_who_is_being_forgotten_is_not_recorded(analytics: Analytics, store: Store) -> None:
    await analytics.record([View(product="P")], user_id="usr_1")
    job = mint_id(journey("usr_1").bucket)
    await store.run(BeginForgetting(actor="usr_1", job=job, now=store.clock.now_ms()))

    with pytest.raises(BeingForgotten):
        await analytics.record([View(product="P")], user_id="usr_1")

    await analytics.forget("usr_1")
    assert (await analytics.record([View(product="P")], user_id="usr_1")).recorded == 1


async def test_what_a_crash_left_is_forgotten_by_the_job_runner(
    analytics: Analytics, store: Store, jobs: Jobs, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_events, "CHUNK", 5)
    await a_busy_user(analytics, clock)
    run, chunks = store.run, 0

    async def dies(call: Any) -> Any:
        nonlocal chunks
        if isinstance(call, ForgetChunk):
            chunks += 1
            if chunks == 4:
                raise asyncio.CancelledError
        return await run(call)

    monkeypatch.setattr(store, "run", dies)
    with pytest.raises(asyncio.CancelledError):
        await analytics.forget("usr_1")
    assert (await analytics.journey("usr_1")).items
    monkeypatch.setattr(store, "run", run)

    clock.move(minutes=1)
    await jobs.run_open()

    assert not [name for name in await raw_names(store) if "usr_1" in name]
    assert await jobs.list() == []
    await assert_clean(store)


async def test_forgetting_twice_at_once_is_forgetting_once(
    analytics: Analytics, store: Store, clock: PinnedClock
) -> None:
    await a_busy_user(analytics, clock)
    await asyncio.gather(*(analytics.forget("usr_1") for _ in range(5)))
    assert not [name for name in await raw_names(store) if "usr_1" in name]
    await assert_clean(store)


async def test_forgetting_nobody_leaves_nothing(analytics: Analytics, store: Store, jobs: Jobs) -> None:
    await analytics.forget("usr_0")
    assert not [name for name in await raw_names(store) if ":analytics:" in name]
    assert await jobs.list() == []
