"""A ranking in the store and in responses."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.services.widgets.models.common import OwnerSettings, WidgetRecord, WidgetView

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
