"""A cluster: 16,384 slots on several primaries; slots can move during operation.

A redirect means that the command was not executed, so following it does not repeat a write.
"""

import asyncio
from collections.abc import Sequence

from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Problem, Unavailable
from townsquare.store.wire.address import Address
from townsquare.store.wire.advice import advice
from townsquare.store.wire.connection import COMMAND_TIMEOUT, NodeConnection, execute_once, fixed
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

log = get_logger("townsquare.store")

SLOTS = 16_384
REDIRECTS = frozenset({"MOVED", "ASK", "TRYAGAIN"})
MAX_REDIRECTS = 8  # of each kind: MOVED and ASK, and TRYAGAIN (about a second in total)
FIRST_PAUSE = 0.01  # before a TRYAGAIN is tried again; doubles
LAST_PAUSE = 0.2
REFRESH_PAUSE = 0.25  # seconds, at least, between two refreshes of the topology

Routed = tuple[int | None, WireCommand]  # the slot of its keys (None: no keys), and the command
Range = tuple[int, int, str, int]  # first slot, last slot, host, port of the primary


class ClusterNodes:
    clustered = True

    def __init__(
        self, seeds: Sequence[Address], *, timeout: float = COMMAND_TIMEOUT, tracker: Tracker | None = None
    ) -> None:
        self._seeds = seeds
        self._timeout = timeout
        self._tracker = tracker
        self._slots: list[NodeConnection | None] = [None] * SLOTS
        self._connections: dict[tuple[str, int], NodeConnection] = {}
        self._retired: list[NodeConnection] = []  # of nodes that left the cluster, with commands in flight
        self._refreshing: asyncio.Task[None] | None = None
        self._closed = False
        self._lost = False  # no node replies with the topology

    async def execute(self, slot: int | None, *args: Arg) -> Reply:
        connection = self._at(slot)
        try:
            return await connection.execute(*args)
        except ReplyError as error:
            if error.code not in REDIRECTS:
                raise
            redirect = error
        except (Unavailable, OutcomeUnknown):
            self._refresh_soon()
            raise
        reply = (await self._follow([(slot, args)], [redirect]))[0]
        if isinstance(reply, ReplyError):
            raise reply
        return reply

    async def execute_many(self, commands: Sequence[Routed]) -> list[Reply | ReplyError]:
        replies: list[Reply | ReplyError] = [None] * len(commands)
        shares: Shares = {}
        for index, (slot, _) in enumerate(commands):
            shares.setdefault(self._at(slot), []).append((index, False))
        for connection in shares:
            if not connection.connected:
                self._refresh_soon()
                raise with_note(Unavailable, connection.reason)
        await self._send(commands, shares, replies, nothing_executed=True)
        return await self._follow(commands, replies)

    def connections(self) -> list[NodeConnection]:
        return list(self._connections.values())

    def session(self, slot: int | None) -> RedisProtocol | None:
        connection = self._slots[slot] if slot is not None else None
        return connection.session if connection is not None else None

    def sessions(self) -> list[RedisProtocol]:
        return [
            connection.session for connection in self._connections.values() if connection.session is not None
        ]

    async def ready(self) -> None:
        if None in self._slots:
            await self._refresh()
        if None in self._slots:
            raise Unavailable(f"The cluster leaves {self._slots.count(None)} of its {SLOTS} slots unserved")
        await asyncio.gather(*(connection.ready() for connection in self.connections()))

    async def close(self) -> None:
        self._closed = True
        await cancel_tasks((self._refreshing,))
        await asyncio.gather(*(connection.close() for connection in (*self.connections(), *self._retired)))

    def _at(self, slot: int | None) -> NodeConnection:
        if slot is not None:
            connection = self._slots[slot]
        else:
            known = self.connections()
            connection = next((c for c in known if c.connected), known[0] if known else None)
        if connection is None:
            self._refresh_soon()
            raise with_note(Unavailable, f"No node serves slot {slot}")
        return connection

    async def _send(
        self,
        commands: Sequence[Routed],
        shares: "Shares",
        replies: list[Reply | ReplyError],
        *,
        nothing_executed: bool,
    ) -> None:
        """Send each node its share in one write; put the replies in the order of the commands."""

        async def send_share(connection: NodeConnection, share: list[tuple[int, bool]]) -> None:
            batch: list[WireCommand] = []
            for index, asking in share:
                if asking:
                    batch.append(("ASKING",))
                batch.append(commands[index][1])
            answers = iter(await connection.execute_many(batch))
            for index, asking in share:
                if asking:
                    next(answers)
                replies[index] = next(answers)

        outcomes = await asyncio.gather(
            *(send_share(connection, share) for connection, share in shares.items()), return_exceptions=True
        )
        failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if not failures:
            return
        self._refresh_soon()
        for failure in failures:
            if not isinstance(failure, Problem):
                raise failure
        if nothing_executed and len(failures) == len(outcomes):
            raise next((f for f in failures if isinstance(f, OutcomeUnknown)), failures[0])
        raise with_note(OutcomeUnknown, f"A part of the cluster failed: {failures[0]!r}")

    async def _follow(
        self, commands: Sequence[Routed], replies: list[Reply | ReplyError]
    ) -> list[Reply | ReplyError]:
        """Send redirected commands to the nodes that the redirects name, until none is left."""
        pause = FIRST_PAUSE
        followed = waited = 0
        while redirected := [index for index, reply in enumerate(replies) if _is_redirect(reply)]:
            self._forget_records()
            is_early = any(replies[index].code == "TRYAGAIN" for index in redirected)
            waited, followed = waited + is_early, followed + (not is_early)
            if max(waited, followed) > MAX_REDIRECTS:
                kind = Unavailable if len(redirected) == len(replies) else OutcomeUnknown
                raise with_note(kind, f"More than {MAX_REDIRECTS} redirects")
            if is_early:
                await asyncio.sleep(pause)
                pause = min(pause * 2, LAST_PAUSE)
            shares: Shares = {}
            for index in redirected:
                slot, error = commands[index][0], replies[index]
                connection = await self._target(slot, error)
                shares.setdefault(connection, []).append((index, error.code == "ASK"))
            await self._send(commands, shares, replies, nothing_executed=len(redirected) == len(replies))
        return replies

    async def _target(self, slot: int | None, redirect: ReplyError) -> NodeConnection:
        if redirect.code == "TRYAGAIN":
            return self._at(slot)
        moved_slot, _, place = redirect.message.partition(" ")
        host, _, port = place.rpartition(":")
        asked = self._at(slot).address
        connection = self._connection(host or (asked.host if asked else self._seeds[0].host), int(port))
        if not connection.connected:
            await connection.ready()
        if redirect.code == "MOVED":
            self._slots[int(moved_slot)] = connection
            self._refresh_soon()
        return connection

    def _connection(self, host: str, port: int) -> NodeConnection:
        connection = self._connections.get((host, port))
        if connection is None:
            address = fixed(self._seeds[0].at(host, port))
            connection = NodeConnection(address, timeout=self._timeout, tracker=self._tracker)
            self._connections[host, port] = connection
            connection.open()
        return connection

    def _forget_records(self) -> None:
        """Slots move: cached records may be on another node now, which does not track our reads."""
        if self._tracker is not None:
            for session in self.sessions():
                self._tracker.forget_all(session)

    def _refresh_soon(self) -> None:
        if self._closed or (self._refreshing is not None and not self._refreshing.done()):
            return
        self._refreshing = asyncio.create_task(self._refresh_later(), name="townsquare-topology")

    async def _refresh_later(self) -> None:
        try:
            await self._refresh()
            self._lost = False
        except Unavailable as error:
            if not self._lost:
                self._lost = True
                log.error("lost the cluster", why=str(error))
        await asyncio.sleep(REFRESH_PAUSE)

    async def _refresh(self) -> None:
        ranges = await self._topology()
        served = {(host, port) for _, _, host, port in ranges}
        fresh = [self._connection(*place) for place in served if place not in self._connections]
        await asyncio.gather(*(connection.ready() for connection in fresh), return_exceptions=True)
        slots: list[NodeConnection | None] = [None] * SLOTS
        for first, last, host, port in ranges:
            slots[first : last + 1] = [self._connection(host, port)] * (last + 1 - first)
        if slots != self._slots:
            self._slots = slots
            self._forget_records()
        for place in self._connections.keys() - served:
            self._retired.append(self._connections.pop(place))
        for connection in [connection for connection in self._retired if connection.idle]:
            self._retired.remove(connection)
            await connection.close()

    async def _topology(self) -> list[Range]:
        """Read the slots of all primaries from the first node that replies, connected nodes first."""
        known = sorted(self.connections(), key=lambda connection: not connection.connected)
        candidates = [connection.address for connection in known if connection.address]
        failures = []
        for address in (*candidates, *self._seeds):
            try:
                ranges = await execute_once(address, "CLUSTER", "SLOTS", within=self._timeout)
            except (ReplyError, Unavailable, OutcomeUnknown, TimeoutError) as error:
                failures.append(f"{address}: {advice(address, error)}")
                continue
            return [
                (first, last, host.decode() if host else address.host, port)
                for first, last, (host, port, *_), *_ in ranges
            ]
        raise Unavailable(f"No node of the cluster answers: {'; '.join(failures)}")


Shares = dict[
    NodeConnection, list[tuple[int, bool]]
]  # of each node: index of the command, whether to say ASKING


def _is_redirect(reply: Reply | ReplyError) -> bool:
    return reply.__class__ is ReplyError and reply.code in REDIRECTS
