"""Uniqueness across homes.

On one node a claim is part of the script. On a cluster the index key is on another home: it is first reserved
for CLAIM_MS, then the home is written, and an effect makes the claim permanent. After a crash in between the
reservation expires.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from townsquare.keyspace import AnyKey
from townsquare.problems import OutcomeUnknown, Problem, Taken
from townsquare.store.scripts.folder import SHARED
from townsquare.store.wire.connection import Arg, ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

CLAIM_MS = 30_000  # lifetime of a claim until its effect makes it permanent
USE_WITHIN_MS = 10_000  # the home must be written by then; the rest is for the effect

TAKE = (SHARED / "take_claim.lua").read_text()
RELEASE = (SHARED / "release_claim.lua").read_text()


class Claims:
    def __init__(self, store: "Store") -> None:
        self._store = store

    @asynccontextmanager
    async def hold(self, claims: Mapping[AnyKey, str]) -> AsyncIterator[int]:
        """Hold these claims while the body runs; raises Taken for the first that another request holds."""
        answers = await self._take(claims)
        fresh = {key: now for key, (answer, now) in zip(claims, answers, strict=True) if answer == b"fresh"}
        try:
            for key, (answer, _) in zip(claims, answers, strict=True):
                if answer == b"taken":
                    raise Taken(key.declared.name)
            yield (min(now for _, now in answers) + USE_WITHIN_MS)  # by the clock of Redis, as in the script
        except OutcomeUnknown:
            raise  # the write may have happened: the claims expire or become permanent
        except BaseException:
            for key, taken_at in fresh.items():
                with contextlib.suppress(Problem):  # it expires
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
