"""Uniqueness across homes.

On one node a claim is part of the script. On a cluster the index lives elsewhere: it is taken first with a
short life, the home is written second, and an effect makes the claim permanent. A crash in between leaves
a claim that ends by itself.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from townsquare.keyspace import AnyKey
from townsquare.problems import OutcomeUnknown, Problem, Taken
from townsquare.store.wire.connection import Arg, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

CLAIM_MS = 30_000  # how long a claim lives before its effect makes it permanent
USE_WITHIN_MS = 10_000  # the home must be written by then; the rest is for the effect

# A claim that is not permanent yet belongs to the request that took it: another one of the same owner waits
# for its outcome like anybody else, so that whoever fails can give back what it took. One that can be used no
# more, by whatever clock, goes over to the next request of its owner: the one that took it has died.
TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holder = redis.call('GET', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left > tonumber(ARGV[2]) then  -- the clock of Redis was set back
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
local abandoned = left >= 0 and left < ARGV[2] - 2 * ARGV[3]
if not holder or holder == ARGV[1] and abandoned then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {'fresh', now}
end
return {holder == ARGV[1] and left == -1 and 'ours' or 'taken', now}
"""

# unless a later request has taken it over: then it ends later than what was taken
RELEASE = """
local time = redis.call('TIME')
local left = redis.call('PTTL', KEYS[1])
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + left
if redis.call('GET', KEYS[1]) == ARGV[1] and left > 0 and ends < tonumber(ARGV[2]) + 1000 then
  return redis.call('DEL', KEYS[1])
end
return 0
"""


class Claims:
    def __init__(self, store: "Store") -> None:
        self._store = store

    @asynccontextmanager
    async def hold(self, claims: Mapping[AnyKey, str]) -> AsyncIterator[int]:
        """Hold all of these while the body runs; raises Taken naming the first that another request has."""
        answers = await self._take(claims)
        fresh = {key: now for key, (answer, now) in zip(claims, answers, strict=True) if answer == b"fresh"}
        try:
            for key, (answer, _) in zip(claims, answers, strict=True):
                if answer == b"taken":
                    raise Taken(key.declared.name)
            yield min(now for _, now in answers) + USE_WITHIN_MS  # by the clock that the script compares with
        except OutcomeUnknown:
            raise  # the home may be written: the claims end by themselves or are made permanent
        except BaseException:
            for key, taken_at in fresh.items():
                with contextlib.suppress(Problem):  # it ends by itself
                    await self._release(key, claims[key], taken_at)
            raise

    async def _take(self, claims: Mapping[AnyKey, str]) -> list[Any]:
        role_store = self._store.role_store(next(iter(claims)))
        commands: list[tuple[int | None, list[Arg]]] = [
            (
                role_store.layout.slot(key),
                ["EVAL", TAKE, 1, role_store.layout.name(key), owner, CLAIM_MS, USE_WITHIN_MS],
            )
            for key, owner in claims.items()
        ]
        answers = await role_store.nodes.execute_many(commands)
        for answer in answers:
            if isinstance(answer, ReplyError):
                raise answer
        return answers

    async def _release(self, key: AnyKey, owner: str, taken_at: int) -> None:
        role_store = self._store.role_store(key)
        name, slot = role_store.layout.name(key), role_store.layout.slot(key)
        await role_store.nodes.execute(slot, "EVAL", RELEASE, 1, name, owner, taken_at + CLAIM_MS)
