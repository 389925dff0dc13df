import msgspec

from townsquare.services.social.scripts.folder import Changed, lua
from townsquare.store.scripts import Script


class PostCreated(msgspec.Struct, array_like=True):
    avatar: str | None
    display_name: str | None
    role: str


@lua.script
class CreatePost(Script[PostCreated]):
    username: str
    id: str
    content: str
    media_url: str | None
    hashtags: list[str]
    now: int


@lua.script
class EditPost(Script[None]):
    id: str
    username: str
    content: str | None
    hashtags: list[str]
    media_url: str | None
    drop_media: bool
    window: int
    now: int


class PostDeleted(msgspec.Struct, array_like=True):
    removed: int
    job: str


@lua.script
class DeletePost(Script[PostDeleted]):
    id: str
    username: str | None
    chunk: int
    job: str
    now: int


@lua.script
class MarkPost(Script[Changed]):
    id: str
    username: str
    kind: str
    now: int


@lua.script
class UnmarkPost(Script[Changed]):
    id: str
    username: str
    kind: str
    now: int


@lua.script
class SetComments(Script[bool]):
    id: str
    count: int
    now: int


@lua.script
class ReportPost(Script[bool]):
    id: str
    username: str
    reason: str
    now: int


@lua.script
class BanPost(Script[bool]):
    id: str
    moderator: str | None
    now: int


@lua.script
class UnbanPost(Script[bool]):
    id: str
    now: int
