import asyncio

from tests.support.clock import PinnedClock
from townsquare.store.coordination.limits import Limiter
from townsquare.store.store import Store


async def test_a_limit_grants_what_is_left(store: Store, clock: PinnedClock) -> None:
    limiter = Limiter(store)
    assert (await limiter.take("read", "192.0.2.1", 10, 60, 4))[:2] == (4, 6)
    assert (await limiter.take("read", "192.0.2.1", 10, 60, 8))[:2] == (6, 0)
    assert (await limiter.take("read", "192.0.2.1", 10, 60, 1))[:2] == (0, 0)
    assert (await limiter.take("read", "2001:db8::/64", 10, 60, 1))[:2] == (1, 9)
    assert (await limiter.take("write", "192.0.2.1", 10, 60, 1))[:2] == (1, 9)
    clock.move(minutes=1)
    assert (await limiter.take("read", "192.0.2.1", 10, 60, 1))[:2] == (1, 9)


async def test_a_hundred_callers_share_a_limit_exactly(store: Store) -> None:
    takes = (Limiter(store).take("code", "someone@example.com", 5, 60, 1, per="user") for _ in range(100))
    assert sum([granted for granted, _, _ in await asyncio.gather(*takes)]) == 5
