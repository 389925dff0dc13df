"""Passwords: kept as slow hashes, and none that everybody would try first."""

import unicodedata
from functools import cache

from townsquare.kit.hashing import SecretHasher
from townsquare.services.accounts.problems import BadPassword, CommonPassword

SHORTEST, LONGEST = 8, 128
NOBODYS_PASSWORD = "the password of an account that does not exist"  # noqa: S105


class Passwords:
    def __init__(self) -> None:
        self._hasher = SecretHasher()
        self._nobodys_hash: str | None = None

    async def hash(self, password: str, *names: str | None) -> str:
        """The hash to keep; refuses what is too short, too long, common, or one of the owner's `names`."""
        check(password, *names)
        return await self._hasher.hash(composed(password))

    async def matches(self, password: str, hashed: str | None) -> bool:
        """Whether this is the password. Takes as long when there is none to compare with."""
        if self._nobodys_hash is None:
            self._nobodys_hash = await self._hasher.hash(NOBODYS_PASSWORD)
        right = await self._hasher.matches(composed(password[: LONGEST + 1]), hashed or self._nobodys_hash)
        return right and hashed is not None and SHORTEST <= len(password) <= LONGEST

    def close(self) -> None:
        self._hasher.close()


def check(password: str, *names: str | None) -> None:
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadPassword()
    folded = password.casefold()
    if folded in common_passwords() or folded in {name.casefold() for name in names if name}:
        raise CommonPassword()


def composed(password: str) -> str:
    """The same text for the same characters, however a keyboard composes them."""
    return unicodedata.normalize("NFKC", password)


@cache
def common_passwords() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]  # 1 MB, rarely needed

    return frozenset(word for word in FREQUENCY_LISTS["passwords"] if len(word) >= SHORTEST)
