"""Compare every key with its declaration, on a live system and in bounded memory."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from townsquare.integrity.confirm import Confirmed, Confirmer, Verdict
from townsquare.integrity.double_entry import DoubleEntry
from townsquare.integrity.findings import Fault, Finding, Findings, Outcome, Quarantine, Report, RunScript
from townsquare.integrity.repair import Refused, Repairer
from townsquare.integrity.row_reader import RowReader
from townsquare.integrity.rules import rules_for
from townsquare.integrity.rules.declared import UNDECLARED
from townsquare.integrity.rules.rule import Entry, Phase, Row, Rule, Suspicion, TwoSidedRule, faults
from townsquare.integrity.store_reader import StoreReader, Target, Unknown
from townsquare.keyspace import Key, Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.store.coordination.claims import CLAIM_MS
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import outbox
from townsquare.store.store import Store
from townsquare.tasks import cancel_tasks

BATCHES = 3  # batches of keys at a time: one is judged while others wait for replies
CONFIRMED = 16  # suspicions confirmed at a time
PASSES = 250  # per phase; a thread of comments can be 100 deep, and a repair can reach one level per pass
COLLECT_AFTER = 500_000  # allocated objects
TRIES = 5  # to repair a key that changes all the time

Judgement = tuple[Sequence[Rule], Sequence[Row]]  # rules that read the same, and the rows to judge by them
Progress = Callable[[int, int], None]  # keys checked so far, and about how many there are


async def check(
    store: Store, *, repair: bool = False, progress: Progress | None = None, jobs: Jobs | None = None
) -> Report:
    """Compare every key with its declaration. With `repair`, rebuild derived keys from primary ones.

    Some repairs start a job. With `jobs`, of a square, it runs at once; otherwise a server runs it.
    """
    report = Report(repair=repair)
    clustered = store.role_stores[Role.DATA].layout.clustered
    if clustered and repair:
        await store.effects.sweep()
    if clustered:
        lengths = await store.pipeline([("XLEN", outbox(bucket)) for bucket in ALL_BUCKETS])
        report.waiting = sum(1 for length in lengths if length)
    checker = Checker(store, jobs)
    findings = checker.findings
    report.keys = await checker.walk(progress)
    report.passes = 1
    phases = list(Phase) if jobs else [Phase.OWNERS, Phase.ALL]  # a job that waits for a server starts last
    for phase in phases if repair and findings.open else ():
        for _ in range(PASSES):
            repaired = findings.repaired
            findings.next_pass()
            report.passes += 1
            report.keys = await checker.walk(progress, phase)
            if findings.repaired == repaired:
                break
    report.counts = dict(checker.counts)
    return findings.into(report)


def collect_rarely() -> None:
    """For a process that only checks: it creates many objects and hardly any cycles."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)


class Steps:
    def __init__(self, progress: Progress | None, names: int) -> None:
        self._progress = progress
        self._names = self._total = names
        self.taken = 0

    def take(self, names: int) -> None:
        self.taken += names
        self._report(min(self.taken, self._total))

    def again(self) -> None:
        """Prepare for a second pass over the same keys."""
        self.taken = self._total
        self._total += self._names

    def end(self) -> None:
        self._report(self._total)

    def _report(self, taken: int) -> None:
        if self._progress:
            self._progress(taken, self._total)


