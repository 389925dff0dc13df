import msgspec

from townsquare.services.social.scripts.folder import lua
from townsquare.store.scripts import Script


class Ranked(msgspec.Struct, array_like=True):
    scored: int
    holds_until: int
    positions: list[int]
    ids: list[str]


@lua.script
class RankTag(Script[Ranked]):
    tag: str
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


class HomeShown(msgspec.Struct, array_like=True):
    ready: bool
    holds_until: int
    token: str
    complete: bool
    floor: int
    floor_id: str
    big: str
    posts: list[str]


@lua.script
class ReadHomeFeed(Script[HomeShown]):
    username: str
    before: int | None
    before_id: str | None
    count: int
