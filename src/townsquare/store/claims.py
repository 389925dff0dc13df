"""Uniqueness across homes.

On one node a claim is part of the script. On a cluster the index lives elsewhere: it is taken first with a
short life, the home is written second, and an effect makes the claim permanent. A crash in between leaves
a claim that ends by itself.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from townsquare.keyspace import AnyKey
from townsquare.problems import OutcomeUnknown, Taken

if TYPE_CHECKING:
    from townsquare.store.store import Store

CLAIM_MS = 30_000  # how long a claim lives before its effect makes it permanent
USE_WITHIN_MS = 10_000  # the home must be written by then; the rest is for the effect

RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PTTL', KEYS[1]) > 0 then
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
        if not claims:
            yield 0
            return
        now = await self._now(next(iter(claims)))
        taken = await self._store.pipeline(
            [("SET", key, owner, "NX", "PX", CLAIM_MS) for key, owner in claims.items()]
        )
        ours = {key: owner for (key, owner), fresh in zip(claims.items(), taken, strict=True) if fresh}
        try:
            others = {key: owner for key, owner in claims.items() if key not in ours}
            holders = await self._store.pipeline([("GET", key) for key in others])
            for (key, owner), holder in zip(others.items(), holders, strict=True):
                if holder != owner.encode():
                    raise Taken(key.declared.name)
            yield now + USE_WITHIN_MS
        except OutcomeUnknown:
            raise  # the home may be written: the claims end by themselves or are made permanent
        except BaseException:
            for key, owner in ours.items():
                await self.release(key, owner)
            raise

    async def _now(self, key: AnyKey) -> int:
        """By the clock of Redis, because the script compares with that."""
        side = self._store.side(key)
        seconds, _ = await side.nodes.execute(side.layout.slot(key), "TIME")
        return int(seconds) * 1000

    async def release(self, key: AnyKey, owner: str) -> None:
        side = self._store.side(key)
        name = side.layout.name(key)
        await side.nodes.execute(side.layout.slot(key), "EVAL", RELEASE, 1, name, owner)
