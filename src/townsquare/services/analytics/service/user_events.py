"""The events of one user: read, export, delete."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from townsquare.keyspace import AnyKey
from townsquare.kit.paging import Cursor, Page, PageSize, cursors, cut, page_down, page_up, set_members
from townsquare.services.analytics import keys
from townsquare.services.analytics.models import EventExport, Step, ViewHistory
from townsquare.services.analytics.periods import hour_of
from townsquare.services.analytics.scripts import DeleteEvents, OldStep
from townsquare.services.analytics.service.recording import known_actor, product_name
from townsquare.services.analytics.service.reports import PAGE
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

EXPORT_PAGE = 100
CHUNK = 500  # events that one script removes: a few milliseconds
RAW = {"search": keys.events_search, "interaction": keys.events_interaction, "session": keys.events_session}

read_entry = msgspec.json.Decoder(tuple[str, str, str, int | None]).decode


class UserEvents:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.deletion.before(keys.forgetting, self._delete_events)

    async def journey(self, user_id: str, *, limit: PageSize = PAGE, cursor: str | None = None) -> Page[Step]:
        """The events of a user in the last 30 days, newest first."""
        after, count = Cursor.decode(cursor), limit + 1
        oldest = self._store.clock.now_ms() - keys.EVENT_SECONDS * 1000
        read = await page_down(self._store, keys.journey(known_actor(user_id)), after, count)
        found, next = cut([one for one in read if one.score >= oldest], limit)
        steps = [step_of(one.member, one.score) for one in found]
        await self._fill(steps)
        return Page(steps, next)

    async def _fill(self, steps: list[Step]) -> None:
        """Add the fields that only raw events have, in one round trip."""
        stored = [(step, raw_key(step.kind, step.at)) for step in steps if step.kind in RAW]
        raws = await self._store.pipeline([("HGET", key, step.id) for step, key in stored])
        for (step, _), raw in zip(stored, raws, strict=True):
            event: dict[str, Any] = msgspec.json.decode(raw) if raw else {}
            step.results = event.get("results")
            step.properties = event.get("properties", {})

    async def history(self, user_id: str, product: str) -> ViewHistory:
        """When a user viewed a product: the last 100 times, newest first."""
        (found,) = await self._histories(known_actor(user_id), [product_name(product)])
        return found

    async def _histories(self, actor: str, products: list[str]) -> list[ViewHistory]:
        replies = await self._store.pipeline(
            [
                ("ZRANGE", keys.views_user(actor, one), 0, keys.HISTORY_LENGTH - 1, "REV", "WITHSCORES")
                for one in products
            ]
        )
        return [
            ViewHistory(product, [int(one.score) for one in cursors(reply)])
            for product, reply in zip(products, replies, strict=True)
        ]

    async def export(self, user_id: str) -> EventExport:
        """All data of a user, read in pages."""
        actor = known_actor(user_id)
        events: list[Step] = []
        cursor: str | None = None
        while True:
            page = await self.journey(actor, limit=EXPORT_PAGE, cursor=cursor)
            events += page.items
            cursor = page.next
            if cursor is None:
                break
        found = {
            history.product: history
            async for products in set_members(self._store, keys.viewed_user(actor))
            for history in await self._histories(actor, products)
            if history.viewed
        }
        wishes = {one async for some in set_members(self._store, keys.wishlist_user(actor)) for one in some}
        return EventExport(
            events=events,
            views=[found[product] for product in sorted(found)],
            ratings=dict(sorted([one async for one in self._ratings(actor)])),
            wishlist=sorted(wishes),
        )

    async def _ratings(self, actor: str) -> AsyncIterator[tuple[str, int]]:
        after: Cursor | None = None
        while found := await page_up(self._store, keys.rated_user(actor), after, EXPORT_PAGE):
            for one in found:
                yield one.member, int(one.score)
            after = found[-1]

    async def forget(self, user_id: str) -> None:
        """Delete all data of a user, in bounded steps that survive a crash.

        Only anonymous counts remain: views, searches and estimates of active users.
        """
        await self._jobs.deletion.delete(keys.forgetting(known_actor(user_id)))

    async def _delete_events(self, key: AnyKey) -> int:
        """Raw events are found through the journey, which has their times."""
        (actor,) = key.values
        reply = await self._store.call("ZRANGE", keys.journey(actor), 0, CHUNK - 1, "WITHSCORES")
        steps = [old_step(one.member, one.score) for one in cursors(reply)]
        if steps:
            await self._store.run(DeleteEvents(actor=actor, steps=steps))
        return len(steps)


def step_of(entry: str, at: float) -> Step:
    id, kind, what, value = read_entry(entry)
    return Step(id, int(at), kind, what, value)


def old_step(entry: str, at: float) -> OldStep:
    id, kind, _, _ = read_entry(entry)
    return OldStep(entry, id, kind, hour_of(int(at)).day, int(at))


def raw_key(kind: str, at: int) -> AnyKey:
    return RAW[kind](hour_of(at).date, at)
