"""A counter in the store and in responses."""

from datetime import date

import msgspec
from msgspec import UNSET, UnsetType

from townsquare.services.widgets.models.common import OwnerSettings, WidgetRecord, WidgetView

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
