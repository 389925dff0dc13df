"""A bulletin board in the store and in responses."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.services.widgets.models.common import OwnerSettings, WidgetRecord, WidgetView

DEFAULT_MESSAGES, MOST_MESSAGES = 100, 1_000  # a message is looked for among so many
DEFAULT_PER_PAGE, MOST_PER_PAGE = 10, 100

UrlRule = Literal["allow", "deny"]
SelectKind = Literal["", "standard", "incremental", "emote"]  # as the newer earlier system tells them apart


class Select(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A choice that a board offers with every message; the options of an emote select are pictures."""

    label: str
    options: list[str]
    required: bool = False
    kind: SelectKind = ""


class BoardSettings(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """Empty lists are left out: JSON that passes through Lua cannot tell them from empty objects."""

    title: str
    max_messages: int
    messages_per_page: int
    icons: list[str] = []
    selects: list[Select] = []
    blocked_words: list[str] = []
    urls: UrlRule = "allow"
    edit_by_user_hash: bool = True  # the author needs no token on the day of the message


class BoardRecord(WidgetRecord, rename="camel", kw_only=True):
    last_message: str | None = None
    total_messages: int = 0
    settings: BoardSettings
    revision: int = 0  # of the settings: a message is judged by those that hold when it is written


class Message(msgspec.Struct, rename="camel", omit_defaults=True):
    """One message, in the store and in answers. The id comes first: the store looks for it there."""

    id: str
    timestamp: str
    author: str
    message: str
    user_hash: str
    icon: str = ""
    selects: dict[str, str] = {}


class ShownMessage(msgspec.Struct, rename="camel"):
    id: str
    author: str
    message: str
    timestamp: str
    icon: str | None
    selects: dict[str, str]
    user_hash: str
    standard_value: str | UnsetType | None = UNSET
    incremental_value: str | UnsetType | None = UNSET
    emote_value: str | UnsetType | None = UNSET


class Pagination(msgspec.Struct, rename="camel"):
    page: int
    total_pages: int
    has_prev: bool
    has_next: bool


class ShownSettings(OwnerSettings, rename="camel", kw_only=True):
    title: str
    max_messages: int
    messages_per_page: int
    icons: list[str]
    selects: list[Select]
    edit_by_user_hash: bool
    standard_select: Select | UnsetType = UNSET
    incremental_select: Select | UnsetType = UNSET
    emote_select: Select | UnsetType = UNSET


class Board(WidgetView, rename="camel", kw_only=True):
    """One page of a board."""

    title: str
    max_messages: int
    messages_per_page: int
    messages: list[ShownMessage]
    total_messages: int
    current_page: int
    total_pages: int
    pagination: Pagination
    settings: ShownSettings
    current_user_hash: str
    last_message: str | None
    message_id: str | UnsetType = UNSET  # of a post
    edit_token: str | UnsetType = UNSET  # returned once, to the author of a new message
    updated: str | UnsetType = UNSET  # the message that was changed
    removed: str | UnsetType = UNSET  # the message that was removed
    cleared: bool | UnsetType = UNSET


class BoardExport(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """All data of a board, the newest message first; the input of `import`."""

    service: str = "bbs"
    url: str = ""
    created: str = ""
    settings: BoardSettings | None = None  # None: as they are
    messages: list[Message] = []
