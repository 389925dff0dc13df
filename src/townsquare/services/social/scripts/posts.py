import msgspec

from townsquare.services.social.scripts.folder import Changed, lua
from townsquare.store.scripts import Script
from townsquare.store.scripts.deletion import DeletionShare


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


@lua.script
class DeletePost(Script[DeletionShare]):
    id: str
    username: str | None
    job: str
    begin: bool
    chunk: int


@lua.script
class LikeOrBookmarkPost(Script[Changed]):
    id: str
    username: str
    kind: str


@lua.script
class UnlikeOrUnbookmarkPost(Script[Changed]):
    id: str
    username: str
    kind: str


@lua.script
class SetComments(Script[bool]):
    id: str
    count: int


@lua.script
class ReportPost(Script[bool]):
    id: str
    username: str
    reason: str


@lua.script
class BanPost(Script[bool]):
    id: str
    moderator: str | None


@lua.script
class UnbanPost(Script[bool]):
    id: str


@lua.script
class ImportPost(Script[str]):
    id: str
    username: str
    content: str
    media_url: str | None
    hashtags: list[str]
    created_at: int


@lua.script
class RewritePost(Script[bool]):
    id: str
    username: str
    content: str
    media_url: str | None
    hashtags: list[str]


@lua.script
class ImportLikes(Script[list[str]]):
    id: str
    usernames: list[str]
    times: list[int]
