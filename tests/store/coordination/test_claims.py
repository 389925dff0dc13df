import asyncio

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, assert_clean
from tests.toy.fixtures import open_toy
from tests.toy.keys import email, person
from tests.toy.service import PersonExists, Toy
from townsquare.clock import SystemClock
from townsquare.problems import Taken
from townsquare.store.coordination.claims import CLAIM_MS, USE_WITHIN_MS

ADDRESS = "one@example.org"


async def test_of_fifty_who_claim_one_value_one_wins(service: Toy, place: Place, clock: PinnedClock) -> None:
    async with open_toy(place, clock) as other:
        attempts = [(service, other)[n % 2].join(f"person-{n}", email=ADDRESS) for n in range(50)]
        results = await asyncio.gather(*attempts, return_exceptions=True)
    winners = [f"person-{n}" for n, result in enumerate(results) if result is None]
    assert len(winners) == 1
    assert sum(isinstance(result, Taken) for result in results) == 49
    assert await service.store.get(email(ADDRESS)) == winners[0]
    people = await service.store.get_many([person(f"person-{n}") for n in range(50)])
    assert sum(one is not None for one in people) == 1
    await assert_clean(service.store)


async def test_a_kept_claim_lasts(service: Toy) -> None:
    await service.join("ann", email=ADDRESS)
    assert await service.store.call("PTTL", email(ADDRESS)) == -1
    with pytest.raises(Taken, match="email"):
        await service.join("bob", email=ADDRESS)


async def test_who_claims_nothing_is_not_held_up(service: Toy) -> None:
    await service.join("ann")
    assert await service.store.get(person("ann")) is not None


async def test_a_refused_script_gives_its_claim_back(service: Toy) -> None:
    await service.join("ann")
    with pytest.raises(PersonExists):
        await service.join("ann", email=ADDRESS)
    await service.join("bob", email=ADDRESS)
    assert await service.store.get(email(ADDRESS)) == "bob"


async def test_a_claim_that_redis_would_keep_for_an_hour_ends_as_a_new_one(service: Toy) -> None:
    store = service.store
    await store.call("SET", email(ADDRESS), "bob", "EX", 3_600)
    with pytest.raises(Taken):
        async with store.claims.hold({email(ADDRESS): "ann"}):
            pass
    assert 0 < await store.call("PTTL", email(ADDRESS)) <= CLAIM_MS


async def test_a_claim_that_nobody_used_ends_by_itself(service_on_cluster: Toy) -> None:
    store = service_on_cluster.store
    hold = store.claims.hold({email(ADDRESS): "ann"})
    await hold.__aenter__()
    assert 0 < await store.call("PTTL", email(ADDRESS)) <= CLAIM_MS
    await assert_clean(store)


async def test_a_cancelled_request_gives_its_claim_back(service_on_cluster: Toy) -> None:
    store = service_on_cluster.store
    hold = store.claims.hold({email(ADDRESS): "ann"})
    await hold.__aenter__()
    cancelled = asyncio.CancelledError()
    assert not await hold.__aexit__(type(cancelled), cancelled, None)
    assert await store.get(email(ADDRESS)) is None


async def test_a_second_request_of_the_same_owner_has_to_wait_for_the_first(service_on_cluster: Toy) -> None:
    """If it shared the claim, neither could give it back when both fail."""
    store = service_on_cluster.store
    first, second = (store.claims.hold({email(ADDRESS): "ann"}) for _ in range(2))
    await first.__aenter__()
    with pytest.raises(Taken, match="email"):
        await second.__aenter__()
    assert await store.get(email(ADDRESS)) == "ann"
    refusal = PersonExists()
    assert not await first.__aexit__(type(refusal), refusal, None)
    assert await store.get(email(ADDRESS)) is None


async def test_a_claim_that_can_be_used_no_more_goes_over_to_the_next_request(
    service_on_cluster: Toy,
) -> None:
    """Whoever took it and died would hold up their own next try for as long as it lives."""
    store = service_on_cluster.store
    first, second = (store.claims.hold({email(ADDRESS): "ann"}) for _ in range(2))
    await first.__aenter__()
    await store.call("PEXPIRE", email(ADDRESS), CLAIM_MS - 2 * USE_WITHIN_MS - 1_500)
    with pytest.raises(Taken):
        await service_on_cluster.join("bob", email=ADDRESS)
    await second.__aenter__()
    assert await store.call("PTTL", email(ADDRESS)) > CLAIM_MS - USE_WITHIN_MS
    late = SystemClock().now_ms() - 2 * USE_WITHIN_MS
    await store.claims._release(email(ADDRESS), "ann", taken_at=late)  # the first had not died
    assert await store.get(email(ADDRESS)) == "ann"


async def test_a_claim_that_ran_out_does_not_write(
    service_on_cluster: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.store.coordination.claims.USE_WITHIN_MS", -5_000)
    with pytest.raises(Exception, match="the claim ran out"):
        await service_on_cluster.join("ann", email=ADDRESS)
    assert await service_on_cluster.store.get(person("ann")) is None
