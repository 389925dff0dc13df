import asyncio

import pytest

from townsquare.store.coordination.idempotency import Idempotency, IdempotencyKeyReused
from townsquare.store.keys import idempotency
from townsquare.store.store import Store

SCOPE, BODY = (b"POST /posts", b"alice", b"key"), (b"body",)


@pytest.fixture
def keys(store: Store) -> Idempotency:
    return Idempotency(store, "a secret of the tests")


async def test_a_refused_request_gives_the_key_back(keys: Idempotency) -> None:
    first = await keys.begin(SCOPE, BODY)
    with pytest.raises(IdempotencyKeyReused):
        await keys.begin(SCOPE, (b"another body",))
    assert await keys.refused(first) is None
    assert (await keys.begin(SCOPE, (b"another body",))).first


async def test_a_refused_request_gets_the_result_of_another_with_the_same_key(
    keys: Idempotency, store: Store
) -> None:
    first, second = await keys.begin(SCOPE, BODY), await keys.begin(SCOPE, BODY)
    assert (first.first, second.first) == (True, False)
    refused = [asyncio.create_task(keys.refused(one)) for one in (first, second)]
    await asyncio.sleep(0)
    await store.call("SET", idempotency(first.digest), f"{first.fingerprint} made", "EX", 60)
    assert await asyncio.gather(*refused) == ["made", "made"]
    assert (await keys.begin(SCOPE, BODY)).result == "made"


async def test_parts_of_a_scope_are_not_joined(keys: Idempotency) -> None:
    one = await keys.begin((b"ab", b"c"), BODY)
    assert (await keys.begin((b"a", b"bc"), BODY)).digest != one.digest
