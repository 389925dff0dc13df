"""What a check has to say."""

from collections import Counter
from enum import StrEnum
from itertools import product
from typing import NamedTuple

import msgspec

from townsquare.integrity.reads import Target
from townsquare.keyspace import AnyKey
from townsquare.store.wire.connection import Arg

KEPT = 1000  # findings shown one by one; beyond that the tallies tell


class FindingKind(StrEnum):
    UNDECLARED = "undeclared key"
    TYPE = "wrong type"
    FIELDS = "fields"
    VALUE = "value"
    COUNTS = "counts"
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


class SetAside(NamedTuple):
    """Move a key, or fields of a hash, to quarantine: nothing that we do not understand is destroyed."""

    target: Target
    fields: tuple[bytes, ...] = ()


class Start(NamedTuple):
    """Start the job that repairs a finding: a script on the home of this key, and what it is told besides."""

    script: str
    target: AnyKey
    found: str


Repair = Write | SetAside | Start


class Fault(NamedTuple):
    """What one rule found, and the repair for it or why there is none."""

    kind: FindingKind
    target: Target
    says: str
    repair: Repair | None = None
    does: str = ""  # the repair, in words
    why_not: str = ""


class Outcome(StrEnum):
    FOUND = "found"  # a check without repair
    MENDED = "mended"
    REFUSED = "refused"


class Finding(msgspec.Struct, frozen=True):
    kind: FindingKind
    key: str
    says: str
    outcome: Outcome
    note: str = ""  # what was done, or why nothing was


class Report(msgspec.Struct):
    """Everything that was confirmed; what could not be confirmed is only counted."""

    repair: bool = False
    keys: int = 0  # names looked at, in the last pass
    passes: int = 0
    busy: int = 0  # suspicions that kept changing, or whose home has an open job: not confirmed
    waiting: int = 0  # buckets with effects on their way when the check began
    tallies: dict[FindingKind, dict[Outcome, int]] = msgspec.field(default_factory=dict)
    findings: list[Finding] = msgspec.field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(sum(tally.values()) for tally in self.tallies.values())

    @property
    def left(self) -> int:
        """Findings that are still there."""
        return self.total - sum(tally.get(Outcome.MENDED, 0) for tally in self.tallies.values())

    @property
    def clean(self) -> bool:
        return self.left == 0


class Findings:
    """Collects findings over several passes: a repair is told once, what is left as the last pass saw it."""

    def __init__(self) -> None:
        self._mended = Tally()
        self._left = Tally()
        self.busy = 0

    def next_pass(self) -> None:
        self._left = Tally()
        self.busy = 0

    def add(self, finding: Finding) -> None:
        (self._mended if finding.outcome is Outcome.MENDED else self._left).add(finding)

    @property
    def mended(self) -> int:
        return self._mended.total

    def into(self, report: Report) -> Report:
        report.busy = self.busy
        counts = self._mended.counts + self._left.counts
        for kind, outcome in product(FindingKind, Outcome):
            if counts[kind, outcome]:
                report.tallies.setdefault(kind, {})[outcome] = counts[kind, outcome]
        report.findings = (self._left.kept + self._mended.kept)[:KEPT]
        return report


class Tally:
    def __init__(self) -> None:
        self.counts: Counter[tuple[FindingKind, Outcome]] = Counter()
        self.kept: list[Finding] = []
        self._seen: set[int] = set()  # a scan may name a key twice, and both sides of a relation tell

    def add(self, finding: Finding) -> None:
        identity = hash((finding.kind, finding.key, finding.says))
        if identity in self._seen:
            return
        self._seen.add(identity)
        self.counts[finding.kind, finding.outcome] += 1
        if len(self.kept) < KEPT:
            self.kept.append(finding)

    @property
    def total(self) -> int:
        return self.counts.total()
