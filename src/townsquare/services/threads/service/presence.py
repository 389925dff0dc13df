"""The users on a page and those who type there, over all processes.

Each process announces the users on its pages when they change, and every ten seconds. A process without an
announcement for twenty seconds has crashed: another one removes its users.
"""

import secrets
from collections.abc import Mapping, Sequence

import msgspec

from townsquare.clock import CLOCK_SKEW_MS
from townsquare.services.threads import keys
from townsquare.services.threads.models.live import NowTyping, Present
from townsquare.services.threads.scripts import SetPresence, SetTyping
from townsquare.services.threads.service.visibility import authors_of
from townsquare.store.store import Store

SHOWN = 50  # users of a page in one message
SWEPT = 100  # pages of crashed processes, at a time


class TypingSignal(msgspec.Struct, kw_only=True):
    """The message of `set_typing`: all users who type, and the sender unless they have stopped."""

    users: list[str] = []
    user: str | None = None
    reply_to: str | None = None


class Presence:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._process = secrets.token_hex(8)

    async def announce(self, page_id: str, users: Sequence[str]) -> None:
        """Store the users that this process has on a page."""
        if users:
            await self._touch([page_id])
        await self._store.run(SetPresence(page_id=page_id, process=self._process, users=list(users)))

    async def announce_all(self, pages: Mapping[str, Sequence[str]]) -> None:
        """The same for all pages, in one round trip to each node; then remove users of crashed processes."""
        if pages:
            await self._touch(list(pages))
            await self._store.run_many(
                [
                    SetPresence(page_id=page_id, process=self._process, users=list(users))
                    for page_id, users in pages.items()
                ]
            )
        await self._sweep()

    async def _touch(self, pages: Sequence[str]) -> None:
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
        """The users on a page, in no order, and their number."""
        count, found = await self._store.pipeline(
            [
                ("SCARD", keys.page_presence(page_id)),
                ("SRANDMEMBER", keys.page_presence(page_id), SHOWN),
            ]
        )
        users = await authors_of(self._store, sorted(user_id.decode() for user_id in found))
        return Present(page_id=page_id, users=list(users.values()), count=count)

    async def type(self, page_id: str, user_id: str, typing: bool, reply_to: str | None = None) -> None:
        """A user types on a page, or has stopped."""
        await self._store.run(SetTyping(page_id=page_id, user_id=user_id, typing=typing, reply_to=reply_to))

    async def typing(self, page_id: str, signals: Sequence[TypingSignal]) -> list[NowTyping]:
        """One message for each signal, with the names of the users."""
        ids = [id for one in signals for id in (one.user, *one.users)]
        known = await authors_of(self._store, ids)
        return [
            NowTyping(
                page_id=page_id,
                users=[known[id] for id in one.users if id in known],
                user=known.get(one.user or ""),
                reply_to=one.reply_to,
            )
            for one in signals
        ]
