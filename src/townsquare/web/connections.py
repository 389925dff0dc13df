"""Shared by WebSockets and event streams: limits on open connections, and repeated authentication."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from townsquare.api import Call
from townsquare.problems import Forbidden, Problem, TooManyRequests, Unauthorized, Unavailable
from townsquare.web.auth import AuthGuard

SLOW_SECONDS = 10.0  # a client that does not take a message within this time is dropped
RETRY_SECONDS = 5  # Retry-After of a client with too many connections
CHECK_SECONDS = 10.0  # between two authentications of an open connection


class OpenConnections:
    def __init__(self, per_address: int) -> None:
        self._per_address = per_address
        self.stopping = asyncio.Event()
        self._open: Counter[tuple[str, str]] = Counter()

    def count(self) -> int:
        return self._open.total()

    @contextmanager
    def one(self, path: str, who: str, most: int | None) -> Iterator[None]:
        most = self._per_address if most is None else most
        if self.stopping.is_set():
            raise Unavailable("This server is being restarted")
        if self._open[path, who] >= most:
            raise TooManyRequests(f"At most {most} connections at once", retry_after=RETRY_SECONDS)
        self._open[path, who] += 1
        try:
            yield
        finally:
            self._open[path, who] -= 1
            if not self._open[path, who]:
                del self._open[path, who]


class Reauthentication:
    """Authenticates the caller of an open connection again every few seconds, until `refuse` or `stop`.

    It is a timer, because most connections are idle and a waiting task is 2 kB.
    """

    __slots__ = ("_auth_guard", "_call", "_refuse", "_running", "_timer")

    def __init__(self, auth_guard: AuthGuard | None, call: Call, refuse: Callable[[Problem], None]) -> None:
        self._auth_guard = auth_guard
        self._call = call
        self._refuse = refuse
        self._running: asyncio.Task[None] | None = None
        self._wait()

    def stop(self) -> None:
        self._timer.cancel()
        if self._running is not None:
            self._running.cancel()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._begin)

    def _begin(self) -> None:
        self._running = asyncio.create_task(self._check())

    async def _check(self) -> None:
        try:
            if self._auth_guard is not None:
                await self._auth_guard.recheck(self._call)
        except (Unauthorized, Forbidden) as refusal:
            self._refuse(refusal)
            return
        except Problem:
            pass  # a store that does not answer proves nothing
        self._running = None
        self._wait()
