"""A thread as one reader sees it: roots in an order, replies below them, and what only this reader may see.

One round trip to the page's home for the ids of comments and replies, votes and what is hidden; comments and
authors are records, which come from memory while they stay the same.
"""

from collections.abc import Sequence
from typing import Annotated, Generic, NamedTuple, TypeVar

from msgspec import Meta

from townsquare.clock import from_iso
from townsquare.kit.paging import Cursor, PageSize
from townsquare.services.threads import keys, records
from townsquare.services.threads.keys.comments import (
    CommentRecord,
    controversy,
    decaying_hot_score,
    hot_score,
    top_score,
)
from townsquare.services.threads.models.comments import (
    Comment,
    CommentPage,
    Direction,
    PlacedComment,
    RecentComment,
)
from townsquare.services.threads.models.sites import SiteSettings, Sort, Viewer
from townsquare.services.threads.problems import CommentNotFound
from townsquare.services.threads.scripts.comments import ReadAncestors, ReadThread
from townsquare.services.threads.service.moved_comments import moved_comment, moved_page
from townsquare.services.threads.service.presentation import JSON, MODELS, Presenter
from townsquare.services.threads.service.visibility import Authors, may_see, people_of, seems_public, shown
from townsquare.store.scripts import RawReply
from townsquare.store.store import Store

C = TypeVar("C")
P = TypeVar("P")

REPLIES = 10  # of one comment, that come with it
BUDGET = 400  # comments in one answer
DEEPEST_READ = 20

Depth = Annotated[int, Meta(ge=0, le=DEEPEST_READ)]

SCORES = {
    "new": lambda comment: from_iso(comment["created_at"]),
    "top": top_score,
    "hot": hot_score,
    "hot_decaying": decaying_hot_score,
    "controversial": controversy,
}


class Listed(NamedTuple):
    """Ids in the order of a sorted set, with their scores."""

    ids: list[str]
    scores: Sequence[bytes]

    @classmethod
    def of(cls, pairs: Sequence[bytes]) -> "Listed":
        return cls([id.decode() for id in pairs[::2]], pairs[1::2])

    def cursor(self, id: str) -> Cursor:
        return Cursor(float(self.scores[self.ids.index(id)]), id)

    def cursors(self) -> list[Cursor]:
        return [Cursor(float(score), id) for id, score in zip(self.ids, self.scores, strict=True)]


NONE_LISTED = Listed([], [])


class Found(NamedTuple):
    """What the page's home answered."""

    site_id: str | None
    total: int
    closed: bool
    roots: Listed
    records: dict[str, CommentRecord]
    replies: dict[str, Listed]
    hidden: list[CommentRecord]  # that this reader may see
    votes: dict[str, Direction]
    pinned: list[str]
    moved_to: str | None = None  # the page that this address leads to


