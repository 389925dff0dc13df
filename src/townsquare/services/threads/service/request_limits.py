"""Rate limits of a site: requests per minute of one key, address or user, and comments of one author.

Every site counts on its own: visitors and users of one site do not use up the limits of another.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from townsquare.api import Quota
from townsquare.kit.addresses import customer_of
from townsquare.problems import Problem, TooManyRequests
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.sites import SiteConfig
from townsquare.services.threads.scripts import CountRequest
from townsquare.store.store import Store

MINUTE = 60


class Counted(NamedTuple):
    """A counter of this minute, and its limit."""

    type: Literal["key", "ip", "user", "comments"]
    id: str
    limit: int


def on_site(site_id: str, id: str) -> str:
    """The id of an address or a user in the counters of a site."""
    return f"{site_id}.{id}"


class RequestLimits:
    def __init__(self, store: Store, enabled: bool) -> None:
        self._store = store
        self._enabled = enabled

    async def count(self, counted: Sequence[Counted]) -> Quota | None:
        """Count a request by all its counters in one round trip; return the quota with the least left."""
        if not self._enabled or not counted:
            return None
        now = self._store.clock.now_ms() / 1000
        bucket = int(now // MINUTE)
        reset = min(int((bucket + 1) * MINUTE - now) + 1, MINUTE)
        counts = await self._store.run_many(
            [CountRequest(type=one.type, id=one.id, time_bucket=bucket, seconds=reset) for one in counted]
        )
        quotas = []
        for one, count in zip(counted, counts, strict=True):
            if isinstance(count, Problem):
                raise count
            quotas.append(Quota(f"site_{one.type}", one.limit, MINUTE, one.limit - count, reset))
        return min(quotas, key=lambda quota: quota.remaining)

    async def count_comment(self, site: SiteConfig, author: CommenterRecord, ip: str) -> None:
        """Count a new comment: by its author, or by the address of a visitor without an account.

        Raises `TooManyRequests` if it exceeds the limit of the site.
        """
        limit = site.settings.rate_limits.comments
        if not limit:
            return
        address = customer_of(ip) if author.provider == "anonymous" else ""
        quota = await self.count([Counted("comments", on_site(site.site_id, address or author.id), limit)])
        if quota is not None and quota.remaining < 0:
            raise TooManyRequests(
                f"At most {limit} comments in a minute, try again in {quota.reset} s", retry_after=quota.reset
            )
