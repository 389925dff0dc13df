"""How many requests of a minute a site takes of one key, address or user, as its owner has set it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from townsquare.api import Quota
from townsquare.problems import Problem
from townsquare.services.threads.scripts.live import CountRequest
from townsquare.store.store import Store

MINUTE = 60


class Counted(NamedTuple):
    """One count that a request goes into, and the most that it may come to."""

    type: Literal["key", "ip", "user", "comments"]
    id: str
    limit: int


class RequestLimits:
    def __init__(self, store: Store, enabled: bool) -> None:
        self._store = store
        self._enabled = enabled

    async def count(self, counted: Sequence[Counted]) -> Quota | None:
        """Count a request, each count in one step and all in one round trip; what the nearest leaves."""
        if not self._enabled or not counted:
            return None
        now = self._store.clock.now_ms() / 1000
        bucket = int(now // MINUTE)
        reset = int((bucket + 1) * MINUTE - now) + 1
        counts = await self._store.run_many(
            [
                CountRequest(type=one.type, id=one.id, time_bucket=bucket, seconds=min(reset, MINUTE))
                for one in counted
            ]
        )
        quotas = []
        for one, count in zip(counted, counts, strict=True):
            if isinstance(count, Problem):
                raise count
            quotas.append(Quota(f"site_{one.type}", one.limit, MINUTE, one.limit - count, min(reset, MINUTE)))
        return min(quotas, key=lambda quota: quota.remaining)