class Reading:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def thread(
        self,
        viewer: Viewer,
        settings: SiteSettings,
        page_id: str,
        *,
        sort: Sort | None = None,
        cursor: str | None = None,
        limit: PageSize = 20,
        depth: Depth = 3,
    ) -> CommentPage:
        """Part of a page's thread: `limit` roots, and replies to a depth."""
        sort = sort or settings.default_sort
        return await self._read(MODELS, viewer, settings, page_id, None, sort, cursor, limit, depth)

    async def thread_json(
        self,
        viewer: Viewer,
        settings: SiteSettings,
        page_id: str,
        *,
        sort: Sort | None = None,
        cursor: str | None = None,
        limit: PageSize = 20,
        depth: Depth = 3,
    ) -> bytes:
        """The same as JSON."""
        sort = sort or settings.default_sort
        return await self._read(JSON, viewer, settings, page_id, None, sort, cursor, limit, depth)

    async def replies(
        self,
        viewer: Viewer,
        settings: SiteSettings,
        comment_id: str,
        *,
        sort: Sort = "old",
        cursor: str | None = None,
        limit: PageSize = 20,
        depth: Depth = 3,
    ) -> CommentPage:
        """More replies of one comment."""
        record = await self.record(viewer, comment_id)
        return await self._read(
            MODELS, viewer, settings, record.page_id, record.id, sort, cursor, limit, depth
        )

    async def _read(
        self,
        present: Presenter[C, P],
        viewer: Viewer,
        settings: SiteSettings,
        page_id: str,
        root: str | None,
        sort: Sort,
        cursor: str | None,
        limit: int,
        depth: int,
    ) -> P:
        after = Cursor.decode(cursor)
        order, down = order_of(sort, settings)
        if root is not None:
            order, down = "new", sort == "new"
        reply = await self._store.run(
            ReadThread(
                page_id=page_id,
                order=order,
                down=down,
                score=after and after.score,
                member=after and after.member,
                count=limit + 1,
                depth=depth,
                replies=REPLIES,
                replies_down=sort == "new",
                budget=BUDGET,
                user_id=viewer.user_id,
                sees_hidden=viewer.moderates,
                root=root,
            )
        )
        ids = [id.decode() for id in reply[2]]
        known = await self._store.read_all(records.COMMENT, ids)
        found = found_in(reply, {id: one for id, one in zip(ids, known, strict=True) if one})
        if found.moved_to is not None:
            last = await moved_page(self._store, found.moved_to) or found.moved_to
            return await self._read(present, viewer, settings, last, root, sort, cursor, limit, depth)
        if found.site_id != viewer.site_id:
            found = NOTHING_FOUND
        people = await people_of(self._store, viewer, (one.author_id for one in found.records.values()))
        thread = Thread(present, viewer, found, people, root, order, down, after)
        return thread.page(page_id, sort, limit)

    async def record(self, viewer: Viewer, comment_id: str) -> CommentRecord:
        """A comment that this viewer may see, or a place of one."""
        (record,) = await self.records([comment_id])
        if record is None and (moved := await moved_comment(self._store, comment_id)):
            (record,) = await self.records([moved])
        return seen(viewer, record)

    async def records(self, ids: Sequence[str]) -> list[CommentRecord | None]:
        if not all(map(keys.COMMENT_ID.matches, ids)):
            raise CommentNotFound()
        return await self._store.read_all(records.COMMENT, ids)

    async def comments(self, viewer: Viewer, ids: Sequence[str]) -> list[Comment]:
        """Single comments in the order of their ids, of those that this viewer may read."""
        return [one.comment for one in await self.located(viewer, ids)]

    async def located(self, viewer: Viewer, ids: Sequence[str]) -> list[RecentComment]:
        """The same, each with the address of its page."""
        found = [
            one
            for one in (await self.records(ids) if ids else [])
            if one and one.site_id == viewer.site_id and may_see(viewer, one) and one.status != "deleted"
        ]
        views = await self._shown(viewer, found)
        return [
            RecentComment(comment=view, page_url=one.page_url) for one, view in zip(found, views, strict=True)
        ]

    async def _shown(self, viewer: Viewer, found: Sequence[CommentRecord]) -> list[Comment]:
        people = await people_of(self._store, viewer, (one.author_id for one in found))
        votes = await self.votes(viewer, [one.id for one in found])
        return [shown(viewer, one, people, votes) for one in found]

    async def votes(self, viewer: Viewer, ids: Sequence[str]) -> dict[str, Direction]:
        """How this viewer has voted on these."""
        if not viewer.user_id or not ids:
            return {}
        kept = await self._store.pipeline([("GET", keys.vote(viewer.user_id, id)) for id in ids])
        return {id: direction(vote) for id, vote in zip(ids, kept, strict=True) if vote}

    async def one(
        self, viewer: Viewer, settings: SiteSettings, comment_id: str, *, sort: Sort | None = None
    ) -> PlacedComment:
        """A comment with its ancestors, and the cursor of the part that begins with its root."""
        if not keys.COMMENT_ID.matches(comment_id):
            raise CommentNotFound()
        values = await self._store.run(ReadAncestors(comment_id=comment_id))
        chain: list[CommentRecord] = []
        for one in map(records.comment_of, values):
            if one is None:
                break
            chain.append(one)
        if not chain and (moved := await moved_comment(self._store, comment_id)):
            return await self.one(viewer, settings, moved, sort=sort)
        record = seen(viewer, chain[0] if chain else None)
        views = await self._shown(viewer, chain)
        cursor = await self._place_before(chain[-1], *order_of(sort or settings.default_sort, settings))
        return PlacedComment(
            comment=views[0], page_url=record.page_url, ancestors=views[:0:-1], cursor=cursor
        )

    async def _place_before(self, root: CommentRecord, order: str, down: bool) -> str | None:
        """The cursor that is followed by this root; None where it is the first."""
        key = PAGE_ORDERS[order](root.page_id)
        rank = await self._store.call("ZREVRANK" if down else "ZRANK", key, root.id)
        if not rank:
            return None
        verb = "ZREVRANGE" if down else "ZRANGE"
        (before,) = await self._store.call(verb, key, rank - 1, rank - 1, "WITHSCORES")
        member, score = before
        return Cursor(float(score), member.decode()).encode()


PAGE_ORDERS = {
    "new": keys.page_new,
    "top": keys.page_top,
    "hot": keys.page_hot,
    "hot_decaying": keys.page_hot_decaying,
    "controversial": keys.page_controversial,
}


def seen(viewer: Viewer, record: CommentRecord | None) -> CommentRecord:
    """The record, if there is one on the viewer's site that the viewer may see."""
    if record is None or record.site_id != viewer.site_id or not may_see(viewer, record):
        raise CommentNotFound()
    return record


def place_of(record: CommentRecord, order: str) -> Cursor:
    """Where a comment stands, or would stand, in an order of its page."""
    raw = {"created_at": record.created_at, "upvotes": record.upvotes, "downvotes": record.downvotes}
    return Cursor(float(SCORES[order](raw)), record.id)


