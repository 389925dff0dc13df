"""Uniqueness across homes.

On one node a claim is part of the script. On a cluster the index lives elsewhere: it is taken first with a
short life, the home is written second, and an effect makes the claim permanent. A crash in between leaves
a claim that ends by itself.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from townsquare.keyspace import AnyKey
from townsquare.problems import OutcomeUnknown, Taken
from townsquare.store.wire.connection import Arg, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

CLAIM_MS = 30_000  # how long a claim lives before its effect makes it permanent
SHARED_CLAIM_MS = 2 * CLAIM_MS  # from when its owner asks for it once more
USE_WITHIN_MS = 10_000  # the home must be written by then; the rest is for the effect

TAKE = """
local now = redis.call('TIME')[1] * 1000
local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {'fresh', now}
end
if holder ~= ARGV[1] then return {'taken', now} end
if redis.call('PTTL', KEYS[1]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return {'ours', now}
"""

# A second request of the same owner has prolonged the claim: it is no longer the first one's to
# give back, since the second may have written its home by now.
RELEASE = """
local left = redis.call('PTTL', KEYS[1])
if redis.call('GET', KEYS[1]) == ARGV[1] and left > 0 and left <= tonumber(ARGV[2]) then
  return redis.call('DEL', KEYS[1])
end
return 0
"""


class Claims:
    def __init__(self, store: "Store") -> None:
        self._store = store

    @asynccontextmanager
    async def hold(self, claims: Mapping[AnyKey, str]) -> AsyncIterator[int]:
        """Hold all of these while the body runs; raises Taken naming the first that somebody else has."""
        answers = await self._take(claims)
        fresh = [key for key, (answer, _) in zip(claims, answers, strict=True) if answer == b"fresh"]
        try:
            for key, (answer, _) in zip(claims, answers, strict=True):
                if answer == b"taken":
                    raise Taken(key.declared.name)
            yield min(now for _, now in answers) + USE_WITHIN_MS  # by the clock that the script compares with
        except OutcomeUnknown:
            raise  # the home may be written: the claims end by themselves or are made permanent
        except BaseException:
            for key in fresh:
                await self.release(key, claims[key])
            raise

    async def _take(self, claims: Mapping[AnyKey, str]) -> list[Any]:
        role_store = self._store.role_store(next(iter(claims)))
        commands: list[tuple[int | None, list[Arg]]] = [
            (
                role_store.layout.slot(key),
                ["EVAL", TAKE, 1, role_store.layout.name(key), owner, CLAIM_MS, SHARED_CLAIM_MS],
            )
            for key, owner in claims.items()
        ]
        answers = await role_store.nodes.execute_many(commands)
        for answer in answers:
            if isinstance(answer, ReplyError):
                raise answer
        return answers

    async def release(self, key: AnyKey, owner: str) -> None:
        role_store = self._store.role_store(key)
        name = role_store.layout.name(key)
        await role_store.nodes.execute(role_store.layout.slot(key), "EVAL", RELEASE, 1, name, owner, CLAIM_MS)
