"""Idempotency keys: one key creates at most one object in 24 hours.

The first request with a key stores its fingerprint. The script that creates the object stores the result in
the same step (`remember_result` in `lua/include/idempotency.lua`). A retry that finds a result creates
nothing. A retry that finds only the fingerprint runs the script, which looks for a result again.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from townsquare.keyspace import DAY
from townsquare.problems import Invalid, Problem
from townsquare.store.keys import idempotency, idempotency_result
from townsquare.store.scripts.assembly import LuaText

if TYPE_CHECKING:
    from townsquare.store.store import Store

POLLS, POLL_SECONDS = 40, 0.05  # of a refused request, for the result of one that runs at the same time
SHARED = "+"  # after the fingerprint: more than one request has been sent with the key

BEGIN = LuaText("""
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return false end
local value = redis.call('GET', KEYS[1])
if value == ARGV[1] then redis.call('APPEND', KEYS[1], ARGV[3]) end
return value
""")
RELEASE = LuaText("""
local value = redis.call('GET', KEYS[1])
if value ~= ARGV[1] then return value end
redis.call('DEL', KEYS[1])
return false
""")


class IdempotencyKeyReused(Invalid):
    code, title = "idempotency_key_reused", "This Idempotency-Key was used for another request"


class AlreadyDone(Problem):
    """A request with the same Idempotency-Key has created the object; `detail` is the result."""

    code, status, title = "already_done", 409, "This request has been done before"


@dataclass(frozen=True)
class IdempotentRequest:
    digest: str  # of the operation, the site, the caller and the key
    fingerprint: str  # of the path, the query and the body
    first: bool = True  # no other request with this key came before
    result: str | None = None  # of an earlier request with this key

    def arguments(self, bucket: str) -> list[str]:
        """The last arguments of a script that includes `idempotency`; the bucket is that of its home."""
        return [self.digest, bucket, self.fingerprint]

    @contextmanager
    def running(self) -> Iterator[None]:
        """The scripts that run in this block remember their result."""
        token = IDEMPOTENT_REQUEST.set(self)
        try:
            yield
        finally:
            IDEMPOTENT_REQUEST.reset(token)


IDEMPOTENT_REQUEST: ContextVar[IdempotentRequest | None] = ContextVar("idempotent_request", default=None)


class Idempotency:
    def __init__(self, store: "Store", secret: str) -> None:
        self._store = store
        self._secret = secret.encode()[: blake2b.MAX_KEY_SIZE]

    async def begin(self, scope: tuple[bytes, ...], content: tuple[bytes, ...]) -> IdempotentRequest:
        """Raises `IdempotencyKeyReused` if the key of this scope was sent with another content."""
        digest, fingerprint = self._hash(scope), self._hash(content)
        known = await self._store.evaluate(BEGIN, idempotency(digest), fingerprint, DAY, SHARED)
        if known is None:
            return IdempotentRequest(digest, fingerprint)
        before, result = fingerprint_and_result(known)
        if before != fingerprint:
            raise IdempotencyKeyReused()
        return IdempotentRequest(digest, fingerprint, first=False, result=result)

    async def refused(self, request: IdempotentRequest) -> str | None:
        """After a refusal: the result of a request with the same key that ran at the same time, if any.

        The first request gives the key back, so that the client can send it with a corrected body. If other
        requests have the same key, each waits for a result: one may be refused because another was not. On a
        cluster the result may still be in the outbox of a process that was killed, so outboxes are drained.
        """
        place = idempotency(request.digest)
        for _ in range(POLLS):
            if request.first:
                value = await self._store.evaluate(RELEASE, place, request.fingerprint)
            else:
                value = await self._store.call("GET", place)
            if value is None:
                return None
            before, result = fingerprint_and_result(value)
            if result and before == request.fingerprint:
                return result
            await asyncio.sleep(POLL_SECONDS)
        if self._store.clustered:
            await self._store.effects.sweep()
            _, result = fingerprint_and_result(await self._store.call("GET", place) or b"")
            if result:
                return result
        if request.first:
            await self._store.evaluate(RELEASE, place, request.fingerprint + SHARED)
        return None

    def _hash(self, parts: tuple[bytes, ...]) -> str:
        """Keyed, so that the stored hash does not reveal a short text."""
        hashed = blake2b(key=self._secret, digest_size=16)
        for part in parts:
            hashed.update(b"%d:" % len(part) + part)
        return hashed.hexdigest()


def fingerprint_and_result(value: bytes) -> tuple[str, str | None]:
    fingerprint, _, result = value.decode().partition(" ")
    return fingerprint.removesuffix(SHARED), result or None


async def forget_result(store: "Store", request: IdempotentRequest, bucket: str) -> None:
    """After another home has refused the write and it is undone."""
    await store.pipeline(
        [
            ("DEL", idempotency_result(request.digest, bucket)),
            ("SET", idempotency(request.digest), request.fingerprint, "EX", DAY),
        ]
    )
