"""Work that is asked of people whom nobody knows, once they have written a few times in a while."""

from townsquare.clock import from_iso
from townsquare.keyspace import Key
from townsquare.kit.addresses import customer_of
from townsquare.services.threads import keys
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import CachedKey, Viewer
from townsquare.services.threads.problems import ProofRequired
from townsquare.services.threads.proof_of_work import BadSolution, ProofOfWork, difficulty_after
from townsquare.services.threads.service.commenters import Commenters
from townsquare.store.store import Store

NEW_MS = 86_400_000  # an account is new for a day


class Proofs:
    def __init__(self, store: Store, commenters: Commenters, secret: str) -> None:
        self._store = store
        self._commenters = commenters
        self._work = ProofOfWork(secret, store.clock)

    async def require(self, viewer: Viewer, site: CachedKey, ip: str, proof: str | None) -> None:
        """Raise with a challenge unless this may be written, or its work was done."""
        if not site.settings.proof_of_work or viewer.moderates or viewer.user_id is None:
            return
        if not self._is_unknown(await self._commenters.get(viewer.user_id)):
            return
        actions = keys.recent_actions(site.site_id, customer_of(ip) or "unknown")
        count = await self._count(actions, 1)
        difficulty = difficulty_after(count - 1)
        if not difficulty:
            return
        why = "Solve the challenge and send the solution as `proof`"
        if proof:
            try:
                solved = self._work.check(proof, site.site_id, ip, difficulty)
            except BadSolution as bad:
                why = str(bad)
            else:
                used = keys.solved_challenge(solved.nonce)
                if await self._store.call("SET", used, "1", "NX", "EX", keys.ACTIONS_SECONDS):
                    return
                why = "The solution was used before"
        await self._count(actions, -1)  # what was not written does not count
        asked = self._work.challenge(site.site_id, ip, difficulty)
        raise ProofRequired(why, challenge=asked.challenge, difficulty=asked.difficulty)

    async def _count(self, actions: Key[int], change: int) -> int:
        counted, _ = await self._store.pipeline(
            [("INCRBY", actions, change), ("EXPIRE", actions, keys.ACTIONS_SECONDS)]
        )
        return int(counted)

    def _is_unknown(self, author: CommenterRecord) -> bool:
        if author.provider == "anonymous":
            return True
        verified = author.email_verified or author.phone_verified
        return not verified and self._store.clock.now_ms() - from_iso(author.created_at) < NEW_MS
