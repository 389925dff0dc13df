"""Counts of what went wrong in the last days, for the operator: rejected requests, lost messages.

They are in the cache, where every server adds to them and `townsquare doctor` reads them.
"""

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from townsquare.clock import day_of
from townsquare.store.keys import INCIDENT_SECONDS, incidents

if TYPE_CHECKING:
    from townsquare.store.store import Store

RATE_LIMITED = "rate_limited"
UNDELIVERED = "undelivered"
FLUSH_SECONDS = 5.0
DAY_MS = 86_400_000


class Incidents:
    def __init__(self, store: "Store") -> None:
        self._store = store
        self._counts: Counter[str] = Counter()

    def count(self, kind: str, name: str, count: int = 1) -> None:
        """Count without waiting; `flush` writes it."""
        self._counts[f"{kind}:{name}"] += count

    async def flush(self) -> None:
        if not self._counts:
            return
        counts, self._counts = self._counts, Counter()
        today = incidents(self._day(0))
        await self._store.pipeline(
            [
                *(("HINCRBY", today, field, count) for field, count in counts.items()),
                ("EXPIRE", today, INCIDENT_SECONDS),
            ]
        )

    async def recent(self, kind: str) -> dict[str, int]:
        """Counts of today and yesterday, by name."""
        today, yesterday = incidents(self._day(0)), incidents(self._day(1))
        days = await self._store.pipeline(
            [
                ("HGETALL", today),  # bounded: limits and kinds of messages
                ("HGETALL", yesterday),  # bounded: the same
            ]
        )
        found: Counter[str] = Counter()
        for day in days:
            for field, count in day.items():
                of, _, name = field.decode().partition(":")
                if of == kind:
                    found[name] += int(count)
        return dict(found)

    def _day(self, ago: int) -> date:
        return day_of(self._store.clock.now_ms() - ago * DAY_MS)
