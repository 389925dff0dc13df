"""A primary of a cluster that was demoted answers, but its invalidations are late: only ROLE is a proof."""

import asyncio
from typing import Any, cast

from townsquare.store.client_cache.barrier import Barrier
from townsquare.store.client_cache.cache import ClientCache
from townsquare.store.store import Store
from townsquare.store.wire.protocol import RedisProtocol

MOVED = b"-MOVED 1 127.0.0.1:7001\r\n"
ROLES = {
    "replica": b"*5\r\n$5\r\nslave\r\n$1\r\nh\r\n:1\r\n$9\r\nconnected\r\n:1\r\n",
    "primary": b"*3\r\n$6\r\nmaster\r\n:1\r\n*0\r\n",
}


class NoTransport(asyncio.Transport):
    def write(self, data: Any) -> None: ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def abort(self) -> None: ...


class OneSession:
    clustered = True

    def __init__(self, session: RedisProtocol) -> None:
        self._session = session

    def sessions(self) -> list[RedisProtocol]:
        return [self._session]


async def answered(*replies: bytes) -> tuple[bool, bool]:
    """Whether these replies are a proof for a request that began before them, and whether the entry lives."""
    cache = ClientCache(1 << 20)
    session = RedisProtocol(asyncio.get_running_loop(), 2, cache)
    session.connection_made(NoTransport())
    session.tracks = session.in_cluster = True
    cache.add(("record", "a"), b"name", session, "value")
    barrier = Barrier(cast(Store, OneSession(session)), optimistic=True)
    other = session.send(("HMGET", "another", "field"))
    barrier.send_to([session])
    await asyncio.sleep(0)
    for reply in replies:
        session.data_received(reply)
    await asyncio.gather(other, return_exceptions=True)
    found = barrier.passed(session), bool(cache.entries)
    session.drop("the end")
    return found


async def test_another_reply_is_no_proof() -> None:
    assert await answered(MOVED) == (False, True)


async def test_a_demoted_primary_loses_its_entries() -> None:
    assert (await answered(MOVED, ROLES["replica"]))[1] is False


async def test_the_role_of_a_primary_is_a_proof() -> None:
    assert await answered(b"*1\r\n_\r\n", ROLES["primary"]) == (True, True)
