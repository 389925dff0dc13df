"""Owner tokens: whoever knows the token owns the widget. Kept as a slow salted hash."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from townsquare.services.widgets.problems import BadToken, WrongToken

R = TypeVar("R")

SHORTEST, LONGEST = 8, 64
TIME_COST, MEMORY_KIB = 2, 19 * 1024  # as OWASP advises
HASHING_THREADS = 2  # a hash takes 19 MiB and 25 ms: more at once would only starve the rest


class Owners:
    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=1)
        self._threads = ThreadPoolExecutor(HASHING_THREADS, "owner-token")

    async def hash(self, token: str) -> str:
        if not SHORTEST <= len(token) <= LONGEST:
            raise BadToken()
        return await self._away(self._hasher.hash, encoded(token))

    async def verify(self, token: str, hashed: str | None) -> str:
        """The hash, if the token is the one behind it."""
        if not hashed or not SHORTEST <= len(token) <= LONGEST:
            raise WrongToken()
        try:
            await self._away(self._hasher.verify, hashed, encoded(token))
        except (VerificationError, InvalidHashError):
            raise WrongToken() from None
        return hashed

    async def _away(self, work: Callable[..., R], *args: Any) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def encoded(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")
