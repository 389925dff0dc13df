import hashlib
from itertools import count

import pytest

from tests.support.clock import PinnedClock
from townsquare.services.threads.service.proof_of_work import (
    EASIEST,
    FREE_ACTIONS,
    HARDEST,
    LIFE_MS,
    BadSolution,
    ProofOfWork,
    difficulty_after,
    leading_zero_bits,
)

SITE, IP = "site-1", "192.0.2.7"
BITS = 6  # 64 hashes


@pytest.fixture
def clock() -> PinnedClock:
    return PinnedClock()


@pytest.fixture
def work(clock: PinnedClock) -> ProofOfWork:
    return ProofOfWork("secret", clock)


def solved(challenge: str, bits: int) -> str:
    tries = (f"{challenge}:{number}" for number in count())
    return next(text for text in tries if leading_zero_bits(hashlib.sha256(text.encode()).digest()) >= bits)


def test_a_solution_counts_and_has_a_nonce_to_remember(work: ProofOfWork) -> None:
    solution = solved(work.challenge(SITE, IP, BITS), BITS)
    nonce = work.check(solution, SITE, IP, BITS)
    assert nonce == work.check(solution, SITE, IP, BITS)  # the store finds out that it is the second time
    assert nonce != work.check(solved(work.challenge(SITE, IP, 1), 1), SITE, IP, 1)


def test_it_is_bound_to_site_address_time_and_difficulty(work: ProofOfWork, clock: PinnedClock) -> None:
    solution = solved(work.challenge(SITE, IP, BITS), BITS)
    for site, ip, bits in (("site-2", IP, BITS), (SITE, "192.0.2.8", BITS), (SITE, IP, BITS + 1)):
        with pytest.raises(BadSolution):
            work.check(solution, site, ip, bits)
    with pytest.raises(BadSolution, match="another site or address"):
        ProofOfWork("another secret", clock).check(solution, SITE, IP, BITS)
    clock.move(ms=LIFE_MS)
    with pytest.raises(BadSolution, match="expired"):
        work.check(solution, SITE, IP, BITS)


def test_a_customer_of_ipv6_may_change_address_meanwhile(work: ProofOfWork) -> None:
    solution = solved(work.challenge(SITE, "2001:db8::1", BITS), BITS)
    assert work.check(solution, SITE, "2001:db8::2", BITS) in solution


def test_a_challenge_cannot_be_made_easier(work: ProofOfWork) -> None:
    given = work.challenge(SITE, IP, HARDEST)
    _, rest = given.split(".", 1)
    for made in (f"1.{rest}", f"0.{rest}", given):
        with pytest.raises(BadSolution):
            work.check(f"{made}:0", SITE, IP, 1)


@pytest.mark.parametrize(
    "text", ["", ":", "x", "1.2.3.4:5", "1" * 10_000_000, "٣.1.0.0:1", "\ud800", "20.1." + "0" * 32 + ":1"]
)
def test_nonsense_is_refused(work: ProofOfWork, text: str) -> None:
    with pytest.raises(BadSolution):
        work.check(text, SITE, IP, BITS)


def test_it_is_asked_after_a_few_actions_and_grows() -> None:
    asked = [difficulty_after(actions) for actions in range(100)]
    assert asked[:FREE_ACTIONS] == [0] * FREE_ACTIONS
    assert asked[FREE_ACTIONS : FREE_ACTIONS + 2] == [EASIEST, EASIEST + 1]
    assert asked == sorted(asked)
    assert asked[-1] == HARDEST
