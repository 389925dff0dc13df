import asyncio
from collections.abc import AsyncIterator

import pytest

from townsquare.integrity.check import all_of, at_most


async def numbers() -> AsyncIterator[int]:
    for number in range(10):
        yield number


async def test_so_many_run_at_a_time_and_no_more() -> None:
    running, most, done = 0, 0, []

    async def work(number: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        done.append(number)

    await at_most(3, work, numbers())
    assert most == 3
    assert sorted(done) == list(range(10))


async def test_a_failure_ends_the_others_before_it_is_told() -> None:
    ended = []

    async def work(number: int) -> None:
        if number == 2:
            raise ValueError("two")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    with pytest.raises(ValueError, match="two"):
        await at_most(3, work, numbers())
    assert sorted(ended) == [0, 1]


async def test_of_all_together_none_outlives_a_failure() -> None:
    ended = asyncio.Event()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await all_of([wait(), fail()])
    assert ended.is_set()
