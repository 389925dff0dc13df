"""The results of Lua scripts, and records that scripts take as JSON."""

import msgspec


class AuthorState(msgspec.Struct, array_like=True):
    banned: bool
    shadowed: bool
    duplicates: list[str]  # ids of the author's comments with the same text


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
