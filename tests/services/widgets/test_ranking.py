import random
from typing import Literal

import pytest

from tests.services.widgets.given import ID, NASTY, TOKEN, URL, outcomes, visitor
from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from townsquare.problems import Invalid, Problem
from townsquare.services.widgets import keys
from townsquare.services.widgets.models import Standings
from townsquare.services.widgets.problems import Cooldown, EntryNotFound, WidgetNotFound, WrongToken
from townsquare.services.widgets.service.ranking import RankingService
from townsquare.square import Square


@pytest.fixture
def ranking(square: Square) -> RankingService:
    return square.widgets.ranking


async def submit_all(ranking: RankingService, *scores: tuple[str, float]) -> None:
    for number, (name, score) in enumerate(scores):
        await ranking.submit(ID, visitor(1000 + number), name, score)


def places(shown: Standings) -> list[tuple[str, float]]:
    assert [entry.rank for entry in shown.entries] == list(range(1, len(shown.entries) + 1))
    return [(entry.name, entry.score) for entry in shown.entries]


async def test_the_best_score_is_first(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN, title="Heroes")
    await submit_all(ranking, ("ann", 10), ("bob", 30.5), ("cat", 20))
    shown = await ranking.get(ID)
    assert places(shown) == [("bob", 30.5), ("cat", 20), ("ann", 10)]
    assert (shown.title, shown.sort_order, shown.total_entries) == ("Heroes", "desc", 3)
    assert shown.settings.max_entries == shown.max_entries == 100


async def test_ascending_the_lowest_is_first(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN, sort_order="asc")
    await submit_all(ranking, ("ann", 10), ("bob", 30), ("cat", -2.25))
    assert places(await ranking.get(ID)) == [("cat", -2.25), ("ann", 10), ("bob", 30)]


@pytest.mark.parametrize(("order", "better", "worse"), [("desc", 20.0, 5.0), ("asc", 5.0, 20.0)])
async def test_a_name_has_one_entry_and_only_a_better_score_replaces_it(
    ranking: RankingService, order: Literal["desc", "asc"], better: float, worse: float
) -> None:
    await ranking.create(URL, TOKEN, sort_order=order)
    first = await ranking.submit(ID, visitor(1), "ann", 10)
    same = await ranking.submit(ID, visitor(2), "ann", 10)
    lower = await ranking.submit(ID, visitor(3), "ann", worse)
    higher = await ranking.submit(ID, visitor(4), "ann", better, display_score="wow")
    assert (first.accepted, same.accepted, lower.accepted, higher.accepted) == (True, False, False, True)
    assert (same.rank, higher.rank) == (1, 1)
    shown = await ranking.get(ID)
    assert places(shown) == [("ann", better)]
    assert shown.entries[0].display_score == "wow"


@pytest.mark.parametrize("order", ["desc", "asc"])
async def test_ties_keep_the_earlier_first_at_every_cut(
    ranking: RankingService, order: Literal["desc", "asc"]
) -> None:
    await ranking.create(URL, TOKEN, max_entries=5, sort_order=order)
    await submit_all(ranking, ("zoe", 7), ("ann", 7), ("mia", 7), ("bob", 7), ("kim", 7))
    late = await ranking.submit(ID, visitor(7), "eve", 7)
    assert late.accepted is False
    assert late.rank is None
    names = [name for name, _ in places(await ranking.get(ID))]
    assert names == ["zoe", "ann", "mia", "bob", "kim"]
    assert [name for name, _ in places(await ranking.top(ID, 2))] == ["zoe", "ann"]
    await ranking.submit(ID, visitor(8), "top", 8 if order == "desc" else 6)
    assert [name for name, _ in places(await ranking.get(ID))] == ["top", "zoe", "ann", "mia", "bob"]
    kept = await ranking.update(ID, TOKEN, max_entries=3)
    assert [name for name, _ in places(kept)] == ["top", "zoe", "ann"]
    assert kept.total_entries == 3


