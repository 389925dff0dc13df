"""What is known of one user: to look at, to export, to delete."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from townsquare.keyspace import AnyKey, mint_id
from townsquare.kit.paging import Cursor, Page, cursors, cut, page_down, page_up, set_members
from townsquare.services.analytics.keys import (
    EVENT_SECONDS,
    FORGET_JOB,
    HISTORY_LENGTH,
    events_interaction,
    events_search,
    events_session,
    journey,
    rated_user,
    shelf_of,
    viewed_user,
    views_user,
    wishlist_user,
)
from townsquare.services.analytics.models import EventExport, Step, ViewHistory
from townsquare.services.analytics.periods import hour_of
from townsquare.services.analytics.scripts import (
    BeginForgetting,
    ForgetChunk,
    OldStep,
    Shelved,
)
from townsquare.services.analytics.service.recording import known_actor, product_name
from townsquare.services.analytics.service.reports import LONGEST_PAGE, PAGE, checked_limit
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.store import Store

CHUNK = 500  # steps, histories, ratings and wishes that one script removes: a few milliseconds
RAW = {"search": events_search, "interaction": events_interaction, "session": events_session}

read_entry = msgspec.json.Decoder(tuple[str, str, str, int | None]).decode


class UserEvents:
    def __init__(self, store: Store, jobs: Jobs) -> None:
        self._store = store
        self._jobs = jobs
        jobs.register(FORGET_JOB, self._forget_step)

    async def journey(self, user_id: str, *, limit: int = PAGE, cursor: str | None = None) -> Page[Step]:
        """What a user did in the last 30 days, newest first."""
        after, count = Cursor.decode(cursor), checked_limit(limit) + 1
        oldest = self._store.clock.now_ms() - EVENT_SECONDS * 1000
        read = await page_down(self._store, journey(known_actor(user_id)), after, count)
        found, next = cut([one for one in read if one.score >= oldest], limit)
        steps = [step_of(one.member, one.score) for one in found]
        await self._fill(steps)
        return Page(steps, next)

    async def _fill(self, steps: list[Step]) -> None:
        """Add what only the raw events tell, in one round trip."""
        told = [(step, raw_key(step.kind, step.at)) for step in steps if step.kind in RAW]
        raws = await self._store.pipeline([("HGET", key, step.id) for step, key in told])
        for (step, _), raw in zip(told, raws, strict=True):
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
                ("ZRANGE", views_user(actor, one), 0, HISTORY_LENGTH - 1, "REV", "WITHSCORES")
                for one in products
            ]
        )
        return [
            ViewHistory(product, [int(one.score) for one in cursors(reply)])
            for product, reply in zip(products, replies, strict=True)
        ]

    async def export(self, user_id: str) -> EventExport:
        """All that is known of a user, read in pages."""
        actor = known_actor(user_id)
        events: list[Step] = []
        cursor: str | None = None
        while True:
            page = await self.journey(actor, limit=LONGEST_PAGE, cursor=cursor)
            events += page.items
            cursor = page.next
            if cursor is None:
                break
        views = [
            history
            async for products in set_members(self._store, viewed_user(actor))
            for history in await self._histories(actor, products)
        ]
        wishes = {one async for some in set_members(self._store, wishlist_user(actor)) for one in some}
        return EventExport(
            events=events,
            views=sorted({one.product: one for one in views if one.viewed}.values(), key=product_of),
            ratings=dict(sorted([one async for one in self._ratings(actor)])),
            wishlist=sorted(wishes),
        )

    async def _ratings(self, actor: str) -> AsyncIterator[tuple[str, int]]:
        after: Cursor | None = None
        while found := await page_up(self._store, rated_user(actor), after, LONGEST_PAGE):
            for one in found:
                yield one.member, int(one.score)
            after = found[-1]

    async def forget(self, user_id: str) -> None:
        """Delete all that is known of a user, in bounded steps that survive a crash.

        What stays names nobody: views and searches that were counted, and estimates of how many were active.
        """
        actor = known_actor(user_id)
        job = mint_id(journey(actor).bucket)
        now = self._store.clock.now_ms()
        await self._jobs.run(await self._store.run(BeginForgetting(actor=actor, job=job, now=now)))

    async def _forget_step(self, args: dict[str, Any]) -> int:
        actor = args["actor"]
        steps, viewed, rated, wished = await self._store.pipeline(
            [
                ("ZRANGE", journey(actor), 0, CHUNK - 1, "WITHSCORES"),
                ("SRANDMEMBER", viewed_user(actor), CHUNK),
                ("ZRANGE", rated_user(actor), 0, CHUNK - 1),
                ("SRANDMEMBER", wishlist_user(actor), CHUNK),
            ]
        )
        return await self._store.run(
            ForgetChunk(
                actor=actor,
                source=journey(actor).bucket,
                steps=[old_step(one.member, one.score) for one in cursors(steps)],
                viewed=[product.decode() for product in viewed],
                rated=[shelved(product) for product in rated],
                wished=[shelved(product) for product in wished],
                now=self._store.clock.now_ms(),
            )
        )


def step_of(entry: str, at: float) -> Step:
    id, kind, what, value = read_entry(entry)
    return Step(id, int(at), kind, what, value)


def old_step(entry: str, at: float) -> OldStep:
    id, kind, _, _ = read_entry(entry)
    return OldStep(entry, id, kind, hour_of(int(at)).day, int(at))


def shelved(product: bytes) -> Shelved:
    name = product.decode()
    return Shelved(name, shelf_of(name))


def raw_key(kind: str, at: int) -> AnyKey:
    return RAW[kind](hour_of(at).date, at)


def product_of(history: ViewHistory) -> str:
    return history.product
