"""Passwords: argon2id hashes, without common passwords."""

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
        """Hash a password; refuses one that is too short, too long, common, or one of the user's `names`."""
        check(password, *names)
        return await self._hasher.hash(composed(password))

    async def matches(self, password: str, hashed: str | None) -> bool:
        """Whether this is the password. Takes the same time if there is no hash."""
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
    """NFKC: one encoding for composed and decomposed characters. At most 129 characters are normalised."""
    return unicodedata.normalize("NFKC", password)


@cache
def common_passwords() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]  # 1 MB, rarely needed

    return frozenset(word for word in FREQUENCY_LISTS["passwords"] if len(word) >= SHORTEST)
