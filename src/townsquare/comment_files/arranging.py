"""Comments sorted by page, each parent before its replies.

A file has its comments in any order. They are stored in a temporary file; memory only holds their ids,
offsets and parents. A comment is identified by its page and its id: some systems number the comments of each
page separately. A reply whose parent is not on its page becomes a top-level comment. A deleted comment or
spam stays as a placeholder if one of its replies stays.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from tempfile import TemporaryFile
from typing import IO

import msgspec
from msgspec.structs import replace

from townsquare.comment_files import models
from townsquare.kit.text import is_invisible
from townsquare.kit.urls import URL_LENGTH

SAMPLES = 1_000  # skipped records and repairs that the report lists
PROGRESS_EVERY = 500  # comments
ID_LENGTH = URL_LENGTH  # a page may be identified by its URL
TEXT_LENGTH = 20_000  # of which 10,000 characters are stored
DETAIL_LENGTH = 200

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(models.ImportedComment).decode

Batch = tuple[models.ImportedPage, list[models.ImportedComment]]


@contextmanager
def arranged(
    records: Iterable[models.Imported], on_progress: Callable[[int], None] | None = None
) -> Iterator["Arranged"]:
    """Read the comments of a file. `on_progress` gets the number of comments read so far."""
    with TemporaryFile(prefix="townsquare-import-") as spool:
        comments = Arranged(spool)
        comments.read(records, on_progress)
        yield comments


class Arranged:
    def __init__(self, spool: IO[bytes]) -> None:
        self.skipped: Counter[models.Reason] = Counter()
        self.samples: list[models.Skipped] = []
        self.repaired: list[str] = []
        self.orphans = 0  # replies whose parent is missing
        self._spool = spool
        self._pages: dict[str, models.ImportedPage] = {}
        self._page_ids: list[str] = []  # of every comment
        self._parent_ids: list[str] = []
        self._positions: dict[tuple[str, str], int] = {}  # by the ids of page and comment
        self._absent = bytearray()  # 1 for a comment without a visible text
        self._times = array("q")  # -1 if unknown
        self._places = array("Q", [0])  # offsets in the spool, with the end of the last comment
        self._parents = array("q")
        self._order: list[int] = []

    @property
    def total(self) -> int:
        """The number of comments in `batches`."""
        return len(self._order)

    def read(self, records: Iterable[models.Imported], on_progress: Callable[[int], None] | None) -> None:
        for record in records:
            match record:
                case models.ImportedPage():
                    if max(len(record.id), len(record.url), len(record.key)) <= ID_LENGTH:
                        self._pages[record.id] = replace(record, title=record.title[:TEXT_LENGTH])
                case models.Repaired():
                    self.repaired += [record.detail[:DETAIL_LENGTH]][: SAMPLES - len(self.repaired)]
                case models.Skipped():
                    self.skip(record)
                case models.ImportedComment():
                    self._add(record)
                    if on_progress and len(self._absent) % PROGRESS_EVERY == 0:
                        on_progress(len(self._absent))
        self._settle()

    def batches(self, size: int) -> Iterator[Batch]:
        """At most `size` comments of one page at a time; a parent is in the same batch or an earlier one."""
        for page_id, group in groupby(self._order, self._page_ids.__getitem__):
            page = self._pages[page_id]
            batch: list[models.ImportedComment] = []
            for position in group:
                if len(batch) == size:
                    yield page, batch
                    batch = []
                batch.append(self._comment(position))
            yield page, batch

    def skip(self, *skipped: models.Skipped) -> None:
        """Count records that are not imported."""
        self.skipped.update(one.reason for one in skipped)
        for one in skipped[: max(SAMPLES - len(self.samples), 0)]:
            self.samples.append(replace(one, id=one.id[:DETAIL_LENGTH], detail=one.detail[:DETAIL_LENGTH]))

    def _add(self, comment: models.ImportedComment) -> None:
        if not comment.id:
            self.skip(models.Skipped(reason="unreadable", detail="It has no id"))
            return
        if max(len(comment.id), len(comment.page_id), len(comment.parent_id)) > ID_LENGTH:
            self.skip(models.Skipped(reason="unreadable", id=comment.id, detail="An id is too long"))
            return
        key = (comment.page_id, comment.id)
        if key in self._positions:
            self.skip(models.Skipped(reason="twice", id=comment.id))
            return
        self._positions[key] = len(self._absent)
        self._page_ids.append(comment.page_id)
        self._parent_ids.append(comment.parent_id)
        self._absent.append(absent(comment) is not None)
        self._times.append(-1 if comment.created_at is None else comment.created_at)
        self._places.append(self._places[-1] + self._spool.write(encode(clipped(comment))))

    def _settle(self) -> None:
        """Determine which comments are imported, their parents and their order."""
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

    def _page_of(self, position: int) -> models.ImportedPage | None:
        page = self._pages.get(self._page_ids[position])
        return page if page and (page.url or page.key) and not page.deleted else None

    def _skipped_at(self, position: int) -> models.Skipped:
        comment = self._stored(position)
        if self._page_of(position):
            return models.Skipped(reason=absent(comment) or "empty", id=comment.id)
        page = self._pages.get(comment.page_id)
        return models.Skipped(reason="page deleted" if page and page.deleted else "no page", id=comment.id)

    def _time(self, position: int) -> int:
        """The time of the comment, or else of its parent, or else of its page."""
        at = position
        while at >= 0 and self._times[at] < 0:
            at = self._parents[at]
        if at >= 0:
            return self._times[at]
        page = self._page_of(position)
        return page.created_at or 0 if page else 0

    def _stored(self, position: int) -> models.ImportedComment:
        first, last = self._places[position], self._places[position + 1]
        self._spool.seek(first)
        return decode(self._spool.read(last - first))

    def _comment(self, position: int) -> models.ImportedComment:
        comment = self._stored(position)
        parent_id = comment.parent_id if self._parents[position] >= 0 else ""
        if self._absent[position]:
            return models.ImportedComment(
                id=comment.id,
                page_id=comment.page_id,
                parent_id=parent_id,
                created_at=self._time(position),
                status="deleted",
            )
        return replace(comment, parent_id=parent_id, created_at=self._time(position))


def clipped(comment: models.ImportedComment) -> models.ImportedComment:
    """The comment with texts of bounded length."""
    fields = msgspec.structs.asdict(comment.author)
    author = models.ImportedAuthor(**{name: value[:ID_LENGTH] for name, value in fields.items()})
    return replace(comment, author=author, content=comment.content[:TEXT_LENGTH])


def absent(comment: models.ImportedComment) -> models.Reason | None:
    """The reason why a comment has no visible text, None if it has one."""
    if comment.status == "spam" or comment.status == "deleted":
        return comment.status
    return "empty" if is_invisible(comment.content) else None


UNKNOWN, ON_THE_WAY = -1, -2


def resolved(
    positions: Mapping[tuple[str, str], int], parent_ids: Sequence[str], page_ids: Sequence[str]
) -> tuple["array[int]", int]:
    """The parent of each comment, and the number of comments whose parent is not on their page."""
    parents = array("q")
    orphans = 0
    for position, parent_id in enumerate(parent_ids):
        parent = positions.get((page_ids[position], parent_id), -1) if parent_id else -1
        orphans += bool(parent_id) and parent < 0
        parents.append(parent)
    return parents, orphans


def depths_of(parents: "array[int]") -> "array[int]":
    """The depth of each comment. In a cycle one of the replies becomes a root."""
    depths = array("q", [UNKNOWN]) * len(parents)
    for position in range(len(parents)):
        chain = []
        at = position
        while at >= 0 and depths[at] == UNKNOWN:
            depths[at] = ON_THE_WAY
            chain.append(at)
            at = parents[at]
        if at >= 0 and depths[at] == ON_THE_WAY:
            parents[chain[-1]] = at = -1
        depth = depths[at] + 1 if at >= 0 else 0
        for one in reversed(chain):
            depths[one] = depth
            depth += 1
    return depths


def with_ancestors(parents: "array[int]", stays: Sequence[object]) -> bytearray:
    """1 for every comment that stays and for its ancestors."""
    wanted = bytearray(len(parents))
    for position, stay in enumerate(stays):
        at = position if stay else -1
        while at >= 0 and not wanted[at]:
            wanted[at] = 1
            at = parents[at]
    return wanted
