"""Visibility rules: converts comment records to the comments that a viewer sees."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from townsquare.services.threads import records
from townsquare.services.threads.keys.comments import CommentRecord
from townsquare.services.threads.keys.users import CommenterRecord
from townsquare.services.threads.models.comments import Author, Comment, Direction
from townsquare.services.threads.models.sites import Viewer
from townsquare.store.store import Store

NOBODY: frozenset[str] = frozenset()
NO_BLOCKS: frozenset[bytes] = frozenset()


class Authors(NamedTuple):
    """The authors of some comments, and those that the viewer blocks."""

    known: dict[str, Author | None]  # None: such a user is gone
    blocked: frozenset[str] = NOBODY


async def authors_of(store: Store, ids: Iterable[str | None]) -> dict[str, Author]:
    """The public profiles of these users, in one round trip, without deleted users."""
    known = await _authors(store, ids)
    return {id: author for id, author in known.items() if author}


async def authors_for_viewer(store: Store, viewer: Viewer, ids: Iterable[str | None]) -> Authors:
    """Authors as one viewer sees them, in one round trip."""
    known = await _authors(store, ids)
    blocks = await blocks_of(store, viewer)
    return Authors(known, frozenset(id for id in known if id.encode() in blocks) if blocks else NOBODY)


async def blocks_of(store: Store, viewer: Viewer) -> frozenset[bytes]:
    """The ids of those whom a viewer blocks. A moderator sees everybody."""
    if viewer.user_id is None or viewer.moderates:
        return NO_BLOCKS
    found = await store.read_one(records.BLOCKS, viewer.user_id)
    return found.ids if found else NO_BLOCKS


async def _authors(store: Store, ids: Iterable[str | None]) -> dict[str, Author | None]:
    wanted = list(filter(None, dict.fromkeys(ids)))
    return dict(zip(wanted, await store.read_all(records.AUTHOR, wanted), strict=True)) if wanted else {}


def public_author(record: CommenterRecord) -> Author:
    """What everybody may see of a commenter."""
    return Author(id=record.id, name=record.name, avatar_url=record.avatar_url, karma=record.karma)


def may_see(viewer: Viewer, record: CommentRecord) -> bool:
    """Whether the viewer sees the comment, at least as a placeholder."""
    if records.is_public(record) or record.reply_count:
        return True
    return records.is_hidden(record) and may_read(viewer, record)


def may_read(viewer: Viewer, record: CommentRecord) -> bool:
    """Whether this viewer gets its author and its text."""
    if record.status == "deleted":
        return False
    own = viewer.user_id is not None and record.author_id == viewer.user_id
    return records.is_public(record) or viewer.moderates or own


def seems_public(viewer: Viewer, record: CommentRecord) -> bool:
    """Whether everybody sees it, as far as this viewer can tell: authors do not notice a shadow ban."""
    own = viewer.user_id is not None and record.author_id == viewer.user_id
    return records.is_public(record) or (own and record.status == "approved")


def author_of(record: CommentRecord, people: Authors) -> Author:
    author_id = record.author_id or ""
    known = people.known.get(author_id)
    return known if known is not None else Author(id=author_id, name="Anonymous")


def placeholder(record: CommentRecord, *, blocked: bool) -> Comment:
    """The placeholder of a comment that the viewer may not read, or whose author the viewer blocks."""
    return Comment(
        id=record.id,
        page_id=record.page_id,
        parent_id=record.parent_id,
        depth=record.depth,
        reply_count=record.reply_count,
        status="deleted",
        blocked=blocked,
        created_at=record.created_at,
        updated_at=record.created_at,
    )


def visible_comment(
    viewer: Viewer, record: CommentRecord, people: Authors, votes: Mapping[str, Direction]
) -> Comment:
    """A comment as this viewer sees it, or its placeholder."""
    readable = may_read(viewer, record)
    if not readable or record.author_id in people.blocked:
        return placeholder(record, blocked=readable)
    comment = msgspec.convert(record, Comment, from_attributes=True)
    comment.author, comment.my_vote = author_of(record, people), votes.get(record.id)
    return comment
