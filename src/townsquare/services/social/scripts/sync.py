from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class CopyAuthor(Script[None]):
    username: str
    id: str


@lua.script
class ImportPost(Script[str]):
    id: str
    username: str
    content: str
    media_url: str | None
    hashtags: list[str]
    created_at: int
    now: int


@lua.script
class RewritePost(Script[bool]):
    id: str
    username: str
    content: str
    media_url: str | None
    hashtags: list[str]
    now: int


@lua.script
class ImportFollows(Script[list[str]]):
    username: str
    others: list[str]
    times: list[int]
    limit: int


@lua.script
class ImportLikes(Script[list[str]]):
    id: str
    usernames: list[str]
    times: list[int]
    now: int