@pytest.mark.parametrize("order", ["desc", "asc"])
async def test_a_full_ranking_drops_the_worst(ranking: RankingService, order: Literal["desc", "asc"]) -> None:
    await ranking.create(URL, TOKEN, max_entries=3, sort_order=order)
    await submit_all(ranking, ("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 0))
    expected = [("d", 4), ("c", 3), ("b", 2)] if order == "desc" else [("e", 0), ("a", 1), ("b", 2)]
    assert places(await ranking.get(ID)) == expected


async def test_a_visitor_waits_a_minute_after_an_accepted_score(
    ranking: RankingService, clock: PinnedClock
) -> None:
    await ranking.create(URL, TOKEN)
    await ranking.submit(ID, visitor(), "ann", 10)
    clock.move(seconds=20)
    with pytest.raises(Cooldown) as refused:
        await ranking.submit(ID, visitor(), "ann", 99)
    assert refused.value.extra["retry_after"] == 40
    clock.move(seconds=40)
    assert (await ranking.submit(ID, visitor(), "ann", 11)).accepted


async def test_a_score_that_was_not_accepted_costs_no_wait(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN)
    await ranking.submit(ID, visitor(1), "ann", 10)
    assert (await ranking.submit(ID, visitor(2), "ann", 1)).accepted is False
    assert (await ranking.submit(ID, visitor(2), "bob", 2)).accepted is True


async def test_a_wait_cannot_be_passed_by_racing(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN)
    found = await outcomes(ranking.submit(ID, visitor(), f"n{number}", number) for number in range(50))
    assert sum(isinstance(one, Cooldown) for one in found) == 49
    assert (await ranking.get(ID)).total_entries == 1


@pytest.mark.parametrize("name", NASTY)
async def test_any_name_is_kept_as_it_is(ranking: RankingService, name: str) -> None:
    await ranking.create(URL, TOKEN)
    await ranking.submit(ID, visitor(1), name, 1, display_score=name)
    await ranking.submit(ID, visitor(2), name, 2, display_score=name)
    shown = await ranking.get(ID)
    assert places(shown) == [(name, 2)]
    assert shown.entries[0].display_score == name
    assert (await ranking.remove(ID, TOKEN, name)).total_entries == 0


@pytest.mark.parametrize("score", [0.1, -0.0, 1e308, -1e308, 5e-324, 2**53, 123456789.123456789])
async def test_scores_are_exact(ranking: RankingService, score: float) -> None:
    await ranking.create(URL, TOKEN, max_entries=1)
    await ranking.submit(ID, visitor(1), "ann", score)
    assert places(await ranking.get(ID)) == [("ann", score)]
    equal = await ranking.submit(ID, visitor(2), "bob", score)
    assert equal.accepted is False


async def test_the_owner_corrects_removes_and_clears(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN)
    await submit_all(ranking, ("ann", 10), ("bob", 20))
    assert places(await ranking.set_score(ID, TOKEN, "bob", 5, display_score="five")) == [
        ("ann", 10),
        ("bob", 5),
    ]
    assert places(await ranking.remove(ID, TOKEN, "ann")) == [("bob", 5)]
    for deed in (ranking.remove(ID, TOKEN, "ann"), ranking.set_score(ID, TOKEN, "ann", 1)):
        with pytest.raises(EntryNotFound):
            await deed
    cleared = await ranking.clear(ID, TOKEN)
    assert (cleared.entries, cleared.total_entries, cleared.last_submit) == ([], 0, None)
    for deed in (
        ranking.remove(ID, "wrong token", "bob"),
        ranking.clear(ID, "wrong token"),
        ranking.update(ID, "wrong token", title="x"),
    ):
        with pytest.raises(WrongToken):
            await deed


async def test_settings_change_one_by_one(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN, title="Old", description="Words")
    await submit_all(ranking, ("ann", 10), ("bob", 20))
    shown = await ranking.update(ID, TOKEN, title="New")
    assert (shown.title, shown.description, shown.sort_order) == ("New", "Words", "desc")
    shown = await ranking.update(ID, TOKEN, sort_order="asc")
    assert (shown.title, places(shown)) == ("New", [("ann", 10), ("bob", 20)])
    assert (await ranking.update(ID, TOKEN, title="")).title == ""


async def test_bad_values_change_nothing(ranking: RankingService) -> None:
    await ranking.create(URL, TOKEN)
    before = await ranking.get(ID)
    for score in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(Invalid):
            await ranking.submit(ID, visitor(), "ann", score)
    for name in ("", "   ", "x" * 51, "a\nb", "a\0b", "\ud800"):
        with pytest.raises(Invalid):
            await ranking.submit(ID, visitor(), name, 1)
    with pytest.raises(Invalid):
        await ranking.submit(ID, visitor(), "ann", 1, display_score="x" * 101)
    for size in (0, -1, 1001):
        with pytest.raises(Invalid):
            await ranking.update(ID, TOKEN, max_entries=size)
    with pytest.raises(WidgetNotFound):
        await ranking.submit("nobody-00000000", visitor(), "ann", 1)
    for limit in (0, 1001):
        with pytest.raises(Invalid):
            await ranking.top(ID, limit)
    assert await ranking.get(ID) == before


@pytest.mark.parametrize("order", ["desc", "asc"])
async def test_five_hundred_submits_on_a_full_ranking(square: Square, order: Literal["desc", "asc"]) -> None:
    ranking = square.widgets.ranking
    await ranking.create(URL, TOKEN, max_entries=50, sort_order=order)
    chance = random.Random(7)
    scores = [chance.randrange(200) for _ in range(500)]
    found = await outcomes(
        ranking.submit(ID, visitor(number), f"name {number}", score) for number, score in enumerate(scores)
    )
    assert not [one for one in found if isinstance(one, Problem)]
    shown = await ranking.top(ID, 50)
    assert [entry.score for entry in shown.entries] == sorted(scores, reverse=order == "desc")[:50]
    assert len({entry.name for entry in shown.entries}) == shown.total_entries == 50
    store = square.store
    assert await store.call("ZCARD", keys.ranking_scores(ID)) == 50
    assert await store.call("HLEN", keys.ranking_entries(ID)) == 50
    await assert_clean(store)
