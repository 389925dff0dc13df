"""Writes on other homes, on a cluster.

A script appends its effects to the outbox of its bucket. The server drains the bucket before it responds,
so callers read their own writes; the sweeper applies what a crash left behind. Effects are absolute writes:
applying one twice, or a whole outbox again from some point on, ends in the same state.
"""

import asyncio
import itertools
import random
import secrets
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from townsquare.keyspace import AnyKey, Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.logger import get_logger
from townsquare.problems import OutcomeUnknown, Problem, Unavailable
from townsquare.store.coordination.idempotency import DELETE_RESULT
from townsquare.store.coordination.scripts import TakeEffects
from townsquare.store.keys import LEASE_SECONDS, REFUSAL_SECONDS, idempotency_result, outbox, outbox_refused
from townsquare.store.scripts.folder import SCRIPTS
from townsquare.store.scripts.invocation import problem_of
from townsquare.store.wire.connection import ReplyError

if TYPE_CHECKING:
    from townsquare.store.store import Store

log = get_logger()

BATCH = 200
LONGEST_WAIT = 1.0  # seconds that a caller waits for its effects; then the sweeper applies them

SCRIPT_VERBS = ("RUN", "ASK")  # all others are commands
CANNOT_BE_APPLIED = (Problem, ReplyError, KeyError, ValueError, TypeError, msgspec.MsgspecError)

DELETE_IF_EQUAL = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Effect(NamedTuple):
    """One entry of an outbox: a command on a key of another home, or a script to run there."""

    entry: str
    verb: str
    target: Any  # the key as its name and values, or the name of the script
    args: list[Any]


def effect_of(entry: str, text: str) -> Effect:
    verb, target, *args = msgspec.json.decode(text)
    return Effect(entry, verb, target, args)


