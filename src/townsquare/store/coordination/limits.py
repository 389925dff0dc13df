"""The atomic side of rate limits: calls counted per client and window, in the cache role."""

from typing import TYPE_CHECKING

from townsquare.store.coordination.scripts import TakeTokens

if TYPE_CHECKING:
    from townsquare.store.store import Store


class Limiter:
    def __init__(self, store: "Store") -> None:
        self._store = store

    async def take(
        self, name: str, who: str, count: int, seconds: int, amount: int, *, per: str = "ip"
    ) -> tuple[int, int, float]:
        """Take up to `amount` calls: (granted, left in this window, seconds until the next)."""
        now = self._store.clock.now_ms() / 1000
        window = int(now // seconds)
        taken = await self._store.run(
            TakeTokens(
                per=per, name=name, who=who, window=window, count=count, amount=amount, seconds=seconds
            )
        )
        return taken.granted, taken.remaining, (window + 1) * seconds - now
