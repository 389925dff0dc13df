"""Answers remembered by Idempotency-Key: the retry of a creating request gets the first answer."""

from typing import TYPE_CHECKING

import msgspec

from townsquare.keyspace import DAY
from townsquare.problems import Conflict, Invalid
from townsquare.store.keys import Remembered, idempotency

if TYPE_CHECKING:
    from townsquare.store.store import Store

RUNNING_SECONDS = 60  # a request that takes longer died: its key may be used again


class IdempotencyKeyReused(Invalid):
    code, title = "idempotency_key_reused", "This Idempotency-Key was used for another request"


class RequestInProgress(Conflict):
    code, title = "request_in_progress", "The first request with this Idempotency-Key is still running"


class Idempotency:
    def __init__(self, store: "Store") -> None:
        self._store = store

    async def begin(self, scope: str, key: str, fingerprint: str) -> Remembered | None:
        """The answer to replay, or None: the caller holds the key and must finish or abandon it."""
        place = idempotency(scope, key)
        running = msgspec.json.encode(Remembered(fingerprint))
        if await self._store.call("SET", place, running, "NX", "EX", RUNNING_SECONDS):
            return None
        known = await self._store.get(place)
        if known is None:
            return await self.begin(scope, key, fingerprint)
        if known.fingerprint != fingerprint:
            raise IdempotencyKeyReused()
        if not known.status:
            raise RequestInProgress()
        return known

    async def finish(self, scope: str, key: str, answer: Remembered) -> None:
        await self._store.call("SET", idempotency(scope, key), msgspec.json.encode(answer), "EX", DAY)

    async def abandon(self, scope: str, key: str) -> None:
        await self._store.call("DEL", idempotency(scope, key))
