"""A program that signs up, changes or deletes a user on a cluster and dies at a point of the way.

    python -m tests.services.accounts.dying DATA_URL CACHE_URL POINT ACTION [USER_ID]

Claims and leases are short, so that a test need not wait for their real lives.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from tests.services.accounts.core import Core, core_of
from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from townsquare.services.accounts.models import UserProfile
from townsquare.store.coordination import claims, effects
from townsquare.store.coordination.effects import Effects
from townsquare.store.scripts.invocation import Invocation
from townsquare.store.store import RoleStore, Store

CLAIM_MS, USE_WITHIN_MS, LEASE_SECONDS = 1_500, 1_000, 1
POINTS = ("claimed", "written", "half drained", "drained")
EMAIL, NEW_EMAIL = "one@example.org", "two@example.org"

Work = Callable[..., Awaitable[Any]]


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


async def die_when_claimed(store: Store, side: RoleStore, invocation: Invocation) -> NoReturn:
    die()


async def die_when_written(effects: Effects, bucket: str) -> NoReturn:
    die()


def dying_half_way(send: Work) -> Work:
    async def apply(effects: Effects, batch: list[list[Any]]) -> NoReturn:
        await send(effects, batch[: len(batch) // 2])
        die()

    return apply


def dying_after(send: Work) -> Work:
    async def apply(effects: Effects, batch: list[list[Any]]) -> NoReturn:
        await send(effects, batch)
        die()

    return apply


def set_trap(point: str) -> None:
    if point == "claimed":
        Store._evaluate = die_when_claimed  # type: ignore[method-assign, assignment]
    elif point == "written":
        Effects.drain = die_when_written  # type: ignore[method-assign, assignment]
    elif point == "half drained":
        Effects._send = dying_half_way(Effects._send)  # type: ignore[method-assign, assignment]
    elif point == "drained":
        Effects._send = dying_after(Effects._send)  # type: ignore[method-assign, assignment]


async def act(core: Core, action: str, user_id: str) -> None:
    if action == "create":
        await core.users.create(UserProfile(email=EMAIL, username="one", city="Abha"))
    elif action == "change":
        await core.users.change(user_id, UserProfile(email=NEW_EMAIL, username="two", city="Jeddah"))
    elif action == "delete":
        await core.users.delete(user_id)


async def main(data_url: str, cache_url: str, point: str, action: str, user_id: str = "") -> None:
    claims.CLAIM_MS, claims.USE_WITHIN_MS = CLAIM_MS, USE_WITHIN_MS
    effects.LEASE_SECONDS = LEASE_SECONDS  # type: ignore[attr-defined]
    async with open_square(Place("cluster", data_url, cache_url), PinnedClock()) as square:
        set_trap(point)
        await act(core_of(square), action, user_id)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
