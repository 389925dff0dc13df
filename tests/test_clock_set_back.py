"""The clock of the servers, or that of Redis, is set back by an hour: no wait exceeds its maximum."""

import pytest

from tests.services.threads.test_proof_of_work import solved
from tests.services.widgets.given import ID, TOKEN, URL, visitor
from tests.support.clock import PinnedClock
from townsquare.cache import keys as cache_keys
from townsquare.cache.locks import TakeLock
from townsquare.services.accounts.problems import BadRefreshToken
from townsquare.services.accounts.signin.models import Client, VerificationType
from townsquare.services.accounts.signin.verification_codes import PER_ASKER, VerificationCodes
from townsquare.services.threads import keys
from townsquare.services.threads.scripts import SetPresence, SetTyping
from townsquare.services.threads.service.proof_of_work import BadSolution, ProofOfWork
from townsquare.square import Square
from townsquare.store.coordination.background import Lease
from townsquare.store.coordination.scripts import TakeEffects
from townsquare.store.keys import BACKGROUND_LEASE_SECONDS, LEASE_SECONDS, lease, outbox_lease

HOUR_MS = 3_600_000
PAGE = "0e8c5a1e-0000-4000-8000-0000000001a3"


async def test_who_has_posted_posts_again(square: Square, clock: PinnedClock) -> None:
    widgets = square.widgets
    await widgets.bbs.create(URL, TOKEN)
    await widgets.ranking.create(URL, TOKEN)
    for score in (1, 2):
        await widgets.bbs.post(ID, visitor(), "hello")
        assert (await widgets.ranking.submit(ID, visitor(), "ann", score)).accepted
        clock.move(hours=-1)


async def test_who_has_used_up_the_codes_of_an_hour_gets_more(square: Square, clock: PinnedClock) -> None:
    codes = VerificationCodes(square.store, "secret")
    for _ in range(2):
        for number in range(PER_ASKER):
            assert await codes.issue(f"user{number}@example.org", VerificationType.EMAIL, None, "192.0.2.1")
        clock.move(hours=-1)


async def test_a_refresh_token_that_was_exchanged_is_worth_nothing(
    square: Square, clock: PinnedClock
) -> None:
    account = await square.accounts.sign_up("ann")
    first = await square.accounts.sessions.issue(account, "password", Client())
    await square.accounts.sessions.refresh(first.refresh_token, Client())
    clock.move(hours=-1)
    with pytest.raises(BadRefreshToken):
        await square.accounts.sessions.refresh(first.refresh_token, Client())


async def test_who_typed_and_whom_a_crashed_process_saw_is_gone(square: Square, clock: PinnedClock) -> None:
    store = square.store
    await store.run(SetTyping(page_id=PAGE, user_id="usr_1", typing=True))
    await store.run(SetPresence(page_id=PAGE, process="crashed", users=["usr_1"]))
    clock.move(hours=-1)
    await store.run(SetPresence(page_id=PAGE, process="alive", users=[]))
    assert not await store.call("EXISTS", keys.page_typing(PAGE))
    assert not await store.call("EXISTS", keys.page_presence(PAGE))


def test_a_challenge_does_not_last_longer(clock: PinnedClock) -> None:
    proofs = ProofOfWork("secret", clock)
    challenge = proofs.challenge("site", "192.0.2.1", 1)
    solution = solved(challenge, 1)
    proofs.check(solution, "site", "192.0.2.1", 1)
    clock.move(hours=-1)
    with pytest.raises(BadSolution, match="expired"):
        proofs.check(solution, "site", "192.0.2.1", 1)


async def test_a_lock_that_redis_would_keep_for_an_hour_ends_as_a_new_one(square: Square) -> None:
    store = square.store
    lock = cache_keys.lock("search", "name")
    await store.call("SET", lock, "crashed", "PX", HOUR_MS)
    await store.call("SET", outbox_lease("0a3"), "crashed", "PX", HOUR_MS)
    await store.call("SET", lease("jobs"), "crashed", "PX", HOUR_MS)

    assert not await store.run(TakeLock(service="search", name="name", token="ours", seconds=30))
    taken = await store.run(
        TakeEffects(bucket="0a3", token="ours", lease_ms=LEASE_SECONDS * 1000, count=1, applied=[])
    )
    assert not taken.held
    assert not await Lease(store, "jobs").take()

    assert 0 < await store.call("TTL", lock) <= 30
    assert 0 < await store.call("TTL", outbox_lease("0a3")) <= LEASE_SECONDS
    assert 0 < await store.call("TTL", lease("jobs")) <= BACKGROUND_LEASE_SECONDS
