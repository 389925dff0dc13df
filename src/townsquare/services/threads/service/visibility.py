"""Who sees what of a comment: the one place that makes it ready for a viewer."""

from typing import NamedTuple

from townsquare.services.threads import records
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.models.comments import Author, Comment, Direction
from townsquare.services.threads.models.sites import Viewer


class Authors(NamedTuple):
    """The authors of some comments, and whom of them the viewer does not want to see."""

    known: dict[str, Author]
    blocked: frozenset[str] = frozenset()


def may_see(viewer: Viewer, record: CommentRecord) -> bool:
    """Whether it is there for this viewer, be it as a place only."""
    if records.is_public(record) or record.reply_count:
        return True
    return records.is_hidden(record) and may_read(viewer, record)


def may_read(viewer: Viewer, record: CommentRecord) -> bool:
    """Whether this viewer gets its author and its text."""
    if record.status == "deleted":
        return False
    own = viewer.user_id is not None and record.author_id == viewer.user_id
    return records.is_public(record) or viewer.moderates or own


def shown(viewer: Viewer, record: CommentRecord, people: Authors, votes: dict[str, Direction]) -> Comment:
    """A comment as this viewer sees it; of what the viewer may not or does not want to read, its place."""
    author_id = record.author_id or ""
    blocked = author_id in people.blocked
    if blocked or not may_read(viewer, record):
        return Comment(
            id=record.id,
            page_id=record.page_id,
            parent_id=record.parent_id,
            depth=record.depth,
            reply_count=record.reply_count,
            status="deleted",
            blocked=blocked and may_read(viewer, record),
            created_at=record.created_at,
            updated_at=record.created_at,
        )
    return Comment(
        id=record.id,
        page_id=record.page_id,
        parent_id=record.parent_id,
        depth=record.depth,
        author=people.known.get(author_id) or Author(id=author_id, name="Anonymous"),
        content=record.content,
        content_html=record.content_html,
        upvotes=record.upvotes,
        downvotes=record.downvotes,
        my_vote=votes.get(record.id),
        reply_count=record.reply_count,
        status=record.status,  # type: ignore[arg-type]
        edited=record.edited,
        pinned_at=record.pinned_at,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )
