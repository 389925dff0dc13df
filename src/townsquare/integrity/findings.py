"""The results of a check: faults, their repairs, and the report."""

from collections import Counter
from enum import StrEnum
from itertools import product
from typing import NamedTuple

import msgspec

from townsquare.integrity.store_reader import Target
from townsquare.keyspace import AnyKey
from townsquare.store.wire.connection import Arg

KEPT = 1000  # findings that a report lists; the tallies count all of them


class FindingKind(StrEnum):
    UNDECLARED = "undeclared key"
    TYPE = "wrong type"
    FIELDS = "fields"
    VALUE = "value"
    COUNTS = "counts"
    SUMS = "sums"
    REFERS = "refers"
    DESCRIBES = "describes"
    INDEXES = "indexes"
    GROUPS = "groups"
    ORDERS = "orders"
    MIRRORS = "mirrors"
    REPRESENTS = "represents"
    PAIRS = "pairs"
    OWNS = "owns"
    EXPIRES = "expires"


class Write(NamedTuple):
    """The one command that repairs a finding, on the derived side."""

    verb: str
    target: Target
    args: tuple[Arg, ...] = ()


class Quarantine(NamedTuple):
    """Move a key, or fields of a hash, to quarantine, where an operator can still read it."""

    target: Target
    fields: tuple[bytes, ...] = ()


class RunScript(NamedTuple):
    """Run a script on the home of this key; it can return a job. `found` is its only other input."""

    script: str
    target: AnyKey
    found: str


Repair = Write | Quarantine | RunScript


class Fault(NamedTuple):
    """A violation of one rule, and its repair or the reason why there is none."""

    kind: FindingKind
    target: Target
    problem: str
    repair: Repair | None = None
    action: str = ""  # describes the repair
    refusal: str = ""  # why there is no repair
    requires: tuple[AnyKey, ...] = ()  # if one of these keys does not exist, `otherwise` replaces this fault
    otherwise: "Fault | None" = None


class Outcome(StrEnum):
    FOUND = "found"  # a check without repair
    REPAIRED = "repaired"
    QUARANTINED = "quarantined"
    REFUSED = "refused"


DONE = frozenset({Outcome.REPAIRED, Outcome.QUARANTINED})


class Finding(msgspec.Struct, frozen=True):
    kind: FindingKind
    key: str
    problem: str
    outcome: Outcome
    note: str = ""  # the repair, or the reason why there was none


class Report(msgspec.Struct):
    """All confirmed findings. Suspicions that could not be confirmed are only counted."""

    repair: bool = False
    keys: int = 0  # keys checked in the last pass
    passes: int = 0
    busy: int = 0  # suspicions not confirmed: their keys kept changing, or their home has an open job
    waiting: int = 0  # buckets with effects that were not applied yet when the check began
    counts: dict[str, int] = msgspec.field(default_factory=dict)  # declared keys, by declaration
    tallies: dict[FindingKind, dict[Outcome, int]] = msgspec.field(default_factory=dict)
    findings: list[Finding] = msgspec.field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(sum(tally.values()) for tally in self.tallies.values())

    @property
    def left(self) -> int:
        """Findings that were not repaired."""
        return sum(
            n for tally in self.tallies.values() for outcome, n in tally.items() if outcome not in DONE
        )

    @property
    def clean(self) -> bool:
        return self.left == 0


class Findings:
    """Findings of several passes: every repair, and what the last pass left unrepaired."""

    def __init__(self) -> None:
        self._repaired = Tally()
        self._left = Tally()
        self.busy = 0

    def next_pass(self) -> None:
        self._left = Tally()
        self.busy = 0

    def add(self, finding: Finding) -> None:
        (self._repaired if finding.outcome in DONE else self._left).add(finding)

    @property
    def repaired(self) -> int:
        return self._repaired.counts.total()

    @property
    def open(self) -> bool:
        """Whether the last pass left anything to repair."""
        return bool(self.busy or self._left.counts)

    def into(self, report: Report) -> Report:
        report.busy = self.busy
        counts = self._repaired.counts + self._left.counts
        for kind, outcome in product(FindingKind, Outcome):
            if counts[kind, outcome]:
                report.tallies.setdefault(kind, {})[outcome] = counts[kind, outcome]
        report.findings = (self._left.kept + self._repaired.kept)[:KEPT]
        return report


class Tally:
    def __init__(self) -> None:
        self.counts: Counter[tuple[FindingKind, Outcome]] = Counter()
        self.kept: list[Finding] = []
        self._seen: set[int] = set()  # SCAN can return a key twice, and both sides of a relation report it

    def add(self, finding: Finding) -> None:
        identity = hash((finding.kind, finding.key, finding.problem))
        if identity in self._seen:
            return
        self._seen.add(identity)
        self.counts[finding.kind, finding.outcome] += 1
        if len(self.kept) < KEPT:
            self.kept.append(finding)
