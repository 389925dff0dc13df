"""Walk the keyspace and hold it against its declarations, on a live system and in bounded memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from townsquare.integrity.abreast import abreast, together
from townsquare.integrity.confirm import Verdict, Witness
from townsquare.integrity.findings import Fault, Finding, Findings, Outcome, Report
from townsquare.integrity.first_look import FirstLook
from townsquare.integrity.plan import Plan
from townsquare.integrity.questions import Question
from townsquare.integrity.reads import Ground, Target, Unknown
from townsquare.integrity.repair import Mender, Refused
from townsquare.keyspace import Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.store.keys import outbox
from townsquare.store.store import Store

BATCHES = 3  # of keys that are looked at abreast
CONFIRMED = 16  # suspicions looked at again at once
PASSES = 5  # of a repair: what is mended may show more, e.g. an index set aside is built again
TRIES = 5  # to mend something that keeps changing

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


class Steps:
    """What a progress bar is told: names looked at, of about as many as there are."""

    def __init__(self, progress: Progress | None, names: int) -> None:
        self._progress = progress
        self._names = self._total = names
        self.taken = 0

    def take(self, names: int) -> None:
        self.taken += names
        self._tell(min(self.taken, self._total))

    def again(self) -> None:
        """As many once more."""
        self.taken = self._total
        self._total += self._names

    def end(self) -> None:
        self._tell(self._total)

    def _tell(self, taken: int) -> None:
        if self._progress:
            self._progress(taken, self._total)


class Checker:
    def __init__(self, store: Store, *, repair: bool) -> None:
        self.findings = Findings()
        self._store = store
        self._repair = repair
        self._ground = Ground(store)
        self._plan = Plan(self._ground)
        self._witness = Witness(self._ground)
        self._mender = Mender(self._ground, self._witness)
        self._turns = asyncio.Semaphore(CONFIRMED)

    async def walk(self, progress: Progress | None) -> int:
        """Through all keys, and again through those that stay in doubt; how many names there are."""
        roles = [Role.DATA] if await same_place(self._store) else list(self._store.sides)
        steps = Steps(progress, sum([await size(self._store, role) for role in roles]))
        look = FirstLook(self._ground, self._plan)
        await self._go_through(roles, look.look, steps)
        names = steps.taken
        if look.doubtful:
            steps.again()
            await self._go_through(roles, look.look_closer, steps)
        steps.end()
        return names

    async def _go_through(
        self,
        roles: Sequence[Role],
        suspicions: Callable[[Sequence[Target]], AsyncIterator[Sequence[Question]]],
        steps: Steps,
    ) -> None:
        async def look_at(targets: Sequence[Target]) -> None:
            async for some in suspicions(targets):
                await together(self._settle(question) for question in some)
            steps.take(len(targets))

        await abreast(look_at, self._targets(roles), BATCHES)

    async def _targets(self, roles: Sequence[Role]) -> AsyncIterator[list[Target]]:
        for role in roles:
            async for names in self._store.scan(role):
                yield self._parsed(names, role, alone=len(roles) > 1)

    def _parsed(self, names: Sequence[str], role: Role, *, alone: bool) -> list[Target]:
        """A key that is declared for the other store is as good as undeclared in this one."""
        layout = self._store.sides[role].layout
        targets: list[Target] = []
        for name in names:
            key = self._store.registry.parse(name, layout)
            misplaced = key is not None and alone and key.declared.role is not role
            targets.append(Unknown(role, name) if key is None or misplaced else key)
        return targets

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
