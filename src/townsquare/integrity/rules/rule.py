"""The interface of a rule: the reads for a batch of rows, and the judgement of one row."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

from townsquare.integrity.findings import Fault, FindingKind
from townsquare.integrity.rules.records import readable, set_field
from townsquare.integrity.store_reader import Column, Unreadable, is_error
from townsquare.keyspace import AnyDeclared, AnyKey, Record
from townsquare.store.wire.connection import ReplyError

Entry = tuple[Hashable, ...]


class Phase(Enum):
    """A repair runs these phases in order, each until it finds nothing more to repair."""

    REPRESENTED = 1  # create missing records that stand for a record of another service
    OWNERS = 2  # remove keys and records whose owner does not exist
    ALL = 3  # all rules


class Row:
    """One key with its lifetime and value."""

    __slots__ = ("entry", "key", "left", "record", "value")

    record: Record | None  # fields and parameters of the key; None if it does not exist or cannot be read

    def __init__(self, key: Any, left: int, value: Any = None, *, entry: Any = None) -> None:
        self.key = key  # an AnyKey; for a name that is not declared an Unknown
        self.left = left  # its lifetime, the reply of PTTL
        self.value = value  # all of it, a page of SSCAN or ZSCAN, or only its type; can be an error
        self.entry = entry  # the entry that a two-sided rule judges

    def __getattr__(self, name: str) -> Any:
        """Decode the record when a rule first uses it."""
        if name != "record":
            raise AttributeError(name)
        self.record = self._decode()
        return self.record

    def _decode(self) -> Record | None:
        if self.key.declared.kind.read is None:
            return None if self.left == -2 else self.key.params
        return readable(self.key, self.value)


class Rule:
    """A rule judges thousands of rows at once, and one row to confirm a fault.

    The same two functions serve both. A batch is not read atomically, so a fault in it is a suspicion; a
    batch of one is. A row with a reply that is an error or cannot be decoded is skipped: other rules report
    that."""

    reads_value = True  # whether the judgement depends on the value of the row's own key
    phase = Phase.ALL  # the first phase of a repair that runs this rule

    @property
    def same_reads(self) -> Hashable:
        """Rules of one declaration with equal values share their reads."""
        return self

    def reads(self, rows: Sequence[Row]) -> Sequence[Column]:
        """The reads besides the rows themselves."""
        return ()

    def passes(self, rows: Sequence[Row], *columns: Sequence[Any]) -> bool:
        """Whether no row has a fault, where a look at the whole batch tells. Replies can be errors."""
        return False

    def judge(self, row: Row, *replies: Any) -> Fault | None:
        """Given the row and its reply from each column."""
        raise NotImplementedError


class Side(NamedTuple):
    """The entries that keys of one declaration have in a two-sided rule."""

    rule: "TwoSidedRule"
    declared: AnyDeclared
    adds: bool | None  # or subtracts (see double_entry); None: each entry is judged by itself
    by_members: bool  # the entries are of each page of a collection, otherwise of each key
    entries: Callable[[Sequence[Row]], Iterator[Entry]]


class TwoSidedRule(Rule):
    """A rule about two sides that must have the same entries; a walk through all keys visits both.

    Only entries that one side has more often than the other are judged.
    """

    def sides(self) -> Iterable[Side]:
        raise NotImplementedError

    def key_for(self, entry: Any) -> AnyKey | None:
        """The key whose row, with this entry, is judged; None if there can be no such key."""
        raise NotImplementedError


class Suspicion(NamedTuple):
    rule: Rule
    row: Row


def faults(rule: Rule, rows: Sequence[Row], columns: Sequence[Sequence[Any]]) -> Iterator[tuple[Row, Fault]]:
    """The faults of these rows, given the replies to each column of reads."""
    if rule.passes(rows, *columns):
        return
    judged: Iterable[tuple[Any, ...]] = zip(rows, *columns, strict=True)
    if any(issubclass(kind, ReplyError) for column in columns for kind in set(map(type, column))):
        judged = [one for one in judged if not any(is_error(reply) for reply in one)]
    judge = rule.judge
    for one in judged:
        try:
            fault = judge(*one)
        except Unreadable:
            continue
        if fault is not None:
            yield one[0], fault


def wrong_field(kind: FindingKind, row: Row, field: str, value: Any, truth: Any) -> Fault:
    called = field or "its value"
    problem = f"{called} is {shown_value(value)}, should be {shown_value(truth)}"
    repair = set_field(row.key, row.value, field, truth)
    if repair is None:
        return Fault(kind, row.key, problem, refusal=f"{called} cannot hold {shown_value(truth)}")
    return Fault(kind, row.key, problem, repair, f"{called} set to {shown_value(truth)}")


def shown_value(value: Any) -> str:
    text = "absent" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
