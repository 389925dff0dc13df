import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import RawReply, Script


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
