import asyncio
from typing import Any

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean, raw_names
from tests.toy.crash import crash
from tests.toy.fixtures import open_toy
from tests.toy.keys import person, person_notes
from tests.toy.service import Toy
from townsquare.store.coordination.deletion import CHILDREN_AT_ONCE
from townsquare.store.coordination.jobs import RETRY_SECONDS
from townsquare.store.keys import LEASE_SECONDS, job, jobs_open

NOTES = 3 * CHILDREN_AT_ONCE + 1


@pytest.fixture
async def ann(service: Toy) -> str:
    """Somebody with more than one step can delete."""
    for name in ("ann", "bob", "cyd"):
        await service.join(name, email=f"{name}@example.org", city="rome")
    for number in range(NOTES):
        id = await service.write("ann", f"note {number}", "a")
        await service.like(id, "bob")
    await service.follow("ann", "bob")
    await service.follow("cyd", "ann")
    return "ann"


async def test_a_job_does_all_its_steps(service: Toy, ann: str) -> None:
    await service.leave(ann)
    assert not any(ann in name for name in await raw_names(service.store))
    assert await service.store.call("ZCARD", jobs_open()) == 0
    await assert_clean(service.store)


async def test_an_open_job_can_be_seen(service: Toy, ann: str) -> None:
    id = await service.begin_leaving(ann)
    (seen,) = await service.jobs.list()
    assert (seen.id, seen.kind, seen.state, seen.done) == (id, "toy.delete_person", "open", 0)
    assert seen.started_at == service.store.clock.now_ms()


async def test_work_has_one_mark(service: Toy, ann: str) -> None:
    id = await service.begin_leaving(ann)
    assert await service.begin_leaving(ann) == id
    assert len(await service.jobs.list()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [LEASE_SECONDS + 1, -3_600], ids=["later", "set back"])
async def test_a_job_that_a_crash_left_is_continued(
    service: Toy, place: Place, clock: PinnedClock, ann: str, seconds: float
) -> None:
    await crash(place, "half_left")
    assert await service.store.call("SCARD", person_notes(ann)) == NOTES - CHILDREN_AT_ONCE
    await service.jobs.run_open()
    assert await service.store.call("SCARD", person_notes(ann)) == NOTES - CHILDREN_AT_ONCE
    clock.move(seconds=seconds)
    await service.jobs.run_open()
    assert await service.store.get(person(ann)) is None
    assert await service.store.call("ZCARD", jobs_open()) == 0
    await assert_clean(service.store)


async def test_two_processes_do_a_job_once(service: Toy, place: Place, clock: PinnedClock, ann: str) -> None:
    id = await service.begin_leaving(ann)
    async with open_toy(place, clock) as other:
        await asyncio.gather(service.jobs.run(id), other.jobs.run(id))
    assert await service.store.get(person(ann)) is None
    await assert_clean(service.store)


async def test_a_failed_step_is_noted_and_tried_again(service: Toy, clock: PinnedClock, ann: str) -> None:
    async def fail(args: dict[str, Any]) -> int:
        raise LookupError("no disk")

    working = service.jobs._steps["toy.delete_person"]
    service.jobs.register("toy.delete_person", fail)
    with pytest.raises(LookupError):
        await service.leave(ann)
    (seen,) = await service.jobs.list()
    assert (seen.state, seen.error) == ("failed", "LookupError: no disk")

    service.jobs.register("toy.delete_person", working)
    clock.move(seconds=RETRY_SECONDS + 1)
    await service.jobs.run_open()
    assert await service.store.get(person(ann)) is None


async def test_a_job_that_fails_does_not_keep_others_waiting(
    service: Toy, clock: PinnedClock, ann: str
) -> None:
    tries = []
    working = service.jobs._steps["toy.delete_person"]

    async def fail_for_ann(args: dict[str, Any]) -> int:
        if args["values"] == [ann]:
            tries.append(ann)
            raise LookupError("no disk")
        return await working(args)

    service.jobs.register("toy.delete_person", fail_for_ann)
    await service.begin_leaving(ann)
    clock.move(seconds=1)
    await service.begin_leaving("bob")
    await service.jobs.run_open()
    await service.jobs.run_open()
    assert await service.store.get(person("bob")) is None
    assert tries == [ann]
    clock.move(seconds=RETRY_SECONDS + 1)
    await service.jobs.run_open()
    assert tries == [ann, ann]


async def test_a_mark_whose_job_is_gone_is_removed(service: Toy, ann: str) -> None:
    id = await service.begin_leaving(ann)
    await service.store.call("DEL", job(id))
    await service.jobs.run_open()
    assert await service.store.call("ZCARD", jobs_open()) == 0
