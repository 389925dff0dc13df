"""Proof of work: a computation that the browser of an unknown author does before a comment is accepted.

A challenge is `difficulty.expiry.nonce.signature`. Its solution is the challenge, a colon and a number such
that the SHA-256 of the whole begins with `difficulty` zero bits. The challenge is signed for one site and one
address; the server stores nothing until it is solved. The caller stores the nonce of a
solution (SET NX), so that each solution is valid once.
"""

import hashlib
import hmac
import re
import secrets

from townsquare.clock import CLOCK_SKEW_MS, Clock, from_iso
from townsquare.keyspace import Key
from townsquare.kit.addresses import customer_of
from townsquare.problems import TooManyRequests
from townsquare.services.threads import keys
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SiteConfig, Viewer
from townsquare.services.threads.problems import ProofRequired
from townsquare.services.threads.spam import Submission
from townsquare.store.store import Store

FREE_ACTIONS = 3  # in a window, before a proof is required
EASIEST, HARDEST = 14, 20  # bits: about 16,000 hashes (a moment) to a million (seconds on a phone)
LIFE_MS = 10 * 60_000  # to solve a challenge

SOLUTION = re.compile(r"((\d{1,2})\.(\d{1,15})\.([0-9a-f]{32}))\.([0-9a-f]{64}):\d{1,16}", re.ASCII)


class BadSolution(ValueError):
    """The solution is not valid: request a new challenge."""


class ProofOfWork:
    def __init__(self, secret: str, clock: Clock) -> None:
        self._secret = hmac.new(secret.encode(), b"proof of work", hashlib.sha256).digest()
        self._clock = clock

    def challenge(self, site_id: str, ip: str, difficulty: int) -> str:
        body = f"{difficulty}.{self._clock.now_ms() + LIFE_MS}.{secrets.token_hex(16)}"
        return f"{body}.{self._signature(body, site_id, ip)}"

    def check(self, solution: str, site_id: str, ip: str, difficulty: int) -> str:
        """Validate a solution and return its nonce. It must have at least this difficulty, so that easy
        challenges cannot be collected for later.
        """
        parts = SOLUTION.fullmatch(solution)
        if parts is None:
            raise BadSolution("this is not a solution of a challenge")
        body, solved, expires_at, nonce, signature = parts.groups()
        if not hmac.compare_digest(signature, self._signature(body, site_id, ip)):
            raise BadSolution("the challenge belongs to another site or address")
        if not 0 < int(expires_at) - self._clock.now_ms() <= LIFE_MS + CLOCK_SKEW_MS:
            raise BadSolution("the challenge has expired")
        if int(solved) < difficulty:
            raise BadSolution("the challenge is now too easy")
        if leading_zero_bits(hashlib.sha256(solution.encode()).digest()) < int(solved):
            raise BadSolution("the answer is wrong")
        return nonce

    def _signature(self, body: str, site_id: str, ip: str) -> str:
        signed = "\n".join((body, site_id, customer_of(ip)))
        return hmac.new(self._secret, signed.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def difficulty_after(actions: int) -> int:
    """The difficulty of the next action after this many in the window; 0: no proof is required."""
    asked = actions - FREE_ACTIONS
    return min(EASIEST + asked, HARDEST) if asked >= 0 else 0


def leading_zero_bits(digest: bytes) -> int:
    return len(digest) * 8 - int.from_bytes(digest).bit_length()


NEW_MS = 86_400_000  # an account is new for a day


class Proofs:
    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._work = ProofOfWork(secret, store.clock)

    async def require(
        self, viewer: Viewer, site: SiteConfig, author: CommenterRecord, submission: Submission
    ) -> None:
        """Raise with a challenge unless no proof is due, or the submission has a valid one."""
        if not site.settings.proof_of_work or viewer.moderates or not self._is_unknown(author):
            return
        actions = keys.recent_actions(site.site_id, customer_of(submission.ip) or "unknown")
        count = await self._count(actions, 1)
        difficulty = difficulty_after(count - 1)
        if not difficulty:
            return
        why = "Solve the challenge and send the solution as `proof`"
        if submission.proof:
            try:
                nonce = self._work.check(submission.proof, site.site_id, submission.ip, difficulty)
            except BadSolution as bad:
                why = str(bad)
            else:
                used = keys.solved_challenge(nonce)
                if await self._store.call("SET", used, "1", "NX", "EX", keys.ACTIONS_SECONDS):
                    return
                why = "The solution was used before"
        await self._count(actions, -1)  # only written comments count
        if not submission.solves_challenges:
            raise TooManyRequests(
                "Many comments came from your address. Wait ten minutes.", retry_after=keys.ACTIONS_SECONDS
            )
        challenge = self._work.challenge(site.site_id, submission.ip, difficulty)
        raise ProofRequired(why, challenge=challenge, difficulty=difficulty)

    async def _count(self, actions: Key[int], change: int) -> int:
        counted, _ = await self._store.pipeline(
            [("INCRBY", actions, change), ("EXPIRE", actions, keys.ACTIONS_SECONDS)]
        )
        return int(counted)

    def _is_unknown(self, author: CommenterRecord) -> bool:
        """Whether an author has no account, or a new one without a verified address."""
        if author.provider == "anonymous":
            return True
        verified = author.email_verified or author.phone_verified
        return not verified and self._store.clock.now_ms() - from_iso(author.created_at) < NEW_MS
