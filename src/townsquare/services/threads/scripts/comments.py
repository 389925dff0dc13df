import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import RawReply, Script


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
    author_id: str
    parent_id: str | None
    content: str
    content_html: str
    status: str
    shadow: bool
    shadowed: bool
    sees_hidden: bool
    reasons: str | None
    max_depth: int
    close_before: int
    created_at: str
    now: int


@lua.script
class EditComment(Script[None]):
    comment_id: str
    user_id: str | None
    content: str
    content_html: str
    status: str | None
    reasons: str | None
    edit_ms: int
    updated_at: str


@lua.script
class EraseComment(Script[str]):
    comment_id: str
    user_id: str | None


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
class PinComment(Script[int]):
    comment_id: str
    site_id: str
    pinned: bool


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


class StatusSet(msgspec.Struct, array_like=True):
    author_id: str
    before: str
    page_id: str
    parent_id: str


@lua.script
class SetStatus(Script[StatusSet]):
    comment_id: str
    site_id: str
    status: str


@lua.script
class SetShadow(Script[bool]):
    comment_id: str
    site_id: str
    shadow: bool
