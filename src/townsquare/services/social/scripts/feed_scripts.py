import msgspec

from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import RawReply, Script


@lua.script
class ReadViewerState(Script[RawReply]):
    viewer: str
    ids: list[str]


@lua.script
class ReadExplore(Script[RawReply]):
    viewer: str | None
    score: float | None
    member: str | None
    count: int


@lua.script
class ReadHashtag(Script[RawReply]):
    tag: str
    viewer: str | None
    score: float | None
    member: str | None
    count: int


@lua.script
class ReadUserPosts(Script[RawReply]):
    username: str
    viewer: str | None
    score: float | None
    member: str | None
    count: int


@lua.script
class ReadBookmarks(Script[RawReply]):
    username: str
    score: float | None
    member: str | None
    count: int


@lua.script
class RankTag(Script[RawReply]):
    tag: str
    viewer: str | None
    scored: int | None
    after: str | None
    position: int
    count: int


@lua.script
class CorrectTrends(Script[None]):
    tags: list[str]
    seen: list[int]
    counts: list[int]


class HomeBegun(msgspec.Struct, array_like=True):
    begun: bool
    followed: list[str]


@lua.script
class BeginHomeFeed(Script[HomeBegun]):
    username: str
    token: str
    now: int


@lua.script
class FillHomeFeed(Script[bool]):
    username: str
    token: str
    since: str
    posts: list[str]
    floor: int
    floor_id: str
    complete: bool
    big: str


@lua.script
class ReadHomeFeed(Script[RawReply]):
    username: str
    before: int | None
    before_id: str | None
    count: int