def order_of(sort: Sort, settings: SiteSettings) -> tuple[str, bool]:
    """The sorted set of a page that has this order, and whether its highest come first."""
    if sort == "old":
        return "new", False
    if sort == "hot" and settings.hot == "reddit":
        return "hot_decaying", True
    return sort, True


class Thread(Generic[C, P]):
    """Puts together what was found, with what only this viewer sees at its place."""

    def __init__(
        self,
        present: Presenter[C, P],
        viewer: Viewer,
        found: Found,
        people: Authors,
        root: str | None,
        order: str,
        down: bool,
        after: Cursor | None,
    ) -> None:
        self._present = present
        self._viewer = viewer
        self._found = found
        self._people = people
        self._root = root
        self._down = down
        self._after = after
        self._order = order
        self._newest_first = False  # of replies
        self._hidden_below: dict[str | None, list[CommentRecord]] = {}
        if found.hidden:
            listed = {id for one in (found.roots, *found.replies.values()) for id in one.ids}
            for record in found.hidden:
                if record.id not in listed:  # one with replies has its place already
                    self._hidden_below.setdefault(record.parent_id, []).append(record)

    def page(self, page_id: str, sort: Sort, limit: int) -> P:
        found = self._found
        self._newest_first = sort == "new"
        roots, next = self._merged(found.roots, self._root, limit, self._down, self._after)
        about = CommentPage(
            page_id=page_id,
            comments=[],
            next=next,
            total=found.total + sum(seems_public(self._viewer, one) for one in found.hidden),
            sort=sort,
            closed=found.closed,
        )
        pinned = [
            self._comment(found.records[id], 0, [], None)
            for id in found.pinned
            if id in found.records and seems_public(self._viewer, found.records[id])
        ]
        return self._present.page([self._tree(id) for id in roots], pinned, about)

    def _merged(
        self, listed: Listed, parent: str | None, limit: int, down: bool, after: Cursor | None
    ) -> tuple[Sequence[str], str | None]:
        """What is listed below a parent with what only this viewer sees there, and the cursor of the rest."""
        known = [id for id in listed.ids if id in self._found.records]
        hidden = self._hidden_below.get(parent)
        if not hidden:
            shown = known[:limit]
            more = len(listed.ids) > limit
            return shown, listed.cursor(shown[-1]).encode() if more and shown else None
        own = [self._place(record) for record in hidden]
        if after is not None:
            own = [one for one in own if (one < after if down else one > after)]
        merged = sorted({*(one for one in listed.cursors() if one.member in known), *own}, reverse=down)
        page = merged[:limit]
        more = max(len(listed.ids), len(merged)) > limit
        return [one.member for one in page], page[-1].encode() if more and page else None

    def _place(self, record: CommentRecord) -> Cursor:
        return place_of(record, self._order if record.parent_id == self._root else "new")

    def _tree(self, id: str) -> C:
        record = self._found.records[id]
        listed, hidden = self._found.replies.get(id), self._hidden_below.get(id)
        if listed is None and hidden is None:
            vote, next = self._found.votes.get(id), "" if record.reply_count else None
            return self._present.comment(self._viewer, record, self._people, vote, 0, [], next)
        below, next = self._merged(listed or NONE_LISTED, id, REPLIES, self._newest_first, None)
        replies = [self._tree(one) for one in below]
        own = len(hidden) if hidden else 0
        if next is None and record.reply_count + own > len(replies):
            next = ""  # none of them are here
        return self._comment(record, own, replies, next)

    def _comment(self, record: CommentRecord, more_replies: int, replies: list[C], next: str | None) -> C:
        vote = self._found.votes.get(record.id)
        return self._present.comment(self._viewer, record, self._people, vote, more_replies, replies, next)


def direction(vote: bytes) -> Direction:
    return "up" if vote == b"up" else "down"


def found_in(reply: RawReply, known: dict[str, CommentRecord]) -> Found:
    """What the script found, with the records of the comments that it names."""
    (site_id, total, closed, deleting, *moved), roots, ids, children, hidden, votes, pinned = reply
    if site_id is None or deleting is not None or any(moved):
        return NOTHING_FOUND._replace(moved_to=moved[0].decode() if moved and moved[0] else None)
    parents = [parent.decode() for parent in children[::2]]
    return Found(
        site_id=site_id.decode(),
        total=int(total or 0),
        closed=closed == b"true",
        roots=Listed.of(roots),
        records=known,
        replies={parent: Listed.of(of) for parent, of in zip(parents, children[1::2], strict=True)},
        hidden=[known[id.decode()] for id in hidden if id.decode() in known],
        votes={id.decode(): direction(vote) for id, vote in zip(ids, votes, strict=False) if vote},
        pinned=[id.decode() for id in pinned],
    )


NOTHING_FOUND = Found(None, 0, False, NONE_LISTED, {}, {}, [], {}, [])
