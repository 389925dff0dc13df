"""Analytics: events are counted when they arrive, each once, and never added up again."""

from collections.abc import Sequence

from townsquare.services.analytics.actors import Actors
from townsquare.services.analytics.batch import actor_of, batch_of
from townsquare.services.analytics.models import Event, Export, Recorded
from townsquare.services.analytics.reports import Reports
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store


class Analytics:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self.reports = Reports(store)
        self.actors = Actors(store, jobs)

    async def record(
        self, events: Sequence[Event], *, user_id: str | None = None, visitor: str | None = None
    ) -> Recorded:
        """Record 1 to 100 events of a user or of an anonymous visitor: all or, if one is wrong, none.

        An event with an `id` that the same actor sent in the last 24 hours is not counted again.
        """
        actor = actor_of(user_id, visitor)
        answer = await self._store.run(batch_of(actor, events, self._store.clock.now_ms()))
        return Recorded(answer.recorded, answer.duplicates)

    async def export(self, user_id: str) -> Export:
        """All that analytics knows of a user."""
        return await self.actors.export(user_id)

    async def forget(self, user_id: str) -> None:
        """Delete all that analytics knows of a user; counts that name nobody stay."""
        await self.actors.forget(user_id)
