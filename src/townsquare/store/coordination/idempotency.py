"""Idempotency keys: one key creates at most one object in 24 hours.

The first request with a key stores its fingerprint and the number of running requests: `<fingerprint>+1`.
The script that creates the object stores the result in the same step (`remember_result` in
`lua/include/idempotency.lua`) and replaces the number by the bucket of the result. A retry that finds a
result creates nothing. A retry that finds only the fingerprint runs the script, which looks for a result
again.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from townsquare.keyspace import DAY
from townsquare.problems import Invalid, Problem, Unavailable
from townsquare.store.keys import idempotency, idempotency_result
from townsquare.store.scripts.assembly import LuaText

if TYPE_CHECKING:
    from townsquare.store.store import Store

POLLS, POLL_SECONDS = 40, 0.05  # of a refused request, for the result of one that runs at the same time

RESULT = re.compile(rb"\S+ \S* (.*)", re.DOTALL)  # see `remember_result`

BEGIN = LuaText("""
if redis.call('SET', KEYS[1], ARGV[1] .. '+1', 'NX', 'EX', ARGV[2]) then return false end
local value = redis.call('GET', KEYS[1])
local running = string.match(value, '^' .. ARGV[1] .. '%+(%d+)$')
if running then redis.call('SET', KEYS[1], ARGV[1] .. '+' .. running + 1, 'KEEPTTL') end
return value
""")
END = LuaText("""
local value = redis.call('GET', KEYS[1])
local running = value and string.match(value, '^' .. ARGV[1] .. '%+(%d+)$')
if not running then return value end
if tonumber(running) <= 1 then
  redis.call('DEL', KEYS[1])
  return false
end
redis.call('SET', KEYS[1], ARGV[1] .. '+' .. running - 1, 'KEEPTTL')
return value
""")
DELETE_RESULT = LuaText("""
local result = redis.call('GET', KEYS[1])
local asks = result and string.match(result, '^%S+ (%S*) ')
if asks and string.find(',' .. asks .. ',', ',' .. ARGV[1] .. ',', 1, true) then
  redis.call('DEL', KEYS[1])
end
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
        known = await self._store.evaluate(BEGIN, idempotency(digest), fingerprint, DAY)
        if known is None:
            return IdempotentRequest(digest, fingerprint)
        if not known.startswith(fingerprint.encode()):
            raise IdempotencyKeyReused()
        request = IdempotentRequest(digest, fingerprint, first=False)
        return replace(request, result=await self._result(request, known))

    async def refused(self, request: IdempotentRequest) -> str | None:
        """After a refusal: the result of a request with the same key that ran at the same time, if any.

        The last running request gives the key back, so that the client can send it with a corrected body.
        The others wait for a result: one may be refused because another was not. A request that was killed
        counts as running. On a cluster its result may still be in an outbox, so outboxes are drained. Raises
        `Unavailable` if that is not possible now: a killed process holds the lease of an outbox for 10 s.
        """
        key = idempotency(request.digest)
        value = await self._store.evaluate(END, key, request.fingerprint)
        for _ in range(POLLS):
            if value is None or not value.startswith(request.fingerprint.encode()):
                return None
            if result := await self._result(request, value):
                return result
            await asyncio.sleep(POLL_SECONDS)
            value = await self._store.call("GET", key)
        if not self._store.clustered:
            return None
        if not await self._store.effects.all_applied():
            raise Unavailable("An earlier request with this Idempotency-Key is not finished")
        return await self._result(request, await self._store.call("GET", key) or b"")

    async def _result(self, request: IdempotentRequest, value: bytes) -> str | None:
        """The result that the value of the key leads to. A write that was undone has none."""
        fingerprint, _, bucket = value.decode().partition(" ")
        if fingerprint != request.fingerprint or not bucket:
            return None
        found = await self._store.call("GET", idempotency_result(request.digest, bucket))
        if not found:
            return None
        result = RESULT.fullmatch(found)
        if result is None:
            raise IdempotencyKeyReused("Another version of this server has stored its result: send a new key")
        return result[1].decode()

    def _hash(self, parts: tuple[bytes, ...]) -> str:
        """Keyed, so that the stored hash does not reveal a short text."""
        hashed = blake2b(key=self._secret, digest_size=16)
        for part in parts:
            hashed.update(b"%d:" % len(part) + part)
        return hashed.hexdigest()