class Checker:
    """Scans all keys, judges them in batches, confirms each suspicion, and reports or repairs it."""

    def __init__(self, store: Store, jobs: Jobs | None) -> None:
        self.findings = Findings()
        self.counts: Counter[str] = Counter()  # keys by declaration
        self._store = store
        self._phase: Phase | None = None  # None: only report
        self._reader = StoreReader(store)
        clustered = store.role_stores[Role.DATA].layout.clustered
        claim_ms = CLAIM_MS if clustered else -1  # on one node a claim is part of the script
        self._rules = rules_for(store.registry, claim_ms)
        self._rows = RowReader(self._reader, lambda declared: self._rules[declared].walked)
        self._confirmer = Confirmer(self._reader)
        self._repairer = Repairer(self._reader, self._confirmer, jobs)
        self._confirming = asyncio.Semaphore(CONFIRMED)
        self._for_jobs: list[Suspicion] = []  # repaired last: homes with an open job are left alone

    async def walk(self, progress: Progress | None, phase: Phase | None = None) -> int:
        """Check all keys, then again those whose two sides differ. Returns the number of keys.

        With `phase`, repair what its rules find.
        """
        self._phase = phase
        self.counts.clear()
        roles = [Role.DATA] if await same_place(self._store) else list(self._store.role_stores)
        steps = Steps(progress, sum([await size(self._store, role) for role in roles]))
        double_entry = DoubleEntry(self._rules)

        async def judge(targets: Sequence[Target]) -> None:
            await self._judge(targets, double_entry)
            steps.take(len(targets))

        async def compare_sides(targets: Sequence[Target]) -> None:
            await self._compare_sides(targets, double_entry)
            steps.take(len(targets))

        await at_most(BATCHES, judge, self._batches(roles))
        names = steps.taken
        if self._runs(Phase.ALL) and double_entry.doubtful:
            steps.again()
            await at_most(BATCHES, compare_sides, self._batches(roles))
        waiting, self._for_jobs = self._for_jobs, []
        for rule in dict.fromkeys(suspicion.rule for suspicion in waiting):  # one job may repair the next too
            its = (suspicion for suspicion in waiting if suspicion.rule is rule)
            await all_of(self._settle(suspicion, by_job=True) for suspicion in its)
        steps.end()
        return names

    def _runs(self, phase: Phase) -> bool:
        """Whether rules of this phase run in this walk: a report and the last phase run all rules."""
        return self._phase in (None, Phase.ALL, phase)

    async def _batches(self, roles: Sequence[Role]) -> AsyncIterator[list[Target]]:
        for role in roles:
            async for names in self._store.scan(role):
                yield self._parsed(names, role, alone=len(roles) > 1)

    def _parsed(self, names: Sequence[str], role: Role, *, alone: bool) -> list[Target]:
        """A key that is declared for the other store counts as undeclared in this one."""
        layout = self._store.role_stores[role].layout
        targets: list[Target] = []
        for name in names:
            key = self._store.registry.parse(name, layout)
            misplaced = key is not None and alone and key.declared.role is not role
            targets.append(Unknown(role, name) if key is None or misplaced else key)
        return targets

    async def _judge(self, targets: Sequence[Target], double_entry: DoubleEntry) -> None:
        """Judge by all one-sided rules, and enter the keys into the sums of the two-sided rules."""
        unknown = [Row(target, -1) for target in targets if isinstance(target, Unknown)]
        rows = await self._rows.rows(target for target in targets if isinstance(target, Key))
        for declared, its in rows.items():
            self.counts[declared.full_name] += len(its)
        await self._settle_all(
            [
                ([UNDECLARED], unknown if self._runs(Phase.ALL) else []),
                *(
                    (rules, its)
                    for declared, its in rows.items()
                    for rules in self._rules[declared].groups
                    if self._runs(rules[0].phase)
                ),
            ]
        )
        if not self._runs(Phase.ALL):
            return
        double_entry.enter(rows, by_members=False)
        async for pages in self._rows.pages(rows):
            double_entry.enter(pages, by_members=True)
            await self._settle_entries(double_entry.unbalanced(pages))

    async def _compare_sides(self, targets: Sequence[Target], double_entry: DoubleEntry) -> None:
        """Judge by those two-sided rules whose sums do not balance."""
        keys = (target for target in targets if isinstance(target, Key))
        rows = await self._rows.rows(key for key in keys if key.declared in double_entry.doubtful)
        await self._settle_entries(double_entry.doubts(rows, by_members=False))
        async for pages in self._rows.pages(rows):
            await self._settle_entries(double_entry.doubts(pages, by_members=True))

    async def _settle_entries(self, entries: Mapping[TwoSidedRule, Iterable[Entry]]) -> None:
        await self._settle_all(
            [([rule], await self._rows.rows_of_entries(rule, its)) for rule, its in entries.items()]
        )

    async def _settle_all(self, judgements: Sequence[Judgement]) -> None:
        """Judge by all rules in one round trip. It is not atomic, so faults are only suspicions."""
        asked = [(rules, rows, rules[0].reads(rows)) for rules, rows in judgements if rows]
        replies = iter(await self._reader.read_columns([one for _, _, columns in asked for one in columns]))
        found: list[Suspicion] = []
        for rules, rows, columns in asked:
            answers = [next(replies) for _ in columns]
            for rule in rules:
                found += [Suspicion(rule, row) for row, _ in faults(rule, rows, answers)]
        await all_of(self._settle(suspicion) for suspicion in found)

    async def _settle(self, suspicion: Suspicion, *, by_job: bool = False) -> None:
        """Confirm it, then report or repair it. Repairs by a job run at the end of the walk."""
        async with self._confirming:
            for _ in range(TRIES):
                verdict = await self._confirmer.confirm(suspicion)
                if verdict is Verdict.FINE:
                    return
                if isinstance(verdict, Verdict):
                    break
                fault = verdict.fault
                if self._phase is None or fault.repair is None:
                    self._found(
                        fault, Outcome.FOUND if self._phase is None else Outcome.REFUSED, fault.refusal
                    )
                    return
                if isinstance(fault.repair, RunScript) and not by_job:
                    self._for_jobs.append(suspicion)
                    return
                try:
                    if isinstance(fault.repair, RunScript):
                        await self._run_script(suspicion, verdict)
                        return
                    if await self._repairer.repair(verdict):
                        aside = isinstance(fault.repair, Quarantine)
                        self._found(fault, Outcome.QUARANTINED if aside else Outcome.REPAIRED, fault.action)
                except Refused as refused:
                    self._found(fault, Outcome.REFUSED, str(refused))
                    return
            self.findings.busy += 1

    async def _run_script(self, suspicion: Suspicion, confirmed: Confirmed) -> None:
        """Run a script, and its job if we run jobs. The script can decide that there is nothing to do."""
        fault = confirmed.fault
        await self._repairer.repair(confirmed)
        after = await self._confirmer.confirm(suspicion) if self._repairer.jobs else Verdict.FINE
        if isinstance(after, Confirmed) and after.fault.problem == fault.problem:
            self._found(fault, Outcome.REFUSED, "its service does not accept the value")
        else:
            self._found(fault, Outcome.REPAIRED, fault.action)

    def _found(self, fault: Fault, outcome: Outcome, note: str) -> None:
        name = self._reader.name(fault.target).encode(errors="surrogateescape")
        shown = name.decode(errors="backslashreplace")
        self.findings.add(Finding(fault.kind, shown, fault.problem, outcome, note))


async def size(store: Store, role: Role) -> int:
    return sum([await node.execute("DBSIZE") for node in store.role_stores[role].nodes.connections()])


async def same_place(store: Store) -> bool:
    """Whether both roles use one database, which is then walked once."""
    data, cache = [
        {await identity(node) for node in side.nodes.connections()} for side in store.role_stores.values()
    ]
    return data == cache


async def identity(node: Any) -> tuple[str, str]:
    """The run id of the server, and the number of the database."""
    server, client = await node.execute_many([["INFO", "server"], ["CLIENT", "INFO"]])
    run_id = server.decode().partition("run_id:")[2].split("\r\n")[0]
    return run_id, client.decode().partition(" db=")[2].split(" ")[0]


T = TypeVar("T")


async def at_most(
    limit: int, work: Callable[[T], Coroutine[Any, Any, None]], items: AsyncIterator[T]
) -> None:
    running: set[asyncio.Task[None]] = set()
    try:
        async for item in items:
            running.add(asyncio.create_task(work(item)))
            if len(running) == limit:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.gather(*done)
        await asyncio.gather(*running)
    finally:
        await cancel_tasks(running)


async def all_of(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        await cancel_tasks(tasks)
