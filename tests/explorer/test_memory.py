from datetime import date, timedelta

import pytest

from tests.support.clock import PinnedClock
from townsquare.explorer.history import growth_of, read_history, record_memory
from townsquare.explorer.memory import DeclarationMemory, estimate, measure_memory
from townsquare.services.social import keys as social
from townsquare.square import Square
from townsquare.store.keys import MEMORY_DAYS

POSTS = 400


async def write_posts(square: Square) -> None:
    await square.store.pipeline(
        [
            ("HSET", social.post(f"00000000-0000-4000-8000-{n:09x}0a3"), "content", "x" * (1 + n % 97))
            for n in range(POSTS)
        ]
    )


def posts_of(rows: list[DeclarationMemory]) -> DeclarationMemory:
    return next(row for row in rows if row.pattern == social.post.pattern)


@pytest.mark.parametrize("known_keys", [None])
async def test_an_estimate_includes_the_exact_size_within_its_error(square: Square, known_keys: None) -> None:
    await write_posts(square)
    exact = posts_of((await measure_memory(square.store, sample=POSTS)).declarations)
    assert (exact.keys, exact.measured, exact.error) == (POSTS, POSTS, 0)
    assert exact.bytes > POSTS * 50
    close = 0
    for seed in range(20):
        found = posts_of((await measure_memory(square.store, sample=50, seed=seed)).declarations)
        assert (found.keys, found.measured) == (POSTS, 50)
        assert 0 < found.error < 0.2 * exact.bytes
        close += abs(found.bytes - exact.bytes) <= found.error
    assert close >= 17  # 95 % are expected


async def test_the_largest_keys_come_first(square: Square) -> None:
    id = "00000000-0000-4000-8000-0000000000a3"
    await square.store.call("HSET", social.post(id), "content", "x" * 50_000)
    report = await measure_memory(square.store)
    assert report.largest[0].name == square.store.name(social.post(id))
    assert report.largest[0].bytes > 50_000
    assert report.declarations[0].pattern == social.post.pattern
    assert report.used > report.bytes > 50_000
    await square.store.call("DEL", social.post(id))


def test_a_sample_of_equal_sizes_has_no_error() -> None:
    assert estimate([10, 10, 10], 100) == (1_000, 0)
    assert estimate([], 0) == (0, 0)


async def test_the_history_is_one_value_a_day_and_bounded(square: Square, clock: PinnedClock) -> None:
    for _ in range(MEMORY_DAYS + 2):
        await record_memory(square.store)
        clock.move(days=1)
    history = await read_history(square.store)
    assert len(history) == MEMORY_DAYS
    assert all(used > 100_000 for used in history.values())


def test_growth_and_forecast() -> None:
    first = date(2026, 1, 1)
    history = {first + timedelta(days=n): 1_000 + 100 * n for n in range(10)}
    growth = growth_of(history, used=1_900, limit=2_900)
    assert growth is not None
    assert growth.days == 10
    assert growth.bytes_per_day == pytest.approx(100)
    assert growth.days_until_full == pytest.approx(10)
    unlimited = growth_of(history, used=1_900, limit=0)
    assert unlimited is not None
    assert unlimited.days_until_full is None
    assert growth_of({first: 1}, 1, 2) is None
