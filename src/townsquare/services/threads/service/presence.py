"""Who looks at a page and who types there, over all processes.

Each process says for each of its pages whom it sees, when that changes and every ten seconds. A process that
has not said so for twenty seconds has crashed: the next one that looks forgets its visitors.
"""

import secrets
from collections.abc import Mapping, Sequence

from townsquare.clock import CLOCK_SKEW_MS
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import NowTyping, Present
from townsquare.services.threads.scripts.live import SetPresence, SetTyping
from townsquare.services.threads.service.visibility import authors_of
from townsquare.store.store import Store

SHOWN = 50  # of those who look at a page
SWEPT = 100  # pages of crashed processes, at a time


class Presence:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._process = secrets.token_hex(8)

    async def say(self, page_id: str, users: Sequence[str]) -> None:
        """Whom this process sees on a page now."""
        if users:
            await self._say_when([page_id])
        await self._store.run(SetPresence(page_id=page_id, process=self._process, users=list(users)))

    async def say_all(self, pages: Mapping[str, Sequence[str]]) -> None:
        """The same of all pages, in a round trip to each node, and forget what crashed processes saw."""
        if pages:
            await self._say_when(list(pages))
            await self._store.run_many(
                [
                    SetPresence(page_id=page_id, process=self._process, users=list(users))
                    for page_id, users in pages.items()
                ]
            )
        await self._sweep()

    async def _say_when(self, pages: Sequence[str]) -> None:
        now = self._store.clock.now_ms()
        await self._store.call(
            "ZADD", keys.presence_pages(), *(word for page in pages for word in (now, page))
        )

    async def _sweep(self) -> None:
        now, pages = self._store.clock.now_ms(), keys.presence_pages()
        old, ahead = await self._store.pipeline(
            [
                ("ZRANGEBYSCORE", pages, "-inf", now - keys.PRESENCE_MS, "LIMIT", 0, SWEPT),
                ("ZRANGEBYSCORE", pages, f"({now + CLOCK_SKEW_MS}", "+inf", "LIMIT", 0, SWEPT),
            ]
        )
        silent = [*old, *ahead]  # ahead: from before the clock was set back
        if not silent:
            return
        await self._store.run_many(
            [SetPresence(page_id=page.decode(), process=None, users=[]) for page in silent]
        )
        await self._store.call("ZREM", keys.presence_pages(), *silent)

    async def present(self, page_id: str) -> Present:
        """Who looks at a page, in no order, and how many there are."""
        count, found = await self._store.pipeline(
            [
                ("SCARD", keys.page_presence(page_id)),
                ("SRANDMEMBER", keys.page_presence(page_id), SHOWN),
            ]
        )
        users = await authors_of(self._store, sorted(user_id.decode() for user_id in found))
        return Present(page_id=page_id, users=list(users.values()), count=count)

    async def type(self, page_id: str, user_id: str, typing: bool) -> None:
        """Somebody types on a page, or has stopped."""
        await self._store.run(SetTyping(page_id=page_id, user_id=user_id, typing=typing))

    async def typing(self, page_id: str, user_ids: Sequence[str]) -> NowTyping:
        """Those who type, by their names."""
        return NowTyping(page_id=page_id, users=list((await authors_of(self._store, user_ids)).values()))
