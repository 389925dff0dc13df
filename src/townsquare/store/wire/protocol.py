"""One live session with one node: many commands in flight, replies in order.

A `RedisProtocol` lives from connect to loss and is never revived; `NodeConnection` makes the next one.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, cast

import hiredis

from townsquare.problems import OutcomeUnknown, Problem, StoreFull, Unavailable

Arg = bytes | str | int | float
WireCommand = Sequence[Arg] | bytes  # as bytes: packed once, for a command that is sent often
Reply = Any  # RESP3 as hiredis reads it: bytes, int, float, bool, None, list, dict

MAX_IN_FLIGHT = 10_000  # commands; at 100k a second a tenth of a second of work
HIGH_WATER = 1024 * 1024  # bytes that the kernel has not taken before senders wait
WORTH_WRITING = 1024  # bytes: enough commands to keep the node busy while other tasks run
TICKS = 8  # watchdog checks per timeout: a timeout is detected at most an eighth late

# Error codes of commands that were not executed and that may succeed later.
REFUSALS = frozenset(
    {"LOADING", "MASTERDOWN", "CLUSTERDOWN", "READONLY", "BUSY", "MISCONF", "NOREPLICAS", "OOM"}
)

FULL = frozenset({"MISCONF", "OOM"})  # its disk or its memory is full

INCOMPLETE = object()
DEMOTED = "The node became a replica"

pack = cast(Callable[[tuple[Arg, ...]], bytes], hiredis.pack_command)  # annotated for one argument only
PING, ROLE = pack(("PING",)), pack(("ROLE",))


class ReplyError(Exception):
    """An error reply of the node: `code` is its first word, `message` the rest."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code, _, self.message = text.partition(" ")


class CommandBatch:
    __slots__ = ("missing", "replies", "waiter")

    def __init__(self, waiter: asyncio.Future[list[Reply]], size: int) -> None:
        self.waiter = waiter
        self.missing = size
        self.replies: list[Reply] = []

    def add(self, reply: Reply) -> None:
        self.replies.append(reply)
        self.missing -= 1
        if self.missing or self.waiter.done():
            return
        refusals = [r for r in self.replies if r.__class__ is ReplyError and r.code in REFUSALS]
        if not refusals:
            self.waiter.set_result(self.replies)
        else:
            refused = _refusal(refusals[0])
            whole = len(refusals) == len(self.replies)
            self.waiter.set_exception(refused if whole else with_note(OutcomeUnknown, str(refusals[0])))


class BarrierCommand:
    """One command whose reply proves that everything before it in the stream has arrived."""

    __slots__ = ("waiters",)

    def __init__(self) -> None:
        self.waiters: list[asyncio.Future[None]] = []

    def add(self, reply: Reply) -> bool:
        """False if the reply to ROLE says that the node is a replica."""
        if reply.__class__ is list and reply[0] != b"master":
            return False
        self.release()
        return True

    def release(self) -> None:
        """Also called when the session has ended: the tracker has been informed before."""
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)


Waiter = asyncio.Future[Any] | CommandBatch | BarrierCommand


class Tracker(Protocol):
    """Receives the invalidations of a session, in order with the replies."""

    def invalidate(self, session: "RedisProtocol", names: Sequence[bytes] | None) -> None:
        """These keys have changed; None: any key may have."""
        ...

    def forget_all(self, session: "RedisProtocol") -> None:
        """The session has ended."""
        ...


def with_note(kind: type[Problem], reason: str) -> Problem:
    """The problem with its technical reason as a note: for logs, not for clients."""
    problem = kind()
    problem.add_note(reason)
    return problem


