"""Analytics: events are counted when they arrive, each once, and never added up again."""

from collections.abc import Sequence

from townsquare.services.analytics.models import Event, Recorded
from townsquare.services.analytics.service.recording import actor_of, batch_of
from townsquare.services.analytics.service.reports import Reports
from townsquare.services.analytics.service.user_events import UserEvents
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Analytics(Reports, UserEvents):
    def __init__(self, store: Store, jobs: Jobs) -> None:
        Reports.__init__(self, store)
        UserEvents.__init__(self, store, jobs)

    async def record(
        self, events: Sequence[Event], *, user_id: str | None = None, visitor: str | None = None
    ) -> Recorded:
        """Record 1 to 100 events of a user or of an anonymous visitor: all or, if one is wrong, none.

        An event with an `id` that the same actor sent in the last 24 hours is not counted again.
        """
        actor = actor_of(user_id, visitor)
        return Recorded(*await self._store.run(batch_of(actor, events, self._store.clock.now_ms())))
