"""The multiplexed client of one node: all tasks share one connection, which heals by itself.

A command is never sent twice. It fails with `Unavailable` when it was certainly not executed and with
`OutcomeUnknown` when the node went away, or stayed silent, between the command and its reply.
"""

import asyncio
import functools
import random
import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import structlog

from townsquare.problems import OutcomeUnknown, Unavailable
from townsquare.store.wire.address import Address, Tls
from townsquare.store.wire.advice import advice
from townsquare.store.wire.protocol import Arg, RedisProtocol, Reply, ReplyError, Tracker, Words, with_note

__all__ = ["Arg", "NodeConnection", "Reply", "ReplyError", "Resolver", "Words", "ask", "fixed"]

Resolver = Callable[[], Awaitable[Address]]

COMMAND_TIMEOUT = 2.0
FIRST_RETRY = 0.02
LAST_RETRY = 0.25  # the longest pause between two attempts to connect
SETTLED = 1.0  # a session that lived so long was a good one: the next pause is short again
AWAY = "no answer yet"

log = structlog.get_logger("townsquare.store")


def fixed(address: Address) -> Resolver:
    """The resolver of a node that does not move."""

    async def resolve() -> Address:
        return address

    return resolve


class NodeConnection:
    """A lasting connection to the node that `resolve` names; it is asked anew at every reconnect."""

    def __init__(
        self, resolve: Resolver, *, timeout: float = COMMAND_TIMEOUT, tracker: Tracker | None = None
    ) -> None:
        self._resolve = resolve
        self._timeout = timeout
        self._tracker = tracker
        self._link: RedisProtocol | None = None
        self._task: asyncio.Task[None] | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._closed = False
        self._lost = False
        self.reason = AWAY  # why it is not connected, for logs and health pages
        self.address: Address | None = None  # of the last attempt

    @property
    def connected(self) -> bool:
        return self._link is not None and not self._link.failure

    @property
    def link(self) -> RedisProtocol | None:
        """The session of now."""
        return self._link

    @property
    def idle(self) -> bool:
        return self._link is None or self._link.idle

    async def execute(self, *args: Arg) -> Reply:
        """Send one command and return its reply; an error reply is raised as `ReplyError`."""
        link = self._link
        if link is None:
            raise with_note(Unavailable, self.reason)
        if link.full:
            await link.room()
        return await link.send(args)

    async def execute_many(self, commands: Sequence[Words]) -> list[Reply | ReplyError]:
        """Send several commands in one write; error replies are values in the list.

        Raises `Unavailable` only if none of them was executed.
        """
        link = self._link
        if link is None:
            raise with_note(Unavailable, self.reason)
        if link.full:
            await link.room()
        return await link.send_many(commands)

    def open(self) -> None:
        """Begin to connect, in the background."""
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._keep(), name="townsquare-connection")

    async def ready(self) -> None:
        """Wait for the connection, at most one command timeout; a node that turns us away fails at once."""
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
        link, self._link = self._link, None
        self.reason = "The connection was closed"
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        self._arrived(Unavailable(self.reason))
        if link is not None:
            link.drop(self.reason)
            await link.closed

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        pause = FIRST_RETRY
        while True:
            link = await self._attempt()
            if link is not None:
                since = loop.time()
                await asyncio.shield(link.closed)
                self._link = None
                self.reason = link.failure
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
                link = await open_protocol(self.address, self._timeout, self._tracker)
        except Exception as error:  # also a resolver's own: trying must go on
            self.reason = advice(self.address or Address(), error)
            if not isinstance(error, OSError | Unavailable | OutcomeUnknown):
                self._arrived(Unavailable(f"Redis at {self.address} turned us away: {self.reason}"))
            return None
        if self._lost:
            self._lost = False
            log.warning("Redis is back", node=str(self.address))
        self._link = link
        self._arrived(None)
        return link

    def _arrived(self, problem: Unavailable | None) -> None:
        arrival, self._arrival = self._arrival, None
        if arrival is None or arrival.done():
            return
        if problem is None:
            arrival.set_result(None)
        else:
            arrival.set_exception(problem)
            arrival.exception()  # seen, even if nobody waits any longer


async def ask(address: Address, *args: Arg, within: float = COMMAND_TIMEOUT) -> Reply:
    """One command over a session of its own."""
    try:
        async with asyncio.timeout(within):
            link = await open_protocol(address, within)
    except OSError as error:
        raise with_note(Unavailable, advice(address, error)) from None
    try:
        return await link.send(args)
    finally:
        link.drop("Done")
        await link.closed


async def open_protocol(
    address: Address, command_timeout: float, tracker: Tracker | None = None
) -> RedisProtocol:
    """Connect and introduce ourselves; the caller bounds the time that this takes."""
    loop = asyncio.get_running_loop()

    def link() -> RedisProtocol:
        return RedisProtocol(loop, command_timeout, tracker)

    if address.path:
        _, session = await loop.create_unix_connection(link, address.path)
    else:
        context = _context(address.tls) if address.tls else None
        _, session = await loop.create_connection(link, address.host, address.port, ssl=context)
    try:
        await _introduce(session, address)
        if tracker is not None:
            await _track(session)
    except BaseException:
        session.drop("The handshake failed")
        raise
    return session


async def _introduce(link: RedisProtocol, address: Address) -> None:
    hello: list[Arg] = ["HELLO", 3]
    if address.password:
        hello += ["AUTH", address.username or "default", address.password]
    greeting = [link.send((*hello, "SETNAME", "townsquare"))]
    if address.db:
        greeting.append(link.send(("SELECT", address.db)))
    answers = await asyncio.gather(*greeting, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    link.in_cluster = cast(Reply, answers[0]).get(b"mode") == b"cluster"


async def _track(link: RedisProtocol) -> None:
    """Ask to be told of changes; a node that does not offer that is read every time."""
    try:
        await link.send(("CLIENT", "TRACKING", "ON", "OPTIN"))
    except ReplyError as refused:
        log.warning("Redis does not tell of changes: nothing is kept in memory", why=str(refused))
    else:
        link.tracks = True


@functools.lru_cache(maxsize=16)
def _context(tls: Tls) -> ssl.SSLContext:
    return tls.context()
