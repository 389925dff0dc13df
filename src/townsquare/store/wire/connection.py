"""The multiplexed client of one node: all tasks share one connection, which reconnects by itself.

A command is never sent twice. It fails with `Unavailable` when it was certainly not executed and with
`OutcomeUnknown` when the node went away, or stayed silent, between the command and its reply.
"""

import asyncio
import functools
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, cast

from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.wire.address import Address, Tls
from townsquare.store.wire.advice import advice
from townsquare.store.wire.protocol import (
    Arg,
    RedisProtocol,
    Reply,
    ReplyError,
    Tracker,
    WireCommand,
    with_note,
)
from townsquare.tasks import cancel_tasks

if TYPE_CHECKING:
    import ssl

__all__ = ["Arg", "NodeConnection", "Reply", "ReplyError", "Resolver", "WireCommand", "execute_once", "fixed"]

Resolver = Callable[[], Awaitable[Address]]

COMMAND_TIMEOUT = 2.0
FIRST_RETRY = 0.02
LAST_RETRY = 0.25  # the longest pause between two attempts to connect
SETTLED = 1.0  # after a session of this length the next pause is FIRST_RETRY again
AWAY = "no answer yet"

log = get_logger("townsquare.store")


def fixed(address: Address) -> Resolver:
    """The resolver of a node that does not move."""

    async def resolve() -> Address:
        return address

    return resolve


class NodeConnection:
    """A lasting connection to the node that `resolve` names; every reconnect resolves again."""

    def __init__(
        self, resolve: Resolver, *, timeout: float = COMMAND_TIMEOUT, tracker: Tracker | None = None
    ) -> None:
        self._resolve = resolve
        self._timeout = timeout
        self._tracker = tracker
        self._session: RedisProtocol | None = None
        self._task: asyncio.Task[None] | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._closed = False
        self._lost = False
        self.reason = AWAY  # why it is not connected, for logs and health pages
        self.address: Address | None = None  # of the last attempt

    @property
    def connected(self) -> bool:
        return self._session is not None and not self._session.failure

    @property
    def session(self) -> RedisProtocol | None:
        return self._session

    @property
    def idle(self) -> bool:
        return self._session is None or self._session.idle

    async def execute(self, *args: Arg) -> Reply:
        """Send one command and return its reply; an error reply is raised as `ReplyError`."""
        session = self._session
        if session is None:
            raise with_note(Unavailable, self.reason)
        if session.full:
            await session.room()
        return await session.send(args)

    async def execute_many(self, commands: Sequence[WireCommand]) -> list[Reply | ReplyError]:
        """Send several commands in one write; error replies are values in the list.

        Raises `Unavailable` only if none of them was executed.
        """
        session = self._session
        if session is None:
            raise with_note(Unavailable, self.reason)
        if session.full:
            await session.room()
        return await session.send_many(commands)

    def open(self) -> None:
        """Start connecting in the background."""
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._keep(), name="townsquare-connection")

    async def ready(self) -> None:
        """Wait for the connection, at most one command timeout; fails at once if the node refuses us."""
        self.open()
        if self.connected:
            return
        if self._arrival is None:
            self._arrival = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._timeout):
                await asyncio.shield(self._arrival)
        except TimeoutError:
            place = f" at {self.address}" if self.address else ""
            reason = self.reason
            if reason == AWAY and self.address:
                reason = advice(self.address, TimeoutError())
            raise Unavailable(f"Cannot reach Redis{place}: {reason}") from None

    async def close(self) -> None:
        """End at once, without waiting for replies."""
        self._closed = True
        session, self._session = self._session, None
        self.reason = "The connection was closed"
        await cancel_tasks((self._task,))
        self._task = None
        self._arrived(Unavailable(self.reason))
        if session is not None:
            session.drop(self.reason)
            await session.closed

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_RETRY
        while True:
            session = await self._attempt()
            if session is not None:
                since = loop.time()
                await asyncio.shield(session.closed)
                self._session = None
                self.reason = session.failure
                if not self._lost:
                    self._lost = True
                    log.error("lost Redis", node=str(self.address), why=self.reason)
                if loop.time() - since >= SETTLED:
                    pause = FIRST_RETRY
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(pause * 2, LAST_RETRY)

    async def _attempt(self) -> RedisProtocol | None:
        try:
            async with asyncio.timeout(self._timeout):
                self.address = await self._resolve()
                session = await open_protocol(self.address, self._timeout, self._tracker)
        except Exception as error:  # including those of the resolver: keep trying
            self.reason = advice(self.address or Address(), error)
            if not isinstance(error, OSError | Unavailable | OutcomeUnknown):
                self._arrived(Unavailable(f"Redis at {self.address} refused the connection: {self.reason}"))
            return None
        if self._lost:
            self._lost = False
            log.warning("Redis is back", node=str(self.address))
        self._session = session
        self._arrived(None)
        return session

    def _arrived(self, problem: Unavailable | None) -> None:
        arrival, self._arrival = self._arrival, None
        if arrival is None or arrival.done():
            return
        if problem is None:
            arrival.set_result(None)
        else:
            arrival.set_exception(problem)
            arrival.exception()  # retrieved, so that asyncio does not log it if nobody waits


async def execute_once(address: Address, *args: Arg, within: float = COMMAND_TIMEOUT) -> Reply:
    try:
        async with asyncio.timeout(within):
            session = await open_protocol(address, within)
    except OSError as error:
        raise with_note(Unavailable, advice(address, error)) from None
    try:
        return await session.send(args)
    finally:
        session.drop("Done")
        await session.closed


async def open_protocol(
    address: Address, command_timeout: float, tracker: Tracker | None = None
) -> RedisProtocol:
    """Connect and send HELLO; the caller sets the timeout."""
    loop = asyncio.get_running_loop()

    def protocol() -> RedisProtocol:
        return RedisProtocol(loop, command_timeout, tracker)

    if address.path:
        _, session = await loop.create_unix_connection(protocol, address.path)
    else:
        context = _context(address.tls) if address.tls else None
        _, session = await loop.create_connection(protocol, address.host, address.port, ssl=context)
    try:
        await _say_hello(session, address)
        if tracker is not None:
            await _track(session)
    except BaseException:
        session.drop("The handshake failed")
        raise
    return session


async def _say_hello(session: RedisProtocol, address: Address) -> None:
    hello: list[Arg] = ["HELLO", 3]
    if address.password:
        hello += ["AUTH", address.username or "default", address.password]
    greeting = [session.send((*hello, "SETNAME", "townsquare"))]
    if address.db:
        greeting.append(session.send(("SELECT", address.db)))
    answers = await asyncio.gather(*greeting, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    session.in_cluster = cast(Reply, answers[0]).get(b"mode") == b"cluster"


async def _track(session: RedisProtocol) -> None:
    """Enable client tracking. Without it the client cache stores nothing of this node."""
    try:
        await session.send(("CLIENT", "TRACKING", "ON", "OPTIN"))
    except ReplyError as refused:
        log.warning("Redis refuses CLIENT TRACKING: the client cache is off", why=str(refused))
    else:
        session.tracks = True


@functools.lru_cache(maxsize=16)
def _context(tls: Tls) -> "ssl.SSLContext":
    return tls.context()
