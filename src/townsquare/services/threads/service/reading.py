"""A thread as one reader sees it: roots in an order, replies below them, and what only this reader may see.

The skeleton has the ids of comments and replies, votes, and hidden comments. That of the first part is made
of records of the client cache, as are comments and authors; other parts are read by one script.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from msgspec import Meta

from townsquare.kit.paging import Cursor, PageSize
from townsquare.services.threads import keys, records
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import (
    Comment,
    CommentPage,
    Direction,
    NewComment,
    PlacedComment,
    RecentComment,
)
from townsquare.services.threads.models.sites import SiteSettings, Sort, Viewer
from townsquare.services.threads.problems import CommentNotFound
from townsquare.services.threads.scripts import ReadAncestors, ReadThread
from townsquare.services.threads.service.cached_thread import SharedSkeleton, shared_skeleton, viewer_lists
from townsquare.services.threads.service.moved_comments import moved_comment, moved_page
from townsquare.services.threads.service.presentation import (
    ANYBODY,
    CommentList,
    Json,
    ListJson,
    Models,
    Presenter,
    TaggedJson,
    comment_list,
    tagged_json,
)
from townsquare.services.threads.service.thread_tree import (
    NO_THREAD,
    ThreadSkeleton,
    ThreadTree,
    decode_thread,
    direction,
)
from townsquare.services.threads.service.visibility import (
    Authors,
    authors_for_viewer,
    may_see,
    visible_comment,
)
from townsquare.store.client_cache import Composite
from townsquare.store.store import Store

C = TypeVar("C")
P = TypeVar("P")

BUDGET = 400  # comments in one answer
ID = 200  # bytes of an id in the lists of a skeleton
DEEPEST_READ = 20

MakePresenter = Callable[[Viewer, ThreadSkeleton], Awaitable[Presenter[C, P]]]
Depth = Annotated[int, Meta(ge=0, le=DEEPEST_READ)]


class ThreadPart(NamedTuple):
    """Which part of a thread to read."""

    page_id: str
    root: str | None  # None: the roots of the page; else the replies of this comment
    sort: Sort
    cursor: str | None
    limit: int
    depth: int


class SharedThread(NamedTuple):
    """A first part of a thread that all viewers see alike, but for votes and authors whom they block."""

    skeleton: ThreadSkeleton
    comments: CommentList
    page: TaggedJson  # for a viewer who has voted on none of them


SHARED_THREAD = Composite[SharedThread](
    memory=lambda thread: thread.comments.memory + len(thread.page.body) + ID * len(thread.skeleton.ids)
)


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
        part = ThreadPart(page_id, None, sort or settings.default_sort, cursor, limit, depth)
        return await self._read(self._models, viewer, settings, part)

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
    ) -> TaggedJson:
        """The same as JSON."""
        part = ThreadPart(page_id, None, sort or settings.default_sort, cursor, limit, depth)
        if self._is_cached(part):
            await self._store.pass_barrier()
            page = await self._shared_json(viewer, part, *order_of(part.sort, settings))
            if page is not None:
                return page
        return tagged_json(await self._read(self._json, viewer, settings, part))

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
        part = ThreadPart(record.page_id, record.id, sort, cursor, limit, depth)
        return await self._read(self._models, viewer, settings, part)

    async def _read(
        self, presenter: MakePresenter[C, P], viewer: Viewer, settings: SiteSettings, part: "ThreadPart"
    ) -> P:
        after = Cursor.decode(part.cursor)
        order, down = order_of(part.sort, settings)
        if part.root is not None:
            order, down = "new", part.sort == "new"
        cached = await self._cached_skeleton(viewer, part, order, down) if self._is_cached(part) else None
        found = cached or decode_thread(
            await self._store.run(
                ReadThread(
                    page_id=part.page_id,
                    order=order,
                    down=down,
                    score=after and after.score,
                    member=after and after.member,
                    count=part.limit + 1,
                    depth=part.depth,
                    replies=records.REPLIES,
                    replies_down=part.sort == "new",
                    budget=BUDGET,
                    user_id=viewer.user_id,
                    sees_hidden=viewer.moderates,
                    root=part.root,
                )
            )
        )
        if found.moved_to is not None:
            last = await moved_page(self._store, found.moved_to) or found.moved_to
            return await self._read(presenter, viewer, settings, part._replace(page_id=last))
        if found.site_id != viewer.site_id:
            found = NO_THREAD
        thread = ThreadTree(await presenter(viewer, found), viewer, found, part.root, order, down, after)
        return thread.page(part.page_id, part.sort, part.limit)

    def _is_cached(self, part: ThreadPart) -> bool:
        """Whether the skeleton of this part can be made of cached records."""
        return part.cursor is None and part.root is None and self._store.in_request

    async def _shared_skeleton(self, part: ThreadPart, order: str, down: bool) -> SharedSkeleton | None:
        newest_first = part.sort == "new"
        return await shared_skeleton(
            self._store, part.page_id, order, down, part.limit, part.depth, newest_first, BUDGET
        )

    async def _cached_skeleton(
        self, viewer: Viewer, part: ThreadPart, order: str, down: bool
    ) -> ThreadSkeleton | None:
        """The skeleton of a first part for one viewer."""
        shared = await self._shared_skeleton(part, order, down)
        if shared is None:
            return None
        found = shared.skeleton
        lists = await viewer_lists(self._store, viewer, part.page_id)
        ids = [*dict.fromkeys((*found.ids, *lists.hidden))] if lists.hidden else found.ids
        votes = lists.votes_on(ids) if lists.votes.complete else await self.votes(viewer, ids)
        return found._replace(ids=ids, hidden=[*lists.hidden], votes=votes)

    async def _shared_json(
        self, viewer: Viewer, part: ThreadPart, order: str, down: bool
    ) -> TaggedJson | None:
        """A first part that all viewers see alike, with the votes of this one; None if they do not."""
        key = (part.page_id, order, down, part.sort, part.limit, part.depth)
        shared = await self._store.composite(SHARED_THREAD, key)
        if shared is None:
            shared = await self._store.compose(
                SHARED_THREAD, key, lambda: self._compose(key, part, order, down)
            )
        if shared is None or shared.skeleton.site_id != viewer.site_id:
            return None
        lists = await viewer_lists(self._store, viewer, part.page_id)
        comments = shared.comments
        if lists.hidden or not lists.votes.complete or not comments.authors.isdisjoint(lists.blocks):
            return None
        votes = lists.votes_on(comments.leaves)
        if not votes:
            return shared.page
        tree = ThreadTree(ListJson(comments, votes), viewer, shared.skeleton, None, order, down, None)
        return tagged_json(tree.page(part.page_id, part.sort, part.limit))

    async def _compose(
        self, key: tuple[Any, ...], part: ThreadPart, order: str, down: bool
    ) -> SharedThread | None:
        """Made at the second miss, see `is_worth_composing`."""
        read = await self._shared_skeleton(part, order, down)
        if read is None:
            return None
        found, made_of = read
        comments, people = await self._hydrated(ANYBODY, found.ids)
        authors = {id: author for id, author in people.known.items() if author}
        if len(comments) < len(found.ids) or len(authors) < len(people.known):
            return None
        listed = (
            comment_list(comments, authors) if self._store.is_worth_composing(SHARED_THREAD, key) else None
        )
        if listed is None:
            return None
        tree = ThreadTree(ListJson(listed, {}), ANYBODY, found, None, order, down, None)
        shared = SharedThread(found, listed, tagged_json(tree.page(part.page_id, part.sort, part.limit)))
        made_of += [((records.COMMENT, id), one) for id, one in comments.items()]
        made_of += [((records.AUTHOR, id), one) for id, one in authors.items()]
        self._store.add_composite(SHARED_THREAD, key, shared, made_of)
        return shared

    async def _models(self, viewer: Viewer, found: ThreadSkeleton) -> Models:
        records, people = await self._hydrated(viewer, found.ids)
        return Models(viewer, records, people, found.votes)

    async def _json(self, viewer: Viewer, found: ThreadSkeleton) -> Json:
        records, people = await self._hydrated(viewer, found.ids)
        return Json(viewer, records, people, found.votes)

    async def _hydrated(self, viewer: Viewer, ids: Sequence[str]) -> tuple[dict[str, CommentRecord], Authors]:
        found = await self._store.read_all(records.COMMENT, ids)
        known = {id: one for id, one in zip(ids, found, strict=True) if one}
        return known, await authors_for_viewer(self._store, viewer, (one.author_id for one in known.values()))

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
        views = await self._visible(viewer, found)
        return [
            RecentComment(comment=view, page_url=one.page_url) for one, view in zip(found, views, strict=True)
        ]

    async def created(self, viewer: Viewer, comment_id: str) -> NewComment:
        """A comment that this viewer has just written, or wrote in an earlier request."""
        record = await self.record(viewer, comment_id)  # it may be on another page by now
        if record.status == "deleted":
            raise CommentNotFound()
        (view,) = await self._visible(viewer, [record])
        return NewComment(comment=view, page_url=record.page_url)

    async def _visible(self, viewer: Viewer, found: Sequence[CommentRecord]) -> list[Comment]:
        people = await authors_for_viewer(self._store, viewer, (one.author_id for one in found))
        votes = await self.votes(viewer, [one.id for one in found])
        return [visible_comment(viewer, one, people, votes) for one in found]

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
        views = await self._visible(viewer, chain)
        cursor = await self._cursor_before(chain[-1], *order_of(sort or settings.default_sort, settings))
        return PlacedComment(
            comment=views[0], page_url=record.page_url, ancestors=views[:0:-1], cursor=cursor
        )

    async def _cursor_before(self, root: CommentRecord, order: str, down: bool) -> str | None:
        """The cursor that is followed by this root; None where it is the first."""
        key = records.PAGE_ORDERS[order](root.page_id)
        rank = await self._store.call("ZREVRANK" if down else "ZRANK", key, root.id)
        if not rank:
            return None
        verb = "ZREVRANGE" if down else "ZRANGE"
        (before,) = await self._store.call(verb, key, rank - 1, rank - 1, "WITHSCORES")
        member, score = before
        return Cursor(float(score), member.decode()).encode()


def seen(viewer: Viewer, record: CommentRecord | None) -> CommentRecord:
    """The record, if there is one on the viewer's site that the viewer may see."""
    if record is None or record.site_id != viewer.site_id or not may_see(viewer, record):
        raise CommentNotFound()
    return record


def order_of(sort: Sort, settings: SiteSettings) -> tuple[str, bool]:
    """The sorted set of a page that has this order, and whether its highest come first."""
    if sort == "old":
        return "new", False
    if sort == "hot" and settings.hot == "reddit":
        return "hot_decaying", True
    return sort, True
