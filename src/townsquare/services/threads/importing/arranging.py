"""Comments in the order in which they can be written: by page, and a parent before its replies.

Files have them in any order, and 100,000 of them may be more than should be in memory. So each is kept in a
temporary file, and in memory its id, its place there and whose reply it is. A reply whose parent is not in
the file, or is on another page, stands for itself. What was deleted, or is spam, keeps its place if
something below it stays.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from tempfile import TemporaryFile
from typing import IO

import msgspec

from townsquare.kit.text import is_invisible
from townsquare.services.threads.importing.models import (
    Imported,
    ImportedComment,
    ImportedPage,
    Reason,
    Skipped,
)
from townsquare.services.threads.importing.tree import depths_of, resolved, with_ancestors

KEPT = 1_000  # skipped comments that are remembered for the report
TOLD_EVERY = 500  # comments

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(ImportedComment).decode

Batch = tuple[ImportedPage, list[ImportedComment]]


@contextmanager
def arranged(records: Iterable[Imported], told: Callable[[int], None] | None = None) -> Iterator["Arranged"]:
    """All comments of a file, on disk while the block runs; `told` hears how many were read so far."""
    with TemporaryFile(prefix="townsquare-import-") as spool:
        comments = Arranged(spool)
        comments.read(records, told)
        yield comments


class Arranged:
    def __init__(self, spool: IO[bytes]) -> None:
        self.skipped: Counter[Reason] = Counter()
        self.samples: list[Skipped] = []
        self.orphans = 0  # replies to what is not there
        self._spool = spool
        self._pages: dict[str, ImportedPage] = {}
        self._page_ids: list[str] = []  # of every comment
        self._parent_ids: list[str] = []
        self._positions: dict[str, int] = {}  # by id
        self._absent = bytearray()  # 1 for what has nothing to show
        self._times = array("q")  # -1 where nobody knows
        self._places = array("Q", [0])  # where each begins, and the last one ends
        self._parents = array("q")
        self._order: list[int] = []

    @property
    def total(self) -> int:
        """How many comments `batches` gives."""
        return len(self._order)

    def read(self, records: Iterable[Imported], told: Callable[[int], None] | None) -> None:
        for record in records:
            match record:
                case ImportedPage():
                    self._pages[record.id] = record
                case Skipped():
                    self.skip(record)
                case ImportedComment():
                    self._add(record)
                    if told and len(self._absent) % TOLD_EVERY == 0:
                        told(len(self._absent))
        self._settle()

    def batches(self, size: int) -> Iterator[Batch]:
        """Comments of one page at a time, at most so many; parents are in the same batch or in one before."""
        for page_id, group in groupby(self._order, self._page_ids.__getitem__):
            page = self._pages[page_id]
            batch: list[ImportedComment] = []
            for position in group:
                if len(batch) == size:
                    yield page, batch
                    batch = []
                batch.append(self._comment(position))
            yield page, batch

    def skip(self, *skipped: Skipped) -> None:
        """Remember what is not imported."""
        self.skipped.update(one.reason for one in skipped)
        self.samples += skipped[: max(KEPT - len(self.samples), 0)]

    def _add(self, comment: ImportedComment) -> None:
        if not comment.id:
            self.skip(Skipped(reason="unreadable", detail="It has no id"))
            return
        if comment.id in self._positions:
            self.skip(Skipped(reason="twice", id=comment.id))
            return
        self._positions[comment.id] = len(self._absent)
        self._page_ids.append(comment.page_id)
        self._parent_ids.append(comment.parent_id)
        self._absent.append(absent(comment) is not None)
        self._times.append(-1 if comment.created_at is None else comment.created_at)
        self._places.append(self._places[-1] + self._spool.write(encode(comment)))

    def _settle(self) -> None:
        """Find out what is written, below what, and when."""
        self._parents, self.orphans = resolved(self._positions, self._parent_ids, self._page_ids)
        self._parent_ids.clear()
        depths = depths_of(self._parents)
        stays = [self._page_of(position) and not gone for position, gone in enumerate(self._absent)]
        wanted = with_ancestors(self._parents, stays)
        for position in range(len(wanted)):
            if not wanted[position]:
                self.skip(self._skipped_at(position))
        numbers = {page_id: number for number, page_id in enumerate(dict.fromkeys(self._page_ids))}
        self._order = sorted(
            (position for position in range(len(wanted)) if wanted[position]),
            key=lambda at: (numbers[self._page_ids[at]], depths[at], self._time(at), at),
        )

    def _page_of(self, position: int) -> ImportedPage | None:
        page = self._pages.get(self._page_ids[position])
        return page if page and (page.url or page.key) and not page.deleted else None

    def _skipped_at(self, position: int) -> Skipped:
        comment = self._stored(position)
        if self._page_of(position):
            return Skipped(reason=absent(comment) or "empty", id=comment.id)
        page = self._pages.get(comment.page_id)
        return Skipped(reason="page deleted" if page and page.deleted else "no page", id=comment.id)

    def _time(self, position: int) -> int:
        """When it was written, or else what it replies to, or else the page."""
        at = position
        while at >= 0 and self._times[at] < 0:
            at = self._parents[at]
        if at >= 0:
            return self._times[at]
        page = self._page_of(position)
        return page.created_at or 0 if page else 0

    def _stored(self, position: int) -> ImportedComment:
        first, last = self._places[position], self._places[position + 1]
        self._spool.seek(first)
        return decode(self._spool.read(last - first))

    def _comment(self, position: int) -> ImportedComment:
        comment = self._stored(position)
        parent_id = comment.parent_id if self._parents[position] >= 0 else ""
        if self._absent[position]:
            return ImportedComment(
                id=comment.id,
                page_id=comment.page_id,
                parent_id=parent_id,
                created_at=self._time(position),
                status="deleted",
            )
        return msgspec.structs.replace(comment, parent_id=parent_id, created_at=self._time(position))


def absent(comment: ImportedComment) -> Reason | None:
    """Why there is nothing to show of a comment, None if there is."""
    if comment.status == "spam" or comment.status == "deleted":
        return comment.status
    return "empty" if is_invisible(comment.content) else None
