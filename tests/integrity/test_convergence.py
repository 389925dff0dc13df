"""One repair run is enough, whatever was damaged in the data of the real services."""

import os
import re
from collections.abc import AsyncIterator

import pytest

from tests.integrity.corruption import Damage, damages, populate, restore, take_snapshot
from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from townsquare.integrity import Outcome, check
from townsquare.integrity.findings import Report
from townsquare.square import Square

STEP = {"plain": 30, "cluster": 150}  # of about 1,800 damages; a cluster has other reads, but the same rules
ALWAYS = re.compile(r"parent_id = |session: user_id = |(user|comment|page|site|post|product): deleted$")
EVERY_DAMAGE = "TOWNSQUARE_EVERY_DAMAGE"  # in the environment: a pattern of the damages to test, `.` for all


@pytest.fixture
async def populated(place: Place, clock: PinnedClock) -> AsyncIterator[Square]:
    async with open_square(place, clock) as square:
        await populate(square, clock)
        yield square


def refused(report: Report) -> set[tuple[str, str, str]]:
    left = [finding for finding in report.findings if finding.outcome is Outcome.REFUSED]
    assert all(finding.note for finding in left), left
    return {(finding.kind, finding.key, finding.problem) for finding in left}


def shown(report: Report) -> str:
    lines = [f"{one.outcome}: {one.key} {one.problem}: {one.note}" for one in report.findings]
    return "\n".join([f"  busy {report.busy}", *(f"    {line}" for line in lines)])


def selected(every: list[Damage], step: int) -> list[Damage]:
    pattern = os.environ.get(EVERY_DAMAGE)
    if pattern:
        return [damage for damage in every if re.search(pattern, damage.name)]
    return [damage for place, damage in enumerate(every) if place % step == 0 or ALWAYS.search(damage.name)]


@pytest.mark.slow
async def test_one_repair_run_is_enough(populated: Square, place: Place) -> None:
    store, jobs = populated.store, populated.jobs
    snapshot = await take_snapshot(store)
    assert not (await check(store)).findings
    unstable = []
    every = [damage async for damage in damages(store)]
    assert len({damage.name.partition(":")[0] for damage in every}) > 80
    for damage in selected(every, STEP[place.name]):
        for verb, key, args in damage.commands:
            await store.call(verb, key, *args)
        first = await check(store, repair=True, jobs=jobs)
        second = await check(store, repair=not first.clean, jobs=jobs)
        failed = [job for job in await jobs.list() if job.error]  # `townsquare jobs` shows the reason
        stable = refused(second) == refused(first) and second.total == len(refused(second))
        if not stable or (second.busy and not failed):
            unstable.append((damage.name, first, second))
        await restore(store, snapshot)
    assert not unstable, "\n".join(f"{name}\n{shown(one)}\n{shown(two)}" for name, one, two in unstable)
