"""A whole thread at once, for clients that know no pages: the newest comments up to a bound, as a tree."""

from townsquare.clock import from_iso
from townsquare.services.threads import keys, records
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import Comment, Direction
from townsquare.services.threads.models.sites import SiteSettings, Sort, Viewer
from townsquare.services.threads.models.threadkit import DELETED_AUTHOR, Tree, TreeComment, WholeThread
from townsquare.services.threads.service import visibility
from townsquare.services.threads.service.reading import Reading, order_of
from townsquare.services.threads.service.thread_tree import position_in
from townsquare.store.store import Store

MOST = 1_000  # comments of one page


class WholeThreads:
    def __init__(self, store: Store, reading: Reading) -> None:
        self._store = store
        self._reading = reading

    async def read(
        self, viewer: Viewer, settings: SiteSettings, page_id: str, *, sort: Sort = "top"
    ) -> WholeThread:
        """All comments of a page that this viewer may see, up to a thousand."""
        found = await self._records(viewer, page_id)
        by_id = {record.id: record for record in found}
        people = await visibility.authors_for_viewer(
            self._store, viewer, (record.author_id for record in found if visibility.may_read(viewer, record))
        )
        total, views = await self._store.pipeline(
            [("HGET", keys.page(page_id), "comment_count"), ("GET", keys.page_views(page_id))]
        )
        below: dict[str | None, list[CommentRecord]] = {}
        for record in found:
            parent = record.parent_id if record.parent_id in by_id else None
            below.setdefault(parent, []).append(record)
        order, down = order_of(sort, settings)
        roots = sorted(below.get(None, ()), key=lambda one: position_in(one, order), reverse=down)
        public = [one for one in found if visibility.seems_public(viewer, one)]
        times = [from_iso(record.updated_at) // 1000 for record in found]
        return WholeThread(
            page_id=page_id,
            tree=Tree(
                comments=[branch(viewer, one, below, people) for one in roots], updated=max(times, default=0)
            ),
            total=int(total or 0) + sum(not records.is_public(one) for one in public),
            pageviews=int(views or 0) if settings.display.pageviews else 0,
            pinned=[[one.id, one.pinned_at] for one in public if one.pinned_at],
        )

    async def _records(self, viewer: Viewer, page_id: str) -> list[CommentRecord]:
        site_id, *_ = await self._store.call("HMGET", keys.page(page_id), "site_id")
        if site_id is None or site_id.decode() != viewer.site_id:
            return []
        ids = await self._store.call("ZREVRANGE", keys.page_all(page_id), 0, MOST - 1)
        found = await self._reading.records([id.decode() for id in ids]) if ids else []
        return [one for one in found if one and visibility.may_see(viewer, one)]

    async def my_votes(self, viewer: Viewer, page_id: str) -> dict[str, Direction]:
        """How this viewer has voted on the comments of a page."""
        if viewer.user_id is None:
            return {}
        found = await self._records(viewer, page_id)
        return await self._reading.votes(viewer, [one.id for one in found])


def branch(
    viewer: Viewer,
    record: CommentRecord,
    below: dict[str | None, list[CommentRecord]],
    people: visibility.Authors,
) -> TreeComment:
    """A comment with its replies, the oldest first. It goes as deep as threads do: a hundred levels."""
    comment = tree_comment(visibility.visible_comment(viewer, record, people, {}))
    replies = sorted(below.get(record.id, ()), key=lambda one: position_in(one, "new"))
    if replies:
        comment.replies = [branch(viewer, one, below, people) for one in replies]
    return comment


def tree_comment(comment: Comment) -> TreeComment:
    created = from_iso(comment.created_at) // 1000
    made = TreeComment(
        id=comment.id,
        author=comment.author.id if comment.author else DELETED_AUTHOR,
        author_name=comment.author.name if comment.author else "[deleted]",
        picture=comment.author.avatar_url if comment.author else None,
        karma=comment.author.karma if comment.author else 0,
        text=comment.content,
        html=comment.content_html,
        upvotes=comment.upvotes,
        downvotes=comment.downvotes,
        created=created,
        modified=from_iso(comment.updated_at) // 1000 if comment.edited else created,
    )
    if comment.edited:
        made.edited = True
    if comment.status != "approved":
        made.status = comment.status
    if comment.parent_id:
        made.parent = comment.parent_id
    return made
