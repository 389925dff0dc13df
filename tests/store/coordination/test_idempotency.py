import asyncio
import json

import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from townsquare.problems import Unavailable
from townsquare.store.coordination.idempotency import Idempotency, IdempotencyKeyReused
from townsquare.store.keys import idempotency, idempotency_result, outbox, outbox_lease
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
    first, second, _ = [await keys.begin(SCOPE, BODY) for _ in range(3)]  # the third runs
    assert (first.first, second.first) == (True, False)
    refused = [asyncio.create_task(keys.refused(one)) for one in (first, second)]
    await asyncio.sleep(0)
    await store.call(
        "SET", idempotency_result(first.digest, "0a3"), f"{first.fingerprint}  made of 1", "EX", 60
    )
    await store.call("SET", idempotency(first.digest), f"{first.fingerprint} 0a3", "EX", 60)
    assert await asyncio.gather(*refused) == ["made of 1", "made of 1"]
    assert (await keys.begin(SCOPE, BODY)).result == "made of 1"


async def test_requests_that_are_all_refused_do_not_wait(
    keys: Idempotency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.store.coordination.idempotency.POLLS", 10_000)
    requests = [await keys.begin(SCOPE, BODY) for _ in range(5)]
    async with asyncio.timeout(20):
        assert await asyncio.gather(*map(keys.refused, requests)) == [None] * 5
    assert (await keys.begin(SCOPE, (b"another body",))).first


async def test_a_request_that_was_killed_keeps_the_key(
    keys: Idempotency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("townsquare.store.coordination.idempotency.POLLS", 2)
    await keys.begin(SCOPE, BODY)
    assert await keys.refused(await keys.begin(SCOPE, BODY)) is None
    with pytest.raises(IdempotencyKeyReused):
        await keys.begin(SCOPE, (b"another body",))
    assert not (await keys.begin(SCOPE, BODY)).first


async def test_a_refused_request_waits_for_the_outbox_of_a_killed_process(
    cluster_place: Place, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process was killed while it applied its effects. Its lease on the outbox ends after ten seconds."""
    monkeypatch.setattr("townsquare.store.coordination.idempotency.POLLS", 2)
    monkeypatch.setattr("townsquare.store.coordination.effects.LONGEST_WAIT", 0.1)
    async with open_square(cluster_place, clock) as square:
        store = square.store
        keys = Idempotency(store, "a secret of the tests")
        first = await keys.begin(SCOPE, BODY)
        effect = ["SET", ["system.idempotency", first.digest], f"{first.fingerprint} 0a3", "EX", "60"]
        result = f"{first.fingerprint}  made"
        await store.call("SET", idempotency_result(first.digest, "0a3"), result, "EX", 60)
        await store.call("XADD", outbox("0a3"), "*", "effect", json.dumps(effect))
        await store.call("SET", outbox_lease("0a3"), "the killed process", "EX", 10)
        with pytest.raises(Unavailable):
            await keys.refused(await keys.begin(SCOPE, BODY))
        await store.call("DEL", outbox_lease("0a3"))
        assert await keys.refused(await keys.begin(SCOPE, BODY)) == "made"


async def test_a_result_that_was_undone_is_none(keys: Idempotency, store: Store) -> None:
    first = await keys.begin(SCOPE, BODY)
    await store.call("SET", idempotency(first.digest), f"{first.fingerprint} 0a3", "EX", 60)
    assert (await keys.begin(SCOPE, BODY)).result is None


async def test_parts_of_a_scope_are_not_joined(keys: Idempotency) -> None:
    one = await keys.begin((b"ab", b"c"), BODY)
    assert (await keys.begin((b"a", b"bc"), BODY)).digest != one.digest
