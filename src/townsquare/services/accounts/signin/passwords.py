"""Passwords: argon2id in a few threads of its own, and none that everybody would try first."""

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from townsquare.services.accounts.problems import BadPassword, Busy, CommonPassword

R = TypeVar("R")

SHORTEST, LONGEST = 8, 128
HASHING_THREADS = 2  # a hash takes 19 MiB and 25 ms: more at once would only starve the rest
MOST_WAITING = 200  # about three seconds of work; who comes later is told to come back
NOBODYS_PASSWORD = "the password of an account that does not exist"  # noqa: S105


class Passwords:
    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._threads = ThreadPoolExecutor(HASHING_THREADS, "password")
        self._waiting = 0
        self._nobodys_hash: str | None = None

    async def hash(self, password: str, *names: str | None) -> str:
        """The hash to keep; refuses what is too short, too long, common, or one of the owner's `names`."""
        check(password, *names)
        return await self._away(lambda: self._hasher.hash(prepared(password)))

    async def matches(self, password: str, hashed: str | None) -> bool:
        """Whether this is the password. Takes as long when there is none to compare with."""
        if self._nobodys_hash is None:
            self._nobodys_hash = await self._away(lambda: self._hasher.hash(NOBODYS_PASSWORD))
        right = await self._verify(hashed or self._nobodys_hash, password[: LONGEST + 1])
        return right and hashed is not None and SHORTEST <= len(password) <= LONGEST

    async def _verify(self, hashed: str, password: str) -> bool:
        try:
            return await self._away(lambda: self._hasher.verify(hashed, prepared(password)))
        except (VerificationError, InvalidHashError):
            return False

    async def _away(self, work: Callable[[], R]) -> R:
        if self._waiting >= MOST_WAITING:
            raise Busy()
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def check(password: str, *names: str | None) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadPassword()
    folded = password.casefold()
    if folded in common_passwords() or folded in {name.casefold() for name in names if name}:
        raise CommonPassword()


def prepared(password: str) -> bytes:
    """The same bytes for the same characters, however a keyboard composes them."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")


@cache
def common_passwords() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]  # 1 MB, rarely needed

    return frozenset(word for word in FREQUENCY_LISTS["passwords"] if len(word) >= SHORTEST)
