"""Owner tokens: the bearer of the token owns the widget. Stored as a slow salted hash."""

from townsquare.kit.hashing import SecretHasher
from townsquare.services.widgets.problems import BadToken, WrongToken

SHORTEST, LONGEST = 8, 64


class OwnerTokens:
    def __init__(self) -> None:
        self._hasher = SecretHasher()

    async def hash(self, token: str) -> str:
        if not SHORTEST <= len(token) <= LONGEST:
            raise BadToken()
        return await self._hasher.hash(token)

    async def verify(self, token: str, hashed: str | None) -> str:
        """The hash, if the token is the one behind it."""
        if not hashed or not SHORTEST <= len(token) <= LONGEST:
            raise WrongToken()
        if not await self._hasher.matches(token, hashed):
            raise WrongToken()
        return hashed

    def close(self) -> None:
        self._hasher.close()
