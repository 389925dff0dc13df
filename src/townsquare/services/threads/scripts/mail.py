import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import Script


@lua.script
class QueueMails(Script[None]):
    user_id: str
    ids: list[str]


@lua.script
class FinishMail(Script[None]):
    user_id: str
    job: str
    ids: list[str]


class PageMail(msgspec.Struct, array_like=True):
    ids: list[str]
    cursor: str


@lua.script
class BeginPageMail(Script[PageMail]):
    page_id: str
    job: str


@lua.script
class EndPageMail(Script[None]):
    page_id: str
    job: str
    cursor: str


@lua.script
class FollowPage(Script[bool]):
    user_id: str
    page_id: str
    site_id: str


@lua.script
class UnfollowPage(Script[bool]):
    user_id: str
    page_id: str
