import msgspec

from townsquare.services.social.scripts import feeds  # noqa: F401 - what posts run must be declared first
from townsquare.services.social.scripts.folder import Changed, lua
from townsquare.store.scripts import Script


@lua.script
class SetPostEngagement(Script[None]):
    username: str
    id: str
    weight: int


@lua.script
class ListPost(Script[None]):
    username: str
    id: str
    created_at: int
    weight: int
    now: int


@lua.script
class UnlistPost(Script[None]):
    username: str
    id: str
    created_at: int
    banned: bool


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
class DropMark(Script[None]):
    id: str
    username: str
    kind: str
    now: int


@lua.script
class NoteMark(Script[str]):
    username: str
    id: str
    author: str
    kind: str
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
class RemoveModerator(Script[None]):
    id: str
    gone: str


@lua.script
class NoteBan(Script[None]):
    username: str
    id: str
    at: int


@lua.script
class BanPost(Script[bool]):
    id: str
    moderator: str | None
    now: int


@lua.script
class UnbanPost(Script[bool]):
    id: str
    now: int
