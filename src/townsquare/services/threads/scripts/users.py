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
