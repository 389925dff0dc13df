"""Walk the keyspace and hold it against its declarations, on a live system and in bounded memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

from townsquare.integrity.concurrency import all_of, at_most
from townsquare.integrity.confirm import Confirmer, Verdict
from townsquare.integrity.double_entry import DoubleEntry
from townsquare.integrity.findings import Fault, Finding, Findings, Outcome, Report, Start
from townsquare.integrity.reads import Target, Unknown
from townsquare.integrity.repair import Refused, Repairer
from townsquare.integrity.row_reader import RowReader
from townsquare.integrity.rules import rules_for
from townsquare.integrity.rules.declared import UNDECLARED
from townsquare.integrity.rules.rule import Entry, Row, Rule, Suspicion, TwoSidedRule, faults
from townsquare.integrity.store_reader import StoreReader
from townsquare.keyspace import Key, Role
from townsquare.keyspace.buckets import ALL_BUCKETS
from townsquare.store.coordination.claims import CLAIM_MS
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.keys import outbox
from townsquare.store.store import Store

BATCHES = 3  # of keys at a time: while one waits for replies another is judged
CONFIRMED = 16  # suspicions at a time
PASSES = 5  # of a repair: what is repaired may show more, e.g. an index set aside is built again
TRIES = 5  # to repair something that keeps changing

Judgement = tuple[Sequence[Rule], Sequence[Row]]  # rules that read the same, and the rows to judge by them
Progress = Callable[[int, int], None]  # names looked at so far, and how many there are about


async def check(
    store: Store, *, repair: bool = False, progress: Progress | None = None, jobs: Jobs | None = None
) -> Report:
    """Hold every key against its declaration; with `repair`, build derived sides again from the truth.

    `jobs` are those of a square, to do now what a repair leaves to a job.
    """
    report = Report(repair=repair)
    clustered = store.role_stores[Role.DATA].layout.clustered
    if clustered and repair:
        await store.effects.sweep()
    if clustered:
        lengths = await store.pipeline([("XLEN", outbox(bucket)) for bucket in ALL_BUCKETS])
        report.waiting = sum(1 for length in lengths if length)
    checker = Checker(store, repair=repair, jobs=jobs)
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
    """Scans all keys, judges them in batches, confirms each suspicion, and reports or repairs it."""

    def __init__(self, store: Store, *, repair: bool, jobs: Jobs | None) -> None:
        self.findings = Findings()
        self._store = store
        self._repair = repair
        self._reader = StoreReader(store)
        clustered = store.role_stores[Role.DATA].layout.clustered
        claim_ms = CLAIM_MS if clustered else -1  # on one node a claim is part of the script
        self._rules = rules_for(store.registry, claim_ms)
        self._rows = RowReader(self._reader, lambda declared: self._rules[declared].walked)
        self._confirmer = Confirmer(self._reader)
        self._repairer = Repairer(self._reader, self._confirmer, jobs)
        self._confirming = asyncio.Semaphore(CONFIRMED)
        self._for_jobs: list[Suspicion] = []  # repaired last: homes with an open job are left alone

    async def walk(self, progress: Progress | None) -> int:
        """Through all keys, and again through those whose two sides differ; how many names there are."""
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
        if double_entry.doubtful:
            steps.again()
            await at_most(BATCHES, compare_sides, self._batches(roles))
        for rule in dict.fromkeys(suspicion.rule for suspicion in self._for_jobs):  # one may settle the next
            its = (suspicion for suspicion in self._for_jobs if suspicion.rule is rule)
            await all_of(self._settle(suspicion, by_job=True) for suspicion in its)
        steps.end()
        return names

    async def _batches(self, roles: Sequence[Role]) -> AsyncIterator[list[Target]]:
        for role in roles:
            async for names in self._store.scan(role):
                yield self._parsed(names, role, alone=len(roles) > 1)

    def _parsed(self, names: Sequence[str], role: Role, *, alone: bool) -> list[Target]:
        """A key that is declared for the other store is as good as undeclared in this one."""
        layout = self._store.role_stores[role].layout
        targets: list[Target] = []
        for name in names:
            key = self._store.registry.parse(name, layout)
            misplaced = key is not None and alone and key.declared.role is not role
            targets.append(Unknown(role, name) if key is None or misplaced else key)
        return targets

    async def _judge(self, targets: Sequence[Target], double_entry: DoubleEntry) -> None:
        """By all rules but the two-sided: for those, what each key says is only entered."""
        unknown = [Row(target, -1) for target in targets if isinstance(target, Unknown)]
        rows = await self._rows.rows(target for target in targets if isinstance(target, Key))
        await self._settle_all(
            [
                ([UNDECLARED], unknown),
                *((rules, its) for declared, its in rows.items() for rules in self._rules[declared].groups),
            ]
        )
        double_entry.enter(rows, by_members=False)
        async for pages in self._rows.pages(rows):
            double_entry.enter(pages, by_members=True)

    async def _compare_sides(self, targets: Sequence[Target], double_entry: DoubleEntry) -> None:
        """By the two-sided rules, as far as they are in doubt."""
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
        """Judge by all rules in one round trip. It is not one moment, so faults are only suspicions."""
        asked = [(rules, rows, rules[0].reads(rows)) for rules, rows in judgements if rows]
        replies = iter(await self._reader.read_columns([one for _, _, columns in asked for one in columns]))
        found: list[Suspicion] = []
        for rules, rows, columns in asked:
            answers = [next(replies) for _ in columns]
            for rule in rules:
                found += [Suspicion(rule, row) for row, _ in faults(rule, rows, answers)]
        await all_of(self._settle(suspicion) for suspicion in found)

    async def _settle(self, suspicion: Suspicion, *, by_job: bool = False) -> None:
        """Confirm it, then report or repair it; what a job repairs is left for the end."""
        async with self._confirming:
            for _ in range(TRIES):
                verdict = await self._confirmer.confirm(suspicion)
                if verdict is Verdict.FINE:
                    return
                if isinstance(verdict, Verdict):
                    break
                fault = verdict.fault
                if not self._repair or fault.repair is None:
                    self._found(fault, Outcome.REFUSED if self._repair else Outcome.FOUND, fault.why_not)
                    return
                if isinstance(fault.repair, Start) and not by_job:
                    self._for_jobs.append(suspicion)
                    return
                try:
                    if await self._repairer.repair(verdict):
                        self._found(fault, Outcome.MENDED, fault.does)
                except Refused as refused:
                    self._found(fault, Outcome.REFUSED, str(refused))
                    return
            self.findings.busy += 1

    def _found(self, fault: Fault, outcome: Outcome, note: str) -> None:
        name = self._reader.name(fault.target).encode(errors="surrogateescape")
        shown = name.decode(errors="backslashreplace")
        self.findings.add(Finding(fault.kind, shown, fault.says, outcome, note))


async def size(store: Store, role: Role) -> int:
    return sum([await node.execute("DBSIZE") for node in store.role_stores[role].nodes.connections()])


async def same_place(store: Store) -> bool:
    """Whether both roles are kept in one database, which is then walked once."""
    data, cache = [
        {await identity(node) for node in side.nodes.connections()} for side in store.role_stores.values()
    ]
    return data == cache


async def identity(node: Any) -> tuple[str, str]:
    """Which server, and which database of it."""
    server, client = await node.execute_many([["INFO", "server"], ["CLIENT", "INFO"]])
    run_id = server.decode().partition("run_id:")[2].split("\r\n")[0]
    return run_id, client.decode().partition(" db=")[2].split(" ")[0]