class RedisProtocol(asyncio.Protocol):
    def __init__(
        self, loop: asyncio.AbstractEventLoop, timeout: float, tracker: Tracker | None = None
    ) -> None:
        self._loop = loop
        self._timeout = timeout
        self._tracker = tracker
        self.in_cluster = False  # another node may take over without notice
        self.tracks = False  # the node sends invalidations for keys that were read with CLIENT CACHING
        self._reader = hiredis.Reader(replyError=ReplyError, notEnoughData=INCOMPLETE)
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[Waiter] = deque()  # of written commands, in the order of their replies
        self._queued: list[Waiter] = []  # of the commands of this loop iteration, not yet written
        self._unwritten: list[bytes] = []
        self._size = 0  # bytes in `_unwritten`
        self._barrier: BarrierCommand | None = None  # not yet written, so that later callers can share it
        self._outside: deque[asyncio.Future[None]] = deque()  # senders that wait until the queue is shorter
        self._paused = False
        self.sent = 0  # commands, including those not yet written
        self.answered = 0  # replies; a command has its reply once this exceeds `sent` of before the command
        self._marks: deque[int] = deque(maxlen=TICKS)
        self._watchdog: asyncio.TimerHandle | None = None
        self.failure = ""  # why the session ended
        self.closed: asyncio.Future[None] = loop.create_future()  # done when the socket is closed

    @property
    def full(self) -> bool:
        return self._paused or len(self._waiting) + len(self._queued) >= MAX_IN_FLIGHT

    @property
    def idle(self) -> bool:
        return not self._waiting and not self._queued

    def send(self, args: tuple[Arg, ...]) -> asyncio.Future[Reply]:
        packed = pack(args)
        waiter: asyncio.Future[Reply] = self._loop.create_future()
        if self.failure:
            waiter.set_exception(with_note(Unavailable, self.failure))
            return waiter
        self._queued.append(waiter)
        self.sent += 1
        self._write_soon(packed)
        return waiter

    def send_many(self, commands: Sequence[WireCommand]) -> asyncio.Future[list[Reply]]:
        """Queue several commands; the result is the list of their replies, error replies included."""
        packed = b"".join([one if one.__class__ is bytes else pack(tuple(one)) for one in commands])
        waiter: asyncio.Future[list[Reply]] = self._loop.create_future()
        if not packed:
            waiter.set_result([])
        elif self.failure:
            waiter.set_exception(with_note(Unavailable, self.failure))
        else:
            self._queued.extend([CommandBatch(waiter, len(commands))] * len(commands))
            self.sent += len(commands)
            self._write_soon(packed)
        return waiter

    def barrier(self) -> asyncio.Future[None]:
        """Done when all invalidations that the node sent before this call are handled, or the session has
        ended. Callers of one loop iteration share one command.

        In a cluster the command is ROLE: a demoted node still replies, but its invalidations come late.
        """
        waiter: asyncio.Future[None] = self._loop.create_future()
        if self.failure:
            waiter.set_result(None)
            return waiter
        barrier = self._barrier
        if barrier is None:
            barrier = self._barrier = BarrierCommand()
            self._queued.append(barrier)
            self.sent += 1
            self._write_soon(ROLE if self.in_cluster else PING)
        barrier.waiters.append(waiter)
        return waiter

    async def room(self) -> None:
        """Wait, at most as long as a command may, until another command can be queued."""
        deadline = self._loop.time() + self._timeout
        while self.full and not self.failure:
            turn: asyncio.Future[None] = self._loop.create_future()
            self._outside.append(turn)
            try:
                async with asyncio.timeout_at(deadline):
                    await turn
            except TimeoutError:
                raise with_note(Unavailable, "Too many commands in flight") from None

    def drop(self, reason: str) -> None:
        """End the session at once. Commands that were written fail with OutcomeUnknown, others with
        Unavailable."""
        if self.failure:
            return
        self.failure = reason
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None
        if self._tracker is not None:
            self._tracker.forget_all(self)
        _fail(self._waiting, OutcomeUnknown, reason)
        _fail(self._queued, Unavailable, reason)
        self._waiting.clear()
        self._queued.clear()
        self._unwritten.clear()
        self._admit()
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=HIGH_WATER)

    def data_received(self, data: bytes) -> None:
        if self.failure:
            return
        waiting = self._waiting
        before = len(waiting)
        gets = self._reader.gets
        try:
            self._reader.feed(data)
            while (reply := gets()) is not INCOMPLETE:
                kind = reply.__class__
                if kind is hiredis.PushNotification:
                    if self.tracks and reply[0] == b"invalidate":
                        self._tracker.invalidate(self, reply[1])  # type: ignore[union-attr]
                    continue
                waiter = waiting.popleft()
                if isinstance(waiter, CommandBatch):
                    waiter.add(reply)
                elif isinstance(waiter, BarrierCommand):
                    if not waiter.add(reply):
                        self.drop(DEMOTED)
                        waiter.release()
                        return
                elif waiter.done():  # its caller was cancelled
                    pass
                elif kind is ReplyError:
                    waiter.set_exception(_refusal(reply) if reply.code in REFUSALS else reply)
                else:
                    waiter.set_result(reply)
                if kind is ReplyError and reply.code == "READONLY":
                    self.drop(DEMOTED)
                    return
        except (hiredis.HiredisError, IndexError, TypeError) as error:
            self.drop(f"The node broke the protocol: {error!r}")
            return
        self.answered += before - len(waiting)
        if self._outside:
            self._admit()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.drop(f"The connection was lost: {exc or 'the node closed it'}")
        if not self.closed.done():
            self.closed.set_result(None)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        self._flush()
        self._admit()

    def _write_soon(self, packed: bytes) -> None:
        """Batch the commands of one loop iteration into one write, or into pieces of WORTH_WRITING bytes."""
        self._unwritten.append(packed)
        self._size += len(packed)
        if self._size >= WORTH_WRITING:
            self._flush()
        elif len(self._unwritten) == 1:
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        if self._paused or self._transport is None or not self._unwritten:
            return
        self._waiting.extend(self._queued)
        self._queued.clear()
        packed = self._unwritten[0] if len(self._unwritten) == 1 else b"".join(self._unwritten)
        self._unwritten.clear()
        self._size = 0
        self._barrier = None
        self._transport.write(packed)
        if self._watchdog is None:
            self._watchdog = self._loop.call_later(self._timeout / TICKS, self._check_timeout)

    def _check_timeout(self) -> None:
        """The watchdog: one timer for all commands.

        Each check records how many commands have been written. If a command that was written before the
        check of one timeout ago has no reply, the node has timed out.
        """
        if not self._waiting:
            self._marks.clear()
            self._watchdog = None
            return
        if len(self._marks) == TICKS and self.answered < self._marks[0]:
            self._watchdog = None
            self.drop(f"The node did not answer within {self._timeout:g} s")
            return
        self._marks.append(self.answered + len(self._waiting))
        self._watchdog = self._loop.call_later(self._timeout / TICKS, self._check_timeout)

    def _admit(self) -> None:
        free = len(self._outside) if self.failure else MAX_IN_FLIGHT - len(self._waiting) - len(self._queued)
        while self._outside and free > 0 and (self.failure or not self._paused):
            turn = self._outside.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


def _refusal(error: ReplyError) -> Problem:
    return with_note(StoreFull if error.code in FULL else Unavailable, str(error))


def _fail(waiters: Iterable[Waiter], kind: type[Problem], reason: str) -> None:
    for waiter in waiters:
        if isinstance(waiter, BarrierCommand):
            waiter.release()
            continue
        future = waiter.waiter if isinstance(waiter, CommandBatch) else waiter
        if not future.done():
            future.set_exception(with_note(kind, reason))
