"""What WebSockets and streams of events have in common: how many are open, and when to give up on one."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from townsquare.api import Call
from townsquare.problems import Forbidden, Problem, TooManyRequests, Unauthorized, Unavailable
from townsquare.web.auth import AuthGuard

SLOW_SECONDS = 10.0  # a client that has not taken a message in so long is dropped
RETRY_SECONDS = 5  # for who has too many open
CHECK_SECONDS = 10.0  # between two looks at whether who is connected would still be let in


class OpenConnections:
    """The sockets and streams that this process has open."""

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
    """Ask now and then who is connected; the reason why they would not be let in any more."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        try:
            if auth_guard is not None:
                await auth_guard.check_again(call)
        except (Unauthorized, Forbidden) as refusal:
            return refusal
        except Problem:
            continue  # a store that is away says nothing about anybody
