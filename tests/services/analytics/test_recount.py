import pytest

from tests.services.analytics.recount import Crowd, Recount, send
from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from townsquare.services.analytics.service import Analytics
from townsquare.store.store import Store

TASKS = 20
EVENTS = {"plain": 20_000, "cluster": 3_000}


@pytest.mark.slow
async def test_reports_are_exact_after_many_events_at_once(
    analytics: Analytics, store: Store, clock: PinnedClock, place: Place
) -> None:
    batches = list(Crowd(seed=4, now=clock.now_ms()).batches(EVENTS[place.name]))
    recount = Recount()
    for batch in batches:
        recount.add(batch)

    assert await send(analytics, batches, TASKS) == recount.total == EVENTS[place.name]

    await recount.assert_same(analytics)
    await assert_clean(store)
