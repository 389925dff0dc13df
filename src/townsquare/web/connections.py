"""Shared by WebSockets and event streams: limits on open connections, and repeated authentication."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from townsquare.api import Call
from townsquare.problems import Forbidden, Problem, TooManyRequests, Unauthorized, Unavailable
from townsquare.web.auth import AuthGuard

SLOW_SECONDS = 10.0  # a client that does not take a message within this time is dropped
RETRY_SECONDS = 5  # Retry-After of a client with too many connections
CHECK_SECONDS = 10.0  # between two authentications of an open connection


class OpenConnections:
    """The open sockets and streams of this process."""

    def __init__(self, per_address: int) -> None:
        self._per_address = per_address
        self.stopping = asyncio.Event()
        self._open: Counter[tuple[str, str]] = Counter()

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


async def until_refused(auth_guard: AuthGuard | None, call: Call) -> Problem:
    """Authenticate again every few seconds; return the reason once the caller is refused."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        try:
            if auth_guard is not None:
                await auth_guard.recheck(call)
        except (Unauthorized, Forbidden) as refusal:
            return refusal
        except Problem:
            continue  # a store that does not answer proves nothing
