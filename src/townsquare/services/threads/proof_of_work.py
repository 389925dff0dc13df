"""Proof of work: a sum that a browser does before somebody whom nobody knows may go on.

A challenge is `difficulty.expiry.nonce.signature`. Its solution is the challenge, a colon and a number such
that the SHA-256 of the whole begins with `difficulty` zero bits. The challenge is signed for one site and
one address, and nothing is kept of it until it is solved. That it counts only once is for the store:
whoever accepts a solution remembers `SolvedChallenge.nonce` (SET NX) until `expires_at`, and refuses one
that was there.
"""

import hashlib
import hmac
import re
import secrets

import msgspec

from townsquare.clock import CLOCK_SKEW_MS, Clock
from townsquare.kit.addresses import customer_of

FREE_ACTIONS = 3  # in a window, before anything is asked
EASIEST, HARDEST = 14, 20  # bits: about 16,000 hashes (a blink) to a million (a few seconds on a telephone)
LIFE_MS = 10 * 60_000  # to solve it, and to finish the comment

SOLUTION = re.compile(r"((\d{1,2})\.(\d{1,15})\.([0-9a-f]{32}))\.([0-9a-f]{64}):\d{1,16}", re.ASCII)


class BadSolution(ValueError):
    """A solution that does not count: ask for a new challenge."""


class Challenge(msgspec.Struct, frozen=True):
    challenge: str
    difficulty: int
    expires_at: int  # ms


class SolvedChallenge(msgspec.Struct, frozen=True):
    """What must be remembered, and until when, so that a solution counts once."""

    nonce: str
    expires_at: int  # ms


class ProofOfWork:
    def __init__(self, secret: str, clock: Clock) -> None:
        self._secret = hmac.new(secret.encode(), b"proof of work", hashlib.sha256).digest()
        self._clock = clock

    def challenge(self, site_id: str, ip: str, difficulty: int) -> Challenge:
        expires_at = self._clock.now_ms() + LIFE_MS
        body = f"{difficulty}.{expires_at}.{secrets.token_hex(16)}"
        return Challenge(f"{body}.{self._signature(body, site_id, ip)}", difficulty, expires_at)

    def check(self, solution: str, site_id: str, ip: str, difficulty: int) -> SolvedChallenge:
        """`difficulty` is what is asked now: easy challenges cannot be collected for later."""
        parts = SOLUTION.fullmatch(solution)
        if parts is None:
            raise BadSolution("this is no solution of a challenge")
        body, solved, expires_at, nonce, signature = parts.groups()
        if not hmac.compare_digest(signature, self._signature(body, site_id, ip)):
            raise BadSolution("the challenge is not of this site, or was given to somebody else")
        if not 0 < int(expires_at) - self._clock.now_ms() <= LIFE_MS + CLOCK_SKEW_MS:
            raise BadSolution("the challenge has expired")
        if int(solved) < difficulty:
            raise BadSolution("the challenge is too easy by now")
        if leading_zero_bits(hashlib.sha256(solution.encode()).digest()) < int(solved):
            raise BadSolution("the answer is wrong")
        return SolvedChallenge(nonce, int(expires_at))

    def _signature(self, body: str, site_id: str, ip: str) -> str:
        told = "\n".join((body, site_id, customer_of(ip)))
        return hmac.new(self._secret, told.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def difficulty_after(actions: int) -> int:
    """How hard the next action is for somebody with so many in the window; 0 is not asked at all."""
    asked = actions - FREE_ACTIONS
    return min(EASIEST + asked, HARDEST) if asked >= 0 else 0


def leading_zero_bits(digest: bytes) -> int:
    return len(digest) * 8 - int.from_bytes(digest).bit_length()
