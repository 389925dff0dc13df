"""The checker on a store that others write to."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.integrity.damage import REPAIRABLE, Town, build
from tests.support.clock import PinnedClock
from tests.support.squares import Place
from tests.toy.crash import crash
from tests.toy.fixtures import crowd, open_toy
from tests.toy.keys import city_people, home_of, person
from tests.toy.service import Toy
from townsquare.integrity import FindingKind, check
from townsquare.integrity import confirm as confirming
from townsquare.integrity.confirm import Confirmed, Confirmer, Verdict
from townsquare.integrity.rules.rule import Suspicion
from townsquare.integrity.store_reader import Column, StoreReader
from townsquare.keyspace import mint_id
from townsquare.store.keys import jobs_open

WRITERS = 50
STEPS = 40


class Suspicions:
    """How many there were, so that a test knows that it tested something."""

    def __init__(self) -> None:
        self.count = 0


@pytest.fixture
def torn_reads(monkeypatch: pytest.MonkeyPatch) -> Suspicions:
    """A batch reads one column after the other, so that writers come in between."""
    suspicions = Suspicions()
    read, confirm = StoreReader.read_columns, Confirmer.confirm

    async def read_one_by_one(self: StoreReader, columns: Sequence[Column]) -> list[list[Any]]:
        return [replies for column in columns for replies in await read(self, [column])]

    async def confirm_and_count(self: Confirmer, suspicion: Suspicion) -> Confirmed | Verdict:
        suspicions.count += 1
        return await confirm(self, suspicion)

    monkeypatch.setattr(StoreReader, "read_columns", read_one_by_one)
    monkeypatch.setattr(Confirmer, "confirm", confirm_and_count)
    return suspicions


async def test_fifty_writers_raise_no_false_alarm(
    service: Toy, place: Place, clock: PinnedClock, torn_reads: Suspicions
) -> None:
    async with open_toy(place, clock) as one, open_toy(place, clock) as other:
        writers = asyncio.create_task(crowd([one, other], WRITERS, STEPS))
        while not writers.done():
            report = await check(service.store)
            assert not report.findings
        await writers
    assert torn_reads.count > 0
    report = await check(service.store)
    assert (report.findings, report.busy) == ([], 0)


async def test_a_repair_among_writers_breaks_nothing(service: Toy, place: Place, clock: PinnedClock) -> None:
    town = await build(service)
    async with open_toy(place, clock) as one, open_toy(place, clock) as other:
        writers = asyncio.create_task(crowd([one, other], WRITERS, STEPS))
        for name in ("wrong count in a hash", "stray index", "stray place", "orphan", "undeclared key"):
            await REPAIRABLE[name][1](town)
        first = await check(service.store, repair=True)
        while not writers.done():
            assert not (await check(service.store, repair=True)).findings
        await writers
    assert first.total >= 5
    last = await check(service.store)
    assert (last.findings, last.busy) == ([], 0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirming, "ATTEMPTS", 3)


@pytest.mark.usefixtures("impatient")
async def test_a_home_with_an_open_job_is_left_alone(town: Town) -> None:
    await town.do("ZADD", jobs_open(), 1, mint_id(home_of("ann")))
    await town.do("HSET", person("ann"), "follows_count", 7)
    await town.do("HSET", person("bob"), "follows_count", 7)
    report = await check(town.store, repair=True)
    assert [finding.key for finding in report.findings] == [town.store.name(person("bob"))]
    assert report.busy == 1


@pytest.mark.usefixtures("impatient")
async def test_effects_on_their_way_are_no_fault(service_on_cluster: Toy, cluster_place: Place) -> None:
    service = service_on_cluster
    await service.join("ann", city="rome")
    await crash(cluster_place, "before_drain")
    report = await check(service.store)
    assert not report.findings
    assert (report.waiting, report.busy) == (1, 2)


async def test_a_repair_applies_what_a_crash_left(service_on_cluster: Toy, cluster_place: Place) -> None:
    service = service_on_cluster
    await service.join("ann", city="rome")
    await crash(cluster_place, "before_drain")
    report = await check(service.store, repair=True)
    assert (report.findings, report.waiting, report.busy) == ([], 0, 0)
    assert await service.store.call("SISMEMBER", city_people("oslo"), "ann")


async def test_a_suspicion_that_has_passed_is_not_reported(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    await town.do("SADD", city_people("oslo"), "ann")
    look = Confirmer.confirm
    looked = 0

    async def look_late(self: Confirmer, suspicion: Suspicion) -> object:
        nonlocal looked
        looked += 1
        await town.do("SREM", city_people("oslo"), "ann")
        return await look(self, suspicion)

    monkeypatch.setattr(Confirmer, "confirm", look_late)
    report = await check(town.store)
    assert looked == 1
    assert not report.findings


async def test_a_broken_list_of_jobs_does_not_stop_the_check(town: Town) -> None:
    await town.do("ZADD", jobs_open(), 1, "nonsense")
    await town.do("HSET", person("ann"), "follows_count", 7)
    assert (await check(town.store)).tallies.keys() == {FindingKind.COUNTS}
    await town.do("DEL", jobs_open())
    await town.do("SET", jobs_open(), "nonsense")
    assert (await check(town.store)).tallies.keys() == {FindingKind.COUNTS, FindingKind.TYPE}
