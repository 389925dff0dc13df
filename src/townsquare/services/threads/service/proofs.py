"""Proof of work for unknown authors, after a few comments from one address."""

from townsquare.clock import from_iso
from townsquare.keyspace import Key
from townsquare.kit.addresses import customer_of
from townsquare.problems import TooManyRequests
from townsquare.services.threads import keys
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SiteConfig, Viewer
from townsquare.services.threads.problems import ProofRequired
from townsquare.services.threads.proof_of_work import BadSolution, ProofOfWork, difficulty_after
from townsquare.services.threads.service.submission import Submission
from townsquare.store.store import Store

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
