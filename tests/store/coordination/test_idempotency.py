import asyncio

import pytest

from townsquare.store.coordination.idempotency import Idempotency, IdempotencyKeyReused, RequestInProgress
from townsquare.store.keys import Remembered
from townsquare.store.keys import idempotency as place
from townsquare.store.store import Store

ANSWER = Remembered("print", 201, "text/plain", b"\x00made", {"Location": "/there"})


async def test_a_retry_gets_the_first_answer(store: Store) -> None:
    remembered = Idempotency(store)
    assert await remembered.begin("post", "k", "print") is None
    await remembered.finish("post", "k", ANSWER)
    assert await remembered.begin("post", "k", "print") == ANSWER
    assert 86_000 < await store.call("TTL", place("post", "k")) <= 86_400


async def test_one_key_is_for_one_request(store: Store) -> None:
    remembered = Idempotency(store)
    await remembered.begin("post", "k", "print")
    with pytest.raises(RequestInProgress):
        await remembered.begin("post", "k", "print")
    with pytest.raises(IdempotencyKeyReused):
        await remembered.begin("post", "k", "another")
    assert await remembered.begin("other", "k", "another") is None


async def test_an_abandoned_key_is_free_again(store: Store) -> None:
    remembered = Idempotency(store)
    await remembered.begin("post", "k", "print")
    await remembered.abandon("post", "k")
    assert await remembered.begin("post", "k", "print") is None


async def test_of_a_hundred_one_holds_the_key(store: Store) -> None:
    async def begin() -> bool:
        try:
            return await Idempotency(store).begin("post", "a:{b} c", "print") is None
        except RequestInProgress:
            return False

    assert sum(await asyncio.gather(*(begin() for _ in range(100)))) == 1
