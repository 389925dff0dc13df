"""What a server does besides answering."""

import asyncio

from tests.support.waiting import until
from townsquare.problems import Unavailable
from townsquare.store.coordination.background import Background
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


async def test_work_of_every_process_goes_on_in_each_whatever_becomes_of_it(store: Store) -> None:
    done = {"one": 0, "two": 0}
    failures: list[Exception] = [Unavailable(), RuntimeError("broken")]

    def work_of(name: str) -> Background:
        async def work() -> None:
            done[name] += 1
            if failures:
                raise failures.pop()

        background = Background(store, Jobs(store))
        background.in_every_process(0, work)
        return background

    processes = [work_of("one"), work_of("two")]
    for process in processes:
        process.start()
    await until(lambda: min(done.values()) > 3)
    await asyncio.gather(*(process.stop() for process in processes))
    assert not failures
