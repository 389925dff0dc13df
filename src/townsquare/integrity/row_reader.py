"""Reads the rows that rules judge: keys of a scan, and collections page by page."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from townsquare.integrity.rules.declared import value_read
from townsquare.integrity.rules.members import START, member_commands
from townsquare.integrity.rules.rule import Entry, Row, Rule, TwoSidedRule
from townsquare.integrity.store_reader import Column, Read, StoreReader, Target, is_error
from townsquare.keyspace import AnyDeclared, AnyKey, Key

FIRST_PAGE = 100  # members of a collection that are read with its lifetime; most collections have fewer
PORTION = 2000  # members of collections that are judged together

T = TypeVar("T")
K = TypeVar("K")
Rows = Mapping[AnyDeclared, Sequence[Row]]


class RowReader:
    def __init__(self, reader: StoreReader, walked: Callable[[AnyDeclared], bool]) -> None:
        self._reader = reader
        self._walked = walked

    async def rows(self, keys: Iterable[AnyKey]) -> dict[AnyDeclared, list[Row]]:
        """The lifetime of each key, and its value; for a collection that is walked, its first page."""
        alike = grouped(keys, lambda key: key.declared)
        columns = [column for declared, its in alike.items() for column in self._columns(declared, its)]
        replies = iter(await self._reader.read_columns(columns))
        return {declared: [*map(Row, its, next(replies), next(replies))] for declared, its in alike.items()}

    def _columns(self, declared: AnyDeclared, keys: Sequence[AnyKey]) -> list[Column]:
        if self._walked(declared):
            return [Column("PTTL", keys), page_column(keys, [START] * len(keys), FIRST_PAGE)]
        verb, args = value_read(declared.kind)
        return [Column("PTTL", keys), Column(verb, keys, [args] * len(keys) if args else ())]

    async def rows_of_entries(self, rule: TwoSidedRule, entries: Iterable[Entry]) -> list[Row]:
        """For each entry, the key by which the rule judges it, with the reads that the rule needs."""
        found = [(key, entry) for entry in entries if (key := rule.key_for(entry)) is not None]
        rows: list[Row] = []
        for its in grouped(found, lambda one: one[0].declared).values():
            keys = [key for key, _ in its]
            columns = [Column(verb, keys, [args] * len(keys)) for verb, _, args in own_reads(rule, keys[0])]
            replies = await self._reader.read_columns(columns)
            rows += [Row(key, *own, entry=entry) for (key, entry), *own in zip(its, *replies, strict=True)]
        return rows

    async def pages(self, rows: Rows) -> AsyncIterator[Rows]:
        """Every page of these collections, some collections at a time. Their first pages are in `rows`."""
        begun = [
            row
            for declared, its in rows.items()
            if self._walked(declared)
            for row in its
            if not is_error(row.value)
        ]
        for portion in portions(begun, PORTION):
            while portion:
                yield grouped(portion, lambda row: row.key.declared)
                portion = await self._next_pages([row for row in portion if row.value[0] != START])

    async def _next_pages(self, rows: Sequence[Row]) -> list[Row]:
        count = max(FIRST_PAGE, PORTION // max(1, len(rows)))
        columns = [page_column([row.key], [row.value[0]], count) for row in rows]
        replies = await self._reader.read_columns(columns)
        return [
            Row(row.key, row.left, page)
            for row, (page,) in zip(rows, replies, strict=True)
            if not is_error(page)
        ]


def page_column(keys: Sequence[AnyKey], cursors: Sequence[bytes], count: int) -> Column:
    scan = member_commands(keys[0].declared).scan
    return Column(scan, keys, [(cursor, "COUNT", count) for cursor in cursors])


def own_reads(rule: Rule, target: Target) -> list[Read]:
    """The reads of the row's own key: its lifetime, and its value if the rule depends on it."""
    lifetime = Read("PTTL", target)
    if not rule.reads_value or not isinstance(target, Key):
        return [lifetime]
    verb, args = value_read(target.declared.kind)
    return [lifetime, Read(verb, target, args)]


def portions(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Lists of first pages with about `size` members each."""
    portion: list[Row] = []
    members = 0
    for row in rows:
        portion.append(row)
        members += len(row.value[1])
        if members >= size:
            yield portion
            portion, members = [], 0
    if portion:
        yield portion


def grouped(items: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(by(item), []).append(item)
    return groups
