"""Builds the comment tree of one viewer from the skeleton of a thread."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from townsquare.clock import from_iso
from townsquare.kit.paging import Cursor
from townsquare.services.threads.keys.comments import (
    CommentRecord,
    controversy,
    decaying_hot_score,
    hot_score,
    top_score,
)
from townsquare.services.threads.models.comments import CommentPage, Direction
from townsquare.services.threads.models.sites import Sort, Viewer
from townsquare.services.threads.records import REPLIES, Listed
from townsquare.services.threads.service.presentation import Presenter
from townsquare.services.threads.service.visibility import seems_public
from townsquare.store.scripts import RawReply

C = TypeVar("C")
P = TypeVar("P")

SCORES = {
    "new": lambda comment: from_iso(comment["created_at"]),
    "top": top_score,
    "hot": hot_score,
    "hot_decaying": decaying_hot_score,
    "controversial": controversy,
}


NONE_LISTED = Listed([], [])


class ThreadSkeleton(NamedTuple):
    """The ids of a part of a thread, and what concerns its viewer."""

    site_id: str | None
    total: int
    closed: bool
    ids: list[str]  # of all comments that it names
    roots: Listed
    replies: dict[str, Listed]
    hidden: list[str]  # ids of hidden comments that this viewer may see
    votes: dict[str, Direction]
    pinned: list[str]
    moved_to: str | None = None  # the page that this page was merged into or renamed to


class ThreadTree(Generic[C, P]):
    """Merges the listed comments with the hidden comments that this viewer may see."""

    def __init__(
        self,
        present: Presenter[C, P],
        viewer: Viewer,
        found: ThreadSkeleton,
        root: str | None,
        order: str,
        down: bool,
        after: Cursor | None,
    ) -> None:
        self._present = present
        self._records = present.records
        self._complete = len(present.records) == len(found.ids)
        self._viewer = viewer
        self._found = found
        self._root = root
        self._down = down
        self._after = after
        self._order = order
        self._newest_first = False  # of replies
        self._hidden = [self._records[id] for id in found.hidden if id in self._records]
        self._hidden_below: dict[str | None, list[CommentRecord]] = {}
        if self._hidden:
            listed = {id for one in (found.roots, *found.replies.values()) for id in one.ids}
            for record in self._hidden:
                if record.id not in listed:  # a hidden comment with replies is listed already
                    self._hidden_below.setdefault(record.parent_id, []).append(record)

    def page(self, page_id: str, sort: Sort, limit: int) -> P:
        found = self._found
        self._newest_first = sort == "new"
        roots, next = self._merged(found.roots, self._root, limit, self._down, self._after)
        about = CommentPage(
            page_id=page_id,
            comments=[],
            next=next,
            total=found.total + sum(seems_public(self._viewer, one) for one in self._hidden),
            sort=sort,
            closed=found.closed,
        )
        pinned = [
            self._present.comment(id, 0, [], None)
            for id in found.pinned
            if id in self._records and seems_public(self._viewer, self._records[id])
        ]
        return self._present.page(self._trees(roots), pinned, about)

    def _merged(
        self, listed: Listed, parent: str | None, limit: int, down: bool, after: Cursor | None
    ) -> tuple[Sequence[str], str | None]:
        """The ids below a parent, including hidden ones that this viewer may see, and the next cursor."""
        known = listed.ids
        if not self._complete:
            known = [id for id in known if id in self._records]
        hidden = self._hidden_below.get(parent)
        if not hidden:
            page = known[:limit]
            more = len(listed.ids) > limit
            return page, listed.cursor(page[-1]).encode() if more and page else None
        own = [self._position(record) for record in hidden]
        if after is not None:
            own = [one for one in own if (one < after if down else one > after)]
        merged = sorted({*(one for one in listed.cursors() if one.member in known), *own}, reverse=down)
        cursors = merged[:limit]
        more = max(len(listed.ids), len(merged)) > limit
        return [one.member for one in cursors], cursors[-1].encode() if more and cursors else None

    def _position(self, record: CommentRecord) -> Cursor:
        return position_in(record, self._order if record.parent_id == self._root else "new")

    def _trees(self, ids: Sequence[str]) -> list[C]:
        """Comments with their replies."""
        replies, hidden = self._found.replies, self._hidden_below
        if not replies and not hidden:
            return self._present.leaves(ids)
        leaves = [id for id in ids if id not in replies and id not in hidden]
        presented = dict(zip(leaves, self._present.leaves(leaves), strict=True))
        return [presented[id] if id in presented else self._tree(id) for id in ids]

    def _tree(self, id: str) -> C:
        record = self._records[id]
        listed, hidden = self._found.replies.get(id), self._hidden_below.get(id)
        below, next = self._merged(listed or NONE_LISTED, id, REPLIES, self._newest_first, None)
        replies = self._trees(below)
        own = len(hidden) if hidden else 0
        if next is None and record.reply_count + own > len(replies):
            next = ""  # none of them are on this page
        return self._present.comment(id, own, replies, next)


def position_in(record: CommentRecord, order: str) -> Cursor:
    """The position of a comment in an order of its page, also of a comment that is not listed."""
    raw = {"created_at": record.created_at, "upvotes": record.upvotes, "downvotes": record.downvotes}
    return Cursor(float(SCORES[order](raw)), record.id)


def direction(vote: bytes) -> Direction:
    return "up" if vote == b"up" else "down"


def decode_thread(reply: RawReply) -> ThreadSkeleton:
    """Decode the reply of `read_thread`. Its ids begin with the roots."""
    (site_id, total, closed, deleting, *moved), roots, named, children, hidden, votes, pinned = reply
    if site_id is None or deleting is not None or any(moved):
        return NO_THREAD._replace(moved_to=moved[0].decode() if moved and moved[0] else None)
    ids = named.decode().split(",") if named else []
    parents = [parent.decode() for parent in children[::2]]
    return ThreadSkeleton(
        site_id=site_id.decode(),
        total=int(total or 0),
        closed=closed == b"true",
        ids=ids,
        roots=Listed(ids[: len(roots) // 2], roots[1::2]),
        replies={parent: Listed.of(of) for parent, of in zip(parents, children[1::2], strict=True)},
        hidden=[id.decode() for id in hidden],
        votes={id.decode(): direction(vote) for id, vote in zip(votes[::2], votes[1::2], strict=True)},
        pinned=[id.decode() for id in pinned],
    )


NO_THREAD = ThreadSkeleton(None, 0, False, [], NONE_LISTED, {}, [], {}, [])
