"""One process at a time: a lease that is renewed by its holder and ends by itself after a crash."""

import secrets
from typing import TYPE_CHECKING

from townsquare.store.keys import BACKGROUND_LEASE_SECONDS, lease

if TYPE_CHECKING:
    from townsquare.store.store import Store


class Lease:
    def __init__(self, store: "Store", name: str) -> None:
        self._store = store
        self._key = lease(name)
        self._token = secrets.token_hex(8)

    async def take(self) -> bool:
        """Take it if it is free, renew it if it is ours."""
        if await self._store.call("SET", self._key, self._token, "NX", "EX", BACKGROUND_LEASE_SECONDS):
            return True
        if await self._store.call("GET", self._key) != self._token.encode():
            return False
        await self._store.call("EXPIRE", self._key, BACKGROUND_LEASE_SECONDS)
        return True

    async def give_back(self) -> None:
        if await self._store.call("GET", self._key) == self._token.encode():
            await self._store.call("DEL", self._key)
