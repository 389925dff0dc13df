from typing import Any

import msgspec

from townsquare.services.threads.scripts.folder import lua
from townsquare.store.scripts import RawReply, Script


@lua.script
class ForgetUserAtSite(Script[None]):
    site_id: str
    user_id: str


@lua.script
class SaveUser(Script[bool]):
    user_id: str
    fields: dict[str, Any]
    create: bool
    created_at: str


class NotificationsRead(msgspec.Struct, array_like=True):
    changed: int
    unread: int


@lua.script
class ReadNotifications(Script[NotificationsRead]):
    user_id: str
    site_id: str
    ids: list[str]


@lua.script
class BlockUser(Script[bool]):
    user_id: str
    other_id: str


@lua.script
class UnblockUser(Script[bool]):
    user_id: str
    other_id: str


@lua.script
class ReadMyVotes(Script[RawReply]):
    page_id: str
    user_id: str
    site_id: str


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
