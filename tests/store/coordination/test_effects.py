import asyncio
import time
from itertools import count
from types import SimpleNamespace

import pytest

from tests.support.clock import PinnedClock
from tests.support.logs import capture_logs
from tests.support.squares import Place, assert_clean
from tests.toy.crash import crash
from tests.toy.fixtures import crowd, open_toy
from tests.toy.keys import city_people, email, follows, home_of, people_joined, person, tag_notes
from tests.toy.service import SendPoison, Toy
from townsquare.store.keys import LEASE_SECONDS, outbox, outbox_lease


def neighbour_of(name: str) -> str:
    """Somebody else who lives in the same bucket."""
    return next(other for n in count() if home_of(other := f"neighbour-{n}") == home_of(name))


async def test_effects_are_read_back_at_once(service: Toy) -> None:
    await service.join("ann", email="ann@example.org", city="rome")
    store = service.store
    assert await store.call("SISMEMBER", city_people("rome"), "ann")
    assert await store.call("ZSCORE", people_joined(), "ann") == store.clock.now_ms()
    assert await store.get(email("ann@example.org")) == "ann"


async def test_effects_of_one_home_are_applied_in_order(service: Toy) -> None:
    await service.join("ann", city="rome")
    cities = ["oslo", "rome", "lima", "oslo", "rome", "oslo"]
    await asyncio.gather(*(service.move("ann", city) for city in cities))
    home = await service.store.get(person("ann"))
    assert home is not None
    for city in set(cities):
        assert await service.store.call("SISMEMBER", city_people(city), "ann") == (city == home.city)


async def test_a_script_of_another_home_runs_as_an_effect(service: Toy) -> None:
    await service.join("ann")
    await service.join("bob")
    assert await service.follow("ann", "bob") == 1
    bob = await service.store.get(person("bob"))
    assert bob is not None
    assert bob.followers_count == 1


async def test_an_effect_may_have_effects_on_the_home_that_it_came_from(service: Toy) -> None:
    await service.join("ann")
    nobody, nobody_near = "nobody", neighbour_of("ann")
    async with asyncio.timeout(5):
        await service.follow("ann", nobody)
        await service.follow("ann", nobody_near)
    assert await service.store.call("SCARD", follows("ann")) == 0
    await assert_clean(service.store)


async def test_two_homes_may_have_effects_on_each_other_at_once(service: Toy) -> None:
    await service.join("ann")
    await service.join("bob")
    near_ann, near_bob = neighbour_of("ann"), neighbour_of("bob")
    async with asyncio.timeout(10):
        for _ in range(20):
            await asyncio.gather(service.follow("ann", near_bob), service.follow("bob", near_ann))
    await assert_clean(service.store)


async def test_a_hundred_operations_at_once_end_consistent(
    service: Toy, place: Place, clock: PinnedClock
) -> None:
    async with open_toy(place, clock) as other:
        await crowd([service, other], people=20, steps=5)
    assert await service.store.effects.sweep() == 0
    await assert_clean(service.store)


async def test_an_effect_that_cannot_be_applied_does_not_block_the_outbox(service_on_cluster: Toy) -> None:
    service = service_on_cluster
    await service.join("ann")
    await service.store.run(SendPoison(name="ann", city="rome"))
    assert await service.store.call("SISMEMBER", city_people("rome"), "ann")
    assert await service.store.call("XLEN", outbox(home_of("ann"))) == 0


async def test_a_damaged_target_does_not_block_the_outbox(service_on_cluster: Toy) -> None:
    service = service_on_cluster
    await service.join("ann")
    await service.store.call("SET", tag_notes("a"), "not a set")
    await service.write("ann", "hello", "a", "b")
    assert await service.store.call("SCARD", tag_notes("b")) == 1
    assert await service.store.effects.sweep() == 0


async def test_a_crash_between_script_and_drain_is_made_up_for(
    service_on_cluster: Toy, cluster_place: Place
) -> None:
    service = service_on_cluster
    await service.join("ann", city="rome")
    await crash(cluster_place, "before_drain")
    assert await service.store.call("SISMEMBER", city_people("rome"), "ann")
    assert await service.store.effects.sweep() == 1
    assert await service.store.call("SISMEMBER", city_people("oslo"), "ann")
    assert not await service.store.call("SISMEMBER", city_people("rome"), "ann")
    await assert_clean(service.store)


async def test_a_crash_while_draining_is_made_up_for_when_its_lease_ends(
    service_on_cluster: Toy, cluster_place: Place
) -> None:
    service, home = service_on_cluster, home_of("ann")
    await service.join("ann", city="rome")
    await crash(cluster_place, "half_drained")
    assert await service.store.call("PTTL", outbox_lease(home)) > 0
    assert await service.store.call("XLEN", outbox(home)) > 0
    await service.store.call("DEL", outbox_lease(home))
    await service.store.effects.sweep()
    assert await service.store.call("XLEN", outbox(home)) == 0
    await assert_clean(service.store)


async def test_a_drainer_that_was_held_up_past_its_lease_takes_the_effects_again(
    service_on_cluster: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it took before may be old by then: another drainer could have applied newer ones."""
    service, looks, held_up = service_on_cluster, count(1), 3  # to give up, to take, to apply
    await service.join("ann", city="rome")

    def monotonic() -> float:
        return time.monotonic() + (LEASE_SECONDS if next(looks) >= held_up else 0)

    monkeypatch.setattr("townsquare.store.coordination.effects.time", SimpleNamespace(monotonic=monotonic))
    with capture_logs() as logs:
        await service.move("ann", "oslo")
    assert [line["why"] for line in logs if line["event"] == "effects are late"] == [
        "this drainer was held up"
    ]
    assert await service.store.call("SISMEMBER", city_people("oslo"), "ann")
    assert await service.store.call("XLEN", outbox(home_of("ann"))) == 0
    await assert_clean(service.store)


async def test_nothing_is_left_in_an_outbox_of_one_node(plain_place: Place, clock: PinnedClock) -> None:
    async with open_toy(plain_place, clock) as service:
        await service.join("ann", city="rome")
        assert not await service.store.call("EXISTS", outbox(home_of("ann")))
