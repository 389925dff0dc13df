"""Widgets in the store and in responses: what all have in common, then each kind."""

from datetime import date
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.secret_repr import HidesSecrets


class WidgetRecord(HidesSecrets, msgspec.Struct, rename="camel", kw_only=True):
    """`{kind}:{id}`: the fields that every kind has."""

    service: str
    id: str
    url: str
    created: str
    owner: str | None
    webhook: str | None = None  # URL that receives events
    deleting: str | None = None  # the job that removes it


class OwnerSettings(msgspec.Struct, rename="camel", kw_only=True):
    """Settings that only the owner sees."""

    webhook_url: str | UnsetType | None = UNSET


class WidgetView(HidesSecrets, msgspec.Struct, rename="camel", kw_only=True):
    """A widget as its page shows it."""

    id: str
    url: str
    webhook_secret: str | UnsetType = UNSET  # returned once, to the owner who sets a webhook
    existed: bool | UnsetType = UNSET  # of a create: true if the widget was there already


HIGHEST_TOTAL = 10**13 - 1  # JSON in Lua stores it exactly


class CounterRecord(WidgetRecord, rename="camel", kw_only=True):
    last_visit: str | None = None
    total_count: int = 0
    timezone: str = "UTC"


class Figures(WidgetView, rename="camel", kw_only=True):
    """A counter as its page shows it."""

    total: int
    today: int
    yesterday: int
    week: int
    month: int
    last_visit: str | None
    duplicate: bool = False
    settings: OwnerSettings | UnsetType = UNSET


class DayCount(msgspec.Struct):
    date: str
    count: int


class History(msgspec.Struct):
    """Counts by day, the newest first; days without a visit count 0."""

    id: str
    url: str
    total: int
    days: list[DayCount]


class CounterExport(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """All data of a counter; the input of `import`."""

    service: str = "counter"
    url: str = ""
    created: str = ""
    timezone: str = "UTC"
    total: int
    daily: dict[date, int] = {}


DEFAULT_ICON = "heart"


class LikeRecord(WidgetRecord, rename="camel", kw_only=True):
    last_like: str | None = None
    total_likes: int = 0
    icon: str = DEFAULT_ICON
    timezone: str = "UTC"


class Likes(WidgetView, rename="camel", kw_only=True):
    """A like button as one visitor sees it."""

    total: int
    liked: bool
    user_liked: bool
    icon: str
    last_like: str | None
    settings: OwnerSettings | UnsetType = UNSET


class LikeExport(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """All data of a like button; the input of `import`."""

    service: str = "like"
    url: str = ""
    created: str = ""
    timezone: str = "UTC"
    total: int
    icon: str = DEFAULT_ICON


SortOrder = Literal["desc", "asc"]
DEFAULT_ENTRIES, MOST_ENTRIES = 100, 1_000  # ties at the last place are sorted in memory
DEFAULT_LIMIT = 10


class RankingRecord(WidgetRecord, rename="camel", kw_only=True):
    last_submit: str | None = None
    total_entries: int = 0
    max_entries: int = DEFAULT_ENTRIES
    sort_order: SortOrder = "desc"
    entered: int = 0  # entries ever accepted: the unique id of the last one


class RankingMeta(msgspec.Struct, omit_defaults=True):
    """`ranking:{id}:meta`."""

    title: str = ""
    description: str = ""


class EntryNote(msgspec.Struct, rename="camel"):
    """What `ranking:{id}:entries` holds for a name."""

    member: str
    created_at: str
    display_score: str | None = None


class RankingEntry(msgspec.Struct, rename="camel"):
    rank: int
    name: str
    score: int | float
    display_score: str | None
    created_at: str | None


class RankingSettings(OwnerSettings, rename="camel", kw_only=True):
    title: str
    max_entries: int
    sort_order: SortOrder


class Standings(WidgetView, rename="camel", kw_only=True):
    """A ranking as its page shows it."""

    title: str
    description: str
    sort_order: SortOrder
    max_entries: int
    total_entries: int
    entries: list[RankingEntry]
    settings: RankingSettings
    last_submit: str | None
    accepted: bool | UnsetType = UNSET  # of a submit: whether the score got a place
    rank: int | UnsetType | None = UNSET  # of a submit: the place of that name now


class ExportedEntry(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    name: str
    score: float
    display_score: str | None = None
    created_at: str | None = None


class RankingExport(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """All data of a ranking, the best entry first; the input of `import`."""

    service: str = "ranking"
    url: str = ""
    created: str = ""
    title: str = ""
    description: str = ""
    max_entries: int = DEFAULT_ENTRIES
    sort_order: SortOrder = "desc"
    entries: list[ExportedEntry] = []


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
