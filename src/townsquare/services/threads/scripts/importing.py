import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


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