class Effects:
    def __init__(self, store: "Store") -> None:
        self._store = store
        self._token = secrets.token_hex(8)
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._asked: dict[tuple[str, str], Problem | Literal["accepted", "unknown"]] = {}

    async def applied_from(self, home: AnyKey) -> None:
        """Return when all effects of this home so far are applied."""
        if self._store.role_store(home).layout.clustered:
            await self.drain(home.bucket)

    async def all_applied(self) -> bool:
        """Whether all effects of all homes so far, and the effects of these effects, are applied.

        Reads every outbox, and waits for a moment if effects are late.
        """
        if not self._store.role_stores[Role.DATA].layout.clustered:
            return True
        for _ in range(2):
            waiting = await self._ends("XREVRANGE", "+", "-", ALL_BUCKETS)  # bounded: COUNT 1
            await asyncio.gather(*map(self.drain, waiting))
            first = await self._ends("XRANGE", "-", "+", list(waiting))  # bounded: COUNT 1
            if any(entry <= waiting[bucket] for bucket, entry in first.items()):
                return False
        return True

    async def _ends(self, verb: str, start: str, end: str, buckets: Sequence[str]) -> dict[str, list[int]]:
        """The first or the last entry of each outbox that is not empty."""
        found = await self._store.pipeline([(verb, outbox(one), start, end, "COUNT", 1) for one in buckets])
        return {
            bucket: [int(part) for part in entries[0][0].split(b"-")]
            for bucket, entries in zip(buckets, found, strict=True)
            if entries
        }

    async def drain_asked(self, bucket: str, asked: list[str]) -> list[Problem | None]:
        """Drain, and return for each of these asks the refusal of the other home, or None."""
        entries = [(bucket, entry) for entry in asked]
        self._asked.update(dict.fromkeys(entries, "unknown"))
        try:
            await self.drain(bucket)
        finally:
            answers = [self._asked.pop(entry) for entry in entries]
        elsewhere = [entry for entry, answer in zip(asked, answers, strict=True) if answer == "unknown"]
        try:
            stored = await self._stored_refusals(bucket, elsewhere)
        except Unavailable as away:  # the write is done
            raise OutcomeUnknown(away.detail) from None
        return [
            stored.get(entry) if isinstance(answer, str) else answer
            for entry, answer in zip(asked, answers, strict=True)
        ]

    async def _stored_refusals(self, bucket: str, entries: list[str]) -> dict[str, Problem]:
        """Refusals of these entries that other processes have drained."""
        if not entries:
            return {}
        stored = await self._store.pipeline([("GET", outbox_refused(bucket, entry)) for entry in entries])
        return {entry: problem_of(why.decode()) for entry, why in zip(entries, stored, strict=True) if why}

    async def drain(self, bucket: str) -> None:
        """Apply the current entries of the outbox. After LONGEST_WAIT the sweeper takes over."""
        drained = self._waiting.get(bucket)
        if drained is None:
            drained = self._waiting[bucket] = asyncio.create_task(self._pass(bucket))
        await asyncio.shield(drained)

    async def _pass(self, bucket: str) -> None:
        """One pass serves all callers that came before it began; later callers wait for the next."""
        onward: set[str] = set()
        async with self._locks[bucket]:
            del self._waiting[bucket]
            try:
                await self._drain(bucket, onward)
            except (Unavailable, OutcomeUnknown) as problem:
                log.warning("effects are late", bucket=bucket, why=problem.code)
        if bucket not in self._waiting:
            self._locks.pop(bucket, None)
        for other in onward - {bucket}:  # without our lock: these may have effects on our bucket
            await self.drain(other)

    async def _drain(self, bucket: str, onward: set[str]) -> None:
        give_up = time.monotonic() + LONGEST_WAIT
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
                effects = [effect_of(entry, text) for entry, text in turn.effects]
                count = await self._apply(bucket, effects, onward, until=taken + LEASE_SECONDS / 2)
                applied = [id for id, _ in turn.effects[:count]]
            elif not await self._store.call("XLEN", outbox(bucket)):
                return
            elif time.monotonic() > give_up:
                log.warning("effects are late", bucket=bucket, why="another drainer is slow")
                return
            else:
                await asyncio.sleep(random.uniform(0.001, 0.01))

    async def _apply(self, bucket: str, effects: list[Effect], onward: set[str], until: float) -> int:
        """Apply them in order, while the lease holds: late, they could undo those of another drainer.

        Returns how many were applied; `onward` collects the buckets that got effects of effects.
        """
        done = 0
        for part in parts(effects):
            if time.monotonic() > until:
                log.warning("effects are late", why="this drainer was held up")
                break
            if part[0].verb in SCRIPT_VERBS:
                onward.update(await self._run(bucket, part[0]))
            else:
                await self._send(part)
            done += len(part)
        return done

    async def _send(self, effects: list[Effect]) -> None:
        role_store = self._store.role_stores[Role.DATA]
        commands, sent = [], []
        for effect in effects:
            try:
                name, *values = effect.target
                key = self._store.registry.by_name[name](*values)
                slot, name = role_store.layout.slot(key), role_store.layout.name(key)
            except (KeyError, ValueError, TypeError) as error:
                not_applied(effect, error)
                continue
            if effect.verb == "DELIFEQ":
                commands.append((slot, ["EVAL", DELETE_IF_EQUAL, 1, name, *effect.args]))
            else:
                commands.append((slot, [effect.verb, name, *effect.args]))
            sent.append(effect)
        replies = await role_store.nodes.execute_many(commands) if commands else []
        for effect, reply in zip(sent, replies, strict=True):
            if isinstance(reply, ReplyError):
                not_applied(effect, reply)

    async def _run(self, bucket: str, effect: Effect) -> list[str]:
        """Run a script of another home; returns the bucket that has its effects, if any.

        An ask may be refused: then the write is undone and the caller gets the refusal. The entry stays
        in the outbox until both are done, so that a crash repeats the ask.
        """
        other, refusal = "", None
        try:
            script = SCRIPTS[effect.target]
            values = script.values_from_json(effect.args[0])
            try:
                _, other, _ = await self._store.run_undrained(script, values)
            except (Unavailable, OutcomeUnknown):
                raise
            except Problem as problem:
                if effect.verb != "ASK":
                    raise
                refusal = problem
                _, other, _ = await self._store.run_undrained(*script.taking_back(values))
                for digest in effect.args[1:]:  # the Idempotency-Key of the request
                    await self._store.evaluate(
                        DELETE_RESULT, idempotency_result(digest, bucket), effect.entry
                    )
        except (Unavailable, OutcomeUnknown):
            raise
        except CANNOT_BE_APPLIED as error:
            not_applied(effect, error)
        if (bucket, effect.entry) in self._asked:
            self._asked[bucket, effect.entry] = refusal or "accepted"
        elif refusal:
            text = f"{refusal.code} {refusal.detail}"
            await self._store.call("SET", outbox_refused(bucket, effect.entry), text, "EX", REFUSAL_SECONDS)
        return [other] if other else []

    async def sweep(self) -> int:
        """Drain every bucket that is not empty; returns their number."""
        lengths = await self._store.pipeline([("XLEN", outbox(bucket)) for bucket in ALL_BUCKETS])
        left = [bucket for bucket, length in zip(ALL_BUCKETS, lengths, strict=True) if length]
        for bucket in left:
            await self.drain(bucket)
        return len(left)


def parts(effects: list[Effect]) -> Iterator[list[Effect]]:
    """Group consecutive commands; each script is a group of its own."""
    for runs, group in itertools.groupby(effects, lambda effect: effect.verb in SCRIPT_VERBS):
        if runs:
            yield from ([effect] for effect in group)
        else:
            yield list(group)


def not_applied(effect: Effect, error: Exception) -> None:
    """Log an effect that cannot be applied; it must not block later ones. `check --repair` mends the data."""
    target = effect.target if isinstance(effect.target, str) else effect.target[0]
    log.error("effect refused", effect=effect.verb, target=target, why=str(error))
