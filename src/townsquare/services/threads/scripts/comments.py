import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import RawReply, Script


class AuthorState(msgspec.Struct, array_like=True):
    banned: bool
    shadowed: bool
    duplicates: list[str]  # ids of the author's comments with the same text


@lua.script
class ReadAuthorState(Script[AuthorState]):
    site_id: str
    user_id: str
    fingerprint: str


@lua.script
class FindDuplicates(Script[list[str]]):
    user_id: str
    fingerprint: str


class CommentCreated(msgspec.Struct, array_like=True):
    parent_id: str
    depth: int
    status: str


@lua.script
class CreateComment(Script[CommentCreated]):
    page_id: str
    comment_id: str
    site_id: str
    page_url: str
    page_key: str
    title: str | None
    redirected: bool
    post_id: str | None
    author_id: str
    parent_id: str | None
    content: str
    content_html: str
    fingerprint: str
    status: str
    shadow: bool
    shadowed: bool
    sees_hidden: bool
    reasons: str | None
    mentions: str | None
    max_depth: int
    close_before: int
    created_at: str
    now: int


@lua.script
class FinishPostCount(Script[bool]):
    page_id: str
    count: int


@lua.script
class EditComment(Script[None]):
    comment_id: str
    user_id: str | None
    content: str
    content_html: str
    fingerprint: str
    status: str | None
    reasons: str | None
    mentions: str | None
    edit_ms: int
    updated_at: str
    entry: str | None


@lua.script
class EraseComment(Script[str]):
    comment_id: str
    user_id: str | None
    entry: str | None


class VoteCounts(msgspec.Struct, array_like=True):
    upvotes: int
    downvotes: int
    my_vote: str


@lua.script
class VoteComment(Script[VoteCounts]):
    comment_id: str
    user_id: str
    site_id: str
    direction: str
    notify_author: bool
    at: str


@lua.script
class ReadThread(Script[RawReply]):
    page_id: str
    order: str
    down: bool
    score: float | None
    member: str | None
    count: int
    depth: int
    replies: int
    replies_down: bool
    budget: int
    user_id: str | None
    sees_hidden: bool
    root: str | None


@lua.script
class ReadAncestors(Script[RawReply]):
    comment_id: str


@lua.script
class PinComment(Script[int]):
    comment_id: str
    site_id: str
    pinned: bool
    entry: str


class ReportTaken(msgspec.Struct, array_like=True):
    changed: bool
    held: bool


@lua.script
class ReportComment(Script[ReportTaken]):
    comment_id: str
    site_id: str
    user_id: str
    report: str
    hold_after: int


class CommentToImport(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A comment that was made elsewhere, as it is written here; a place has no author and no text."""

    id: str
    content: str
    content_html: str
    status: str
    created_at: str
    created_ms: int
    updated_at: str
    foreign_id: str
    upvotes: int
    downvotes: int
    parent_id: str | None = None
    author_id: str | None = None
    edited: bool = False


class ImportCounts(msgspec.Struct, array_like=True):
    created: int
    unchanged: int


@lua.script
class ImportComments(Script[ImportCounts]):
    page_id: str
    site_id: str
    page_url: str
    page_key: str
    title: str | None
    created_at: str
    opened_at: int
    comments: list[CommentToImport]


@lua.script
class BeginImport(Script[None]):
    site_id: str
    state: str


@lua.script
class SaveImportState(Script[None]):
    site_id: str
    id: str
    state: str
