"""What a write changes under other homes, on a cluster.

A script appends its effects to the outbox of its bucket. The server drains the bucket before it answers,
so callers read their own writes; the sweeper finishes what a crash left. Effects are absolute writes:
applying one twice, or a whole outbox again from some point on, ends in the same state.
"""

import asyncio
import itertools
import random
import secrets
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from townsquare.keyspace import AnyKey, Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.problems import OutcomeUnknown, Problem, Unavailable
from townsquare.store.coordination.scripts import TakeEffects
from townsquare.store.keys import LEASE_SECONDS, outbox
from townsquare.store.scripts.folder import SCRIPTS
from townsquare.store.wire.connection import ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

log = structlog.get_logger()

BATCH = 200
PATIENCE = 1.0  # seconds that a caller waits for its effects; then the sweeper will do
SWEEP_SECONDS = 2.0

DELETE_IF_EQUAL = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Effects:
    def __init__(self, store: "Store") -> None:
        self._store = store
        self._token = secrets.token_hex(8)
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def drain(self, bucket: str) -> None:
        """Apply what is in the outbox now. If that takes too long the sweeper finishes it."""
        drained = self._waiting.get(bucket)
        if drained is None:
            drained = self._waiting[bucket] = asyncio.create_task(self._pass(bucket))
        await asyncio.shield(drained)

    async def _pass(self, bucket: str) -> None:
        """One pass serves all who came before it began; those after wait for the next."""
        onward: set[str] = set()
        async with self._locks[bucket]:
            del self._waiting[bucket]
            try:
                await self._drain(bucket, onward)
            except (Unavailable, OutcomeUnknown) as problem:
                log.warning("effects are late", bucket=bucket, why=problem.code)
        if bucket not in self._waiting:
            self._locks.pop(bucket, None)
        for other in onward - {bucket}:  # without our lock: it may have effects for us in turn
            await self.drain(other)

    async def _drain(self, bucket: str, onward: set[str]) -> None:
        give_up = time.monotonic() + PATIENCE
        applied: list[str] = []
        while True:
            taken = time.monotonic()
            turn = await self._store.run(
                TakeEffects(
                    bucket=bucket,
                    token=self._token,
                    lease_ms=LEASE_SECONDS * 1000,
                    count=BATCH,
                    applied=applied,
                )
            )
            applied = []
            if turn.held:
                if not turn.effects:
                    return
                effects = [msgspec.json.decode(effect) for _, effect in turn.effects]
                count = await self._apply(effects, onward, until=taken + LEASE_SECONDS / 2)
                applied = [id for id, _ in turn.effects[:count]]
            elif not await self._store.call("XLEN", outbox(bucket)):
                return
            elif time.monotonic() > give_up:
                log.warning("effects are late", bucket=bucket, why="another drainer is slow")
                return
            else:
                await asyncio.sleep(random.uniform(0.001, 0.01))

    async def _apply(self, effects: list[list[Any]], onward: set[str], until: float) -> int:
        """In order, while the lease surely holds: late, they could undo what another drainer wrote since.

        Answers how many were applied; `onward` collects the buckets that got effects of effects.
        """
        done = 0
        for part in parts(effects):
            if time.monotonic() > until:
                log.warning("effects are late", why="this drainer was held up")
                break
            if part[0][0] == "RUN":
                onward.update(await self._run(part[0]))
            else:
                await self._send(part)
            done += len(part)
        return done

    async def _send(self, effects: list[list[Any]]) -> None:
        side = self._store.sides[Role.DATA]
        commands, sent = [], []
        for effect in effects:
            command, target, *args = effect
            try:
                key = self._key(target)
                slot, name = side.layout.slot(key), side.layout.name(key)
            except (KeyError, ValueError, TypeError) as error:
                refused(effect, error)
                continue
            if command == "DELIFEQ":
                commands.append((slot, ["EVAL", DELETE_IF_EQUAL, 1, name, *args]))
            else:
                commands.append((slot, [command, name, *args]))
            sent.append(effect)
        replies = await side.nodes.execute_many(commands) if commands else []
        for effect, reply in zip(sent, replies, strict=True):
            if isinstance(reply, ReplyError):
                refused(effect, reply)

    def _key(self, target: list[Any]) -> AnyKey:
        name, *values = target
        declared = self._store.registry.by_name[name]
        return declared(*values)

    async def _run(self, effect: list[Any]) -> list[str]:
        """Run a script of another home; answers the bucket that it has effects in, if any."""
        _, name, arguments = effect
        try:
            script = SCRIPTS[name]
            _, bucket = await self._store.run_undrained(script, script.values_from_json(arguments))
        except (Unavailable, OutcomeUnknown):
            raise
        except (Problem, ReplyError, KeyError, ValueError, TypeError, msgspec.MsgspecError) as error:
            refused(effect, error)
            return []
        return [bucket] if bucket else []

    async def sweep(self) -> int:
        """Drain every bucket that has something left; answers how many had."""
        lengths = await self._store.pipeline([("XLEN", outbox(bucket)) for bucket in ALL_BUCKETS])
        left = [bucket for bucket, length in zip(ALL_BUCKETS, lengths, strict=True) if length]
        for bucket in left:
            await self.drain(bucket)
        return len(left)


def parts(effects: list[list[Any]]) -> Iterator[list[list[Any]]]:
    """What goes out together: commands in a row, each script by itself."""
    for runs, group in itertools.groupby(effects, lambda effect: effect[0] == "RUN"):
        if runs:
            yield from ([effect] for effect in group)
        else:
            yield list(group)


def refused(effect: list[Any], error: Exception) -> None:
    """An effect that cannot be applied must not block those behind it: `check --repair` makes up for it."""
    target = effect[1] if effect[0] == "RUN" else effect[1][0]
    log.error("effect refused", effect=effect[0], target=target, why=str(error))
