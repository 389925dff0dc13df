import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import RawReply, Script


@lua.script
class ClosePage(Script[bool]):
    page_id: str
    site_id: str
    closed: bool
    entry: str


@lua.script
class MovePage(Script[str]):
    page_id: str
    site_id: str
    new_id: str
    url: str
    job: str
    entry: str


@lua.script
class SetPageUrl(Script[None]):
    comment_id: str
    url: str


@lua.script
class EndMoveStep(Script[None]):
    page_id: str
    job: str
    url: str
    reached: str | None


@lua.script
class MovePages(Script[None]):
    site_id: str
    old: str
    new: str
    job: str
    entry: str


@lua.script
class EndMovesStep(Script[None]):
    site_id: str
    job: str
    reached: str | None


@lua.script
class MergePage(Script[str]):
    page_id: str
    site_id: str
    into_id: str
    job: str
    entry: str


@lua.script
class FollowMergedPage(Script[None]):
    user_id: str
    page_id: str
    into_id: str


@lua.script
class MoveComment(Script[None]):
    page_id: str
    comment_id: str
    job: str
    into_id: str
    new_id: str
    parent_id: str | None
    answers: str | None
    votes_share: int


@lua.script
class EndMerge(Script[None]):
    page_id: str
    into_id: str
    job: str
    days: list[str]


@lua.script
class ReadEvents(Script[RawReply]):
    page_id: str
    after: str | None


@lua.script
class SetPresence(Script[bool]):
    page_id: str
    process: str | None
    users: list[str]


@lua.script
class SetTyping(Script[None]):
    page_id: str
    user_id: str
    typing: bool
    reply_to: str | None = None


class ViewCounted(msgspec.Struct, array_like=True):
    counted: bool
    total: int


@lua.script
class CountView(Script[ViewCounted]):
    page_id: str
    visitor: str
    day: str


@lua.script
class CountRequest(Script[int]):
    type: str
    id: str
    time_bucket: int
    seconds: int


@lua.script
class AddUsage(Script[None]):
    site_id: str
    month: str
    counts: dict[str, int]
    visitors: list[str]
