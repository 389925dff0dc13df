"""The results of Lua scripts, and records that scripts take as JSON."""

import msgspec


class AuthorState(msgspec.Struct, array_like=True):
    banned: bool
    shadowed: bool
    duplicates: list[str]  # ids of the author's comments with the same text


class CommentCreated(msgspec.Struct, array_like=True):
    parent_id: str
    depth: int
    status: str


class VoteCounts(msgspec.Struct, array_like=True):
    upvotes: int
    downvotes: int
    my_vote: str


class ReportTaken(msgspec.Struct, array_like=True):
    changed: bool
    held: bool


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


class ViewCounted(msgspec.Struct, array_like=True):
    counted: bool
    total: int


class OldKeys(msgspec.Struct, array_like=True):
    public: str
    secret_digest: str


class BanSet(msgspec.Struct, array_like=True):
    changed: bool
    job: str


class BanStep(msgspec.Struct, array_like=True):
    found: bool
    shadowed: bool
    remove: bool
    reached: str


class NotificationsRead(msgspec.Struct, array_like=True):
    changed: int
    unread: int


class PageMail(msgspec.Struct, array_like=True):
    ids: list[str]
    cursor: str
