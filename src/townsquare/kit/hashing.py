"""Slow salted hashes of secrets: argon2id, in separate threads."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from townsquare.problems import Problem

if TYPE_CHECKING:
    from argon2 import PasswordHasher

R = TypeVar("R")

TIME_COST, MEMORY_KIB = 2, 19 * 1024  # the recommendation of OWASP
THREADS = 2  # a hash takes 19 MiB and 25 ms of CPU time
MOST_WAITING = 200  # about three seconds of work; further requests get `busy`


Busy = Problem.declare("busy", "Too many people are signing in at once, try again in a moment", 503)


class SecretHasher:
    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "secret-hash")
        self._waiting = 0

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        from argon2 import PasswordHasher

        return PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=1)

    async def hash(self, secret: str) -> str:
        return await self._in_thread(lambda: self._hasher.hash(encoded(secret)))

    async def matches(self, secret: str, hashed: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            return await self._in_thread(lambda: self._hasher.verify(hashed, encoded(secret)))
        except (VerificationError, InvalidHashError):
            return False

    async def _in_thread(self, work: Callable[[], R]) -> R:
        if self._waiting >= MOST_WAITING:
            raise Busy()
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def encoded(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogatepass")
