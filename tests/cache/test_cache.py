"""Values under declared keys: found, computed once, whole or not at all."""

import asyncio
from array import array
from collections.abc import AsyncIterator

import pytest

from tests.cache.conftest import KEYS
from tests.support.squares import Place, open_store
from tests.support.waiting import until
from townsquare.cache import Cache, text_digest
from townsquare.keyspace import DeclarationError, Key
from townsquare.services.search import keys
from townsquare.services.search.models.understanding import QueryUnderstandingResponse
from townsquare.store.store import Store

QUERY = keys.understanding(1, text_digest("space"))
MEANING = QueryUnderstandingResponse(similar_to=["Alien"])


def vector_of(text: str) -> "Key[array[float]]":
    return keys.embedding("model", text_digest(text))


def vector(*floats: float) -> "array[float]":
    return array("f", floats)


class Provider:
    """Counts what it is asked for, and answers when it is told to."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.may_answer = asyncio.Event()
        self.failure: Exception | None = None

    async def one(self) -> QueryUnderstandingResponse:
        self.calls.append([0])
        await self.may_answer.wait()
        if self.failure:
            raise self.failure
        return MEANING

    async def many(self, places: list[int]) -> "list[array[float]]":
        self.calls.append(places)
        await self.may_answer.wait()
        if self.failure:
            raise self.failure
        return [vector(place + 1, 2) for place in places]


@pytest.fixture
def provider() -> Provider:
    made = Provider()
    made.may_answer.set()
    return made


@pytest.fixture
async def elsewhere(place: Place) -> AsyncIterator[Cache]:
    """The cache of another process, as far as Redis can tell."""
    async with open_store(place, KEYS) as store:
        made = Cache(store, lease_seconds=1)
        yield made
        await made.close()


def counted(cache: Cache, namespace: str = "search.understanding") -> dict[str, int]:
    return cache.counts.total.get(namespace, {})


async def test_a_value_is_computed_once_and_lives_as_declared(
    cache: Cache, store: Store, provider: Provider
) -> None:
    assert await cache.get(QUERY) is None
    assert await cache.get_or_compute(QUERY, provider.one) == MEANING
    assert await cache.get_or_compute(QUERY, provider.one) == MEANING
    assert await cache.get(QUERY) == MEANING
    assert len(provider.calls) == 1
    assert 86_390 < await store.call("TTL", QUERY) <= 86_400
    assert counted(cache) == {"hit": 2, "miss": 2}


async def test_what_is_set_is_found(cache: Cache, provider: Provider) -> None:
    await cache.set(vector_of("a"), vector(0.5, 1))
    assert await cache.get(vector_of("a")) == vector(0.5, 1)
    await cache.delete(vector_of("a"))
    assert await cache.get(vector_of("a")) is None


async def test_callers_of_one_process_share_a_computation(cache: Cache, provider: Provider) -> None:
    provider.may_answer.clear()
    callers = [asyncio.create_task(cache.get_or_compute(QUERY, provider.one)) for _ in range(100)]
    await until(lambda: counted(cache).get("wait") == 99)
    provider.may_answer.set()
    assert await asyncio.gather(*callers) == [MEANING] * 100
    assert len(provider.calls) == 1


async def test_who_stops_waiting_stops_nobody(cache: Cache, provider: Provider) -> None:
    provider.may_answer.clear()
    first, second = [asyncio.create_task(cache.get_or_compute(QUERY, provider.one)) for _ in range(2)]
    await until(lambda: counted(cache).get("wait") == 1 and provider.calls)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    provider.may_answer.set()
    assert await second == MEANING
    assert len(provider.calls) == 1


async def test_another_process_waits_for_the_value(
    cache: Cache, elsewhere: Cache, provider: Provider
) -> None:
    provider.may_answer.clear()
    first = asyncio.create_task(cache.get_or_compute(QUERY, provider.one))
    await until(lambda: provider.calls)
    second = asyncio.create_task(elsewhere.get_or_compute(QUERY, provider.one))
    await until(lambda: counted(elsewhere).get("wait") == 1)
    provider.may_answer.set()
    assert await first == await second == MEANING
    assert len(provider.calls) == 1


async def test_a_computation_that_outlives_its_lease_is_still_one(
    elsewhere: Cache, store: Store, provider: Provider
) -> None:
    provider.may_answer.clear()
    first = asyncio.create_task(elsewhere.get_or_compute(QUERY, provider.one))
    await until(lambda: provider.calls)
    other = Cache(store, lease_seconds=1)
    second = asyncio.create_task(other.get_or_compute(QUERY, provider.one))
    await asyncio.sleep(2.2)  # two leases have passed: nothing else tells that nothing happened
    provider.may_answer.set()
    assert await first == await second == MEANING
    assert len(provider.calls) == 1
    await other.close()


async def test_a_failure_is_told_to_all_and_not_kept(
    cache: Cache, elsewhere: Cache, provider: Provider, store: Store
) -> None:
    provider.may_answer.clear()
    provider.failure = LookupError("no answer")
    here = [asyncio.create_task(cache.get_or_compute(QUERY, provider.one)) for _ in range(5)]
    await until(lambda: provider.calls)
    there = asyncio.create_task(elsewhere.get_or_compute(QUERY, provider.one))
    await until(lambda: counted(elsewhere).get("wait") == 1)
    provider.may_answer.set()
    outcomes = await asyncio.gather(*here, there, return_exceptions=True)
    assert all(isinstance(outcome, LookupError) for outcome in outcomes)
    assert len(provider.calls) == 2  # one in each process
    assert not await store.call("EXISTS", QUERY)
    provider.failure = None
    assert await cache.get_or_compute(QUERY, provider.one) == MEANING


async def test_a_batch_is_one_read_and_one_computation(
    cache: Cache, store: Store, provider: Provider
) -> None:
    texts = ["a", "b", "c", "a"]
    await cache.set(vector_of("b"), vector(9, 9))
    wanted = [vector_of(text) for text in texts]
    found = await cache.get_or_compute_many(wanted, provider.many)
    assert found == [vector(1, 2), vector(9, 9), vector(3, 2), vector(1, 2)]
    assert provider.calls == [[0, 2]]
    assert await cache.get_or_compute_many(wanted, provider.many) == found
    assert len(provider.calls) == 1
    assert counted(cache, "search.embedding") == {"hit": 1 + 3, "miss": 2}
    assert await cache.get_or_compute_many([], provider.many) == []


async def test_batches_that_overlap_compute_nothing_twice(
    cache: Cache, elsewhere: Cache, provider: Provider
) -> None:
    provider.may_answer.clear()
    batches = [[vector_of(text) for text in texts] for texts in ("ab", "bc", "ca")]
    first, second = cache.get_or_compute_many, elsewhere.get_or_compute_many
    tasks = [asyncio.create_task(first(batches[0], provider.many))]
    await until(lambda: len(provider.calls) == 1)
    tasks.append(asyncio.create_task(first(batches[1], provider.many)))
    await until(lambda: len(provider.calls) == 2)
    tasks.append(asyncio.create_task(second(batches[2], provider.many)))
    await until(lambda: counted(elsewhere, "search.embedding").get("wait") == 2)
    provider.may_answer.set()
    one, two, three = await asyncio.gather(*tasks)
    assert (one[1], two[1], three[1]) == (two[0], three[0], one[0])
    assert provider.calls == [[0, 1], [1]]


async def test_a_partial_computation_is_not_kept(cache: Cache, store: Store) -> None:
    async def too_few(places: list[int]) -> "list[array[float]]":
        return [vector(1, 2)]

    async def short(places: list[int]) -> "list[array[float]]":
        return [vector(1, 2), vector(1)]

    async def nothing() -> QueryUnderstandingResponse:
        return None  # type: ignore[return-value]

    wanted = [vector_of("a"), vector_of("b")]
    with pytest.raises(ValueError, match="2 values"):
        await cache.get_or_compute_many(wanted, too_few)
    with pytest.raises(ValueError, match="not complete"):
        await cache.get_or_compute_many(wanted, short, check=lambda made: len(made) == 2)
    with pytest.raises(TypeError):
        await cache.get_or_compute(QUERY, nothing)
    assert await store.pipeline([("EXISTS", key) for key in (*wanted, QUERY)]) == [0, 0, 0]


@pytest.mark.parametrize("raw", [b"", b"\x00\x00\x80", b"\x00\x00\x80\x3f"])
async def test_a_truncated_vector_is_a_miss(
    cache: Cache, store: Store, provider: Provider, raw: bytes
) -> None:
    key = vector_of("a")
    await store.call("SET", key, raw, "EX", 60)
    (found,) = await cache.get_or_compute_many([key], provider.many, check=lambda made: len(made) == 2)
    assert found == vector(1, 2)
    assert counted(cache, "search.embedding") == {"error": 1, "miss": 1}


async def test_a_value_that_cannot_be_read_is_deleted(cache: Cache, store: Store, provider: Provider) -> None:
    await store.call("SET", QUERY, b'{"channel_weights": {"lexical', "EX", 60)
    provider.failure = LookupError("no answer")
    with pytest.raises(LookupError):
        await cache.get_or_compute(QUERY, provider.one)
    assert not await store.call("EXISTS", QUERY)
    await store.call("HSET", QUERY, "of another", "type")
    provider.failure = None
    assert await cache.get_or_compute(QUERY, provider.one) == MEANING
    assert await cache.get(QUERY) == MEANING


async def test_a_hot_value_is_refreshed_before_it_expires(store: Store, provider: Provider) -> None:
    cache = Cache(store, chance=lambda: 0.9999)
    await cache.set(QUERY, QueryUnderstandingResponse())
    await store.call("PEXPIRE", QUERY, 5_000)
    assert await cache.get_or_compute(QUERY, provider.one) == QueryUnderstandingResponse()
    await until(lambda: counted(cache).get("refresh") == 1)
    assert await cache.get(QUERY) == MEANING
    assert await store.call("TTL", QUERY) > 80_000
    assert counted(cache) == {"hit": 2, "refresh": 1}
    await cache.close()


async def test_a_refresh_that_fails_harms_nobody(store: Store, provider: Provider) -> None:
    cache = Cache(store, chance=lambda: 0.9999)
    await cache.set(QUERY, MEANING)
    await store.call("PEXPIRE", QUERY, 5_000)
    provider.failure = LookupError("no answer")
    assert await cache.get_or_compute(QUERY, provider.one) == MEANING
    await until(lambda: counted(cache).get("error") == 1)
    assert await cache.get(QUERY) == MEANING
    await cache.close()


async def test_only_what_may_be_lost_is_cached(cache: Cache, provider: Provider) -> None:
    with pytest.raises(DeclarationError, match="cannot be cached"):
        await cache.get(keys.trending())


async def test_closing_ends_what_is_under_way(store: Store, provider: Provider) -> None:
    cache = Cache(store)
    provider.may_answer.clear()
    asking = asyncio.create_task(cache.get_or_compute(QUERY, provider.one))
    await until(lambda: provider.calls)
    await cache.close()
    with pytest.raises(Exception, match="closed"):
        await asking
    other = Cache(store)
    provider.may_answer.set()
    async with asyncio.timeout(2):  # the lock was released
        assert await other.get_or_compute(QUERY, provider.one) == MEANING
    await other.close()
