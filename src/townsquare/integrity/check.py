"""Walk the keyspace and hold it against its declarations, on a live system and in bounded memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from townsquare.integrity.confirm import Verdict, Witness
from townsquare.integrity.findings import Fault, Finding, Findings, Outcome, Report
from townsquare.integrity.members import holder
from townsquare.integrity.plan import Plan
from townsquare.integrity.questions import Conversation, Question, unique
from townsquare.integrity.reads import Ground, Unknown
from townsquare.integrity.repair import Mender, Refused
from townsquare.integrity.single import IsDeclared
from townsquare.keyspace import AnyKey, Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.store.keys import outbox
from townsquare.store.store import Store
from townsquare.store.wire import ReplyError

QUESTIONS = 1000  # asked at once
WALKED = 32  # sets whose members are walked at once
STRIDE = 200  # members of each in one step
CONFIRMED = 16  # suspicions looked at again at once
PASSES = 5  # of a repair: what is mended may show more, e.g. an index set aside is built again
TRIES = 5  # to mend something that keeps changing

T = TypeVar("T")
Progress = Callable[[int, int], None]  # names looked at so far, and how many there are about


async def check(store: Store, *, repair: bool = False, progress: Progress | None = None) -> Report:
    """Hold every key against its declaration; with `repair`, build derived sides again from the truth."""
    report = Report(repair=repair)
    clustered = store.sides[Role.DATA].layout.clustered
    if clustered and repair:
        await store.effects.sweep()
    if clustered:
        lengths = await store.pipeline([("XLEN", outbox(bucket)) for bucket in ALL_BUCKETS])
        report.waiting = sum(1 for length in lengths if length)
    checker = Checker(store, repair=repair)
    while True:
        mended = checker.findings.mended
        checker.findings.next_pass()
        report.passes += 1
        report.keys = await checker.walk(progress)
        if checker.findings.mended == mended or report.passes == PASSES:
            return checker.findings.into(report)


class Checker:
    def __init__(self, store: Store, *, repair: bool) -> None:
        self.findings = Findings()
        self._store = store
        self._repair = repair
        self._ground = Ground(store)
        self._plan = Plan(store.registry, clustered=store.sides[Role.DATA].layout.clustered)
        self._witness = Witness(self._ground)
        self._mender = Mender(self._ground, self._witness)
        self._turns = asyncio.Semaphore(CONFIRMED)

    async def walk(self, progress: Progress | None) -> int:
        roles = [Role.DATA] if await same_place(self._store) else list(self._store.sides)
        total = sum([await size(self._store, role) for role in roles])
        seen = 0
        for role in roles:
            async for names in self._store.scan(role):
                await self._look_at(self._parsed(names, role, alone=len(roles) > 1))
                seen += len(names)
                if progress:
                    progress(min(seen, total), total)
        if progress:
            progress(total, total)
        return seen

    def _parsed(self, names: Sequence[str], role: Role, *, alone: bool) -> list[AnyKey | Unknown]:
        """A key that is declared for the other store is as good as undeclared in this one."""
        layout = self._store.sides[role].layout
        targets: list[AnyKey | Unknown] = []
        for name in names:
            key = self._store.registry.parse(name, layout)
            misplaced = key is not None and alone and key.declared.role is not role
            targets.append(Unknown(role, name) if key is None or misplaced else key)
        return targets

    async def _look_at(self, targets: Sequence[AnyKey | Unknown]) -> None:
        keys = [target for target in targets if not isinstance(target, Unknown)]
        await self._ask(IsDeclared(target) for target in targets if isinstance(target, Unknown))
        await self._ask(question for key in keys for question in self._plan.about(key))
        await self._ask(await self._told_by(keys))
        walked = [key for key in keys if self._plan.concerns(key).walked]
        for some in batched(walked, WALKED):
            async for questions in self._held_by(some):
                await self._ask(questions)

    async def _told_by(self, keys: Sequence[AnyKey]) -> Iterator[Question]:
        """What follows from records."""
        reads = [(key, read) for key in keys if (read := self._plan.told_by_read(key))]
        replies = await self._ground.read([read for _, read in reads])
        records = zip(reads, replies, strict=True)
        return (question for (key, _), reply in records for question in self._plan.told_by(key, reply))

    async def _held_by(self, keys: Sequence[AnyKey]) -> AsyncIterator[Iterable[Question]]:
        """What sets hold, a stride of each at a time."""
        cursors = dict.fromkeys(keys, b"0")
        while cursors:
            reads = [holder(key.declared).walk(key, cursor, STRIDE) for key, cursor in cursors.items()]
            replies = await self._ground.read(reads)
            found: list[Question] = []
            for key, reply in zip(list(cursors), replies, strict=True):
                if isinstance(reply, ReplyError) or reply[0] == b"0":
                    del cursors[key]
                else:
                    cursors[key] = reply[0]
                if not isinstance(reply, ReplyError):
                    for member in holder(key.declared).members(reply[1]):
                        found.extend(self._plan.held_by(key, member))
            yield found

    async def _ask(self, questions: Iterable[Question]) -> None:
        """Ask in bulk, then look again at what seems wrong."""
        for some in batched(questions, QUESTIONS):
            suspicions = await self._first_look(some)
            await asyncio.gather(*(self._settle(question) for question in suspicions))

    async def _first_look(self, questions: Sequence[Question]) -> list[Question]:
        asked = [Conversation(question) for question in questions]
        while pending := [conversation for conversation in asked if not conversation.done]:
            reads = unique(read for conversation in pending for read in conversation.wants)
            replies: dict[Any, Any] = dict(zip(reads, await self._ground.read(reads), strict=True))
            for conversation in pending:
                conversation.answer(replies)
        return [conversation.question for conversation in asked if conversation.fault]

    async def _settle(self, question: Question) -> None:
        async with self._turns:
            for _ in range(TRIES):
                verdict = await self._witness.confirm(question)
                if verdict is Verdict.FINE:
                    return
                if isinstance(verdict, Verdict):
                    break
                fault = verdict.fault
                if not self._repair or fault.mend is None:
                    self._found(fault, Outcome.REFUSED if self._repair else Outcome.FOUND, fault.why_not)
                    return
                try:
                    if await self._mender.mend(verdict):
                        self._found(fault, Outcome.MENDED, fault.does)
                except Refused as refused:
                    self._found(fault, Outcome.REFUSED, str(refused))
                    return
            self.findings.busy += 1

    def _found(self, fault: Fault, outcome: Outcome, note: str) -> None:
        name = self._ground.name(fault.target).encode(errors="surrogateescape")
        shown = name.decode(errors="backslashreplace")
        self.findings.add(Finding(fault.kind, shown, fault.says, outcome, note))


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


async def size(store: Store, role: Role) -> int:
    return sum([await node.execute("DBSIZE") for node in store.sides[role].nodes.connections()])


async def same_place(store: Store) -> bool:
    """Whether both roles are kept in one database, which is then walked once."""
    data, cache = [
        {await identity(node) for node in side.nodes.connections()} for side in store.sides.values()
    ]
    return data == cache


async def identity(node: Any) -> tuple[str, str]:
    """Which server, and which database of it."""
    server, client = await node.execute_many([["INFO", "server"], ["CLIENT", "INFO"]])
    run_id = server.decode().partition("run_id:")[2].split("\r\n")[0]
    return run_id, client.decode().partition(" db=")[2].split(" ")[0]
