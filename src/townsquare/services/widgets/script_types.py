"""The results of Lua scripts, and records that scripts take as JSON."""

import msgspec


class CreatedWidget(msgspec.Struct, array_like=True):
    outcome: str
    id: str
    owner: str


class ShownCounter(msgspec.Struct, array_like=True):
    counted: bool
    timezone: str
    url: str
    total: int
    last_visit: str | None
    today: int
    yesterday: int
    week: int
    month: int
    webhook: str | None


class ShownHistory(msgspec.Struct, array_like=True):
    timezone: str
    url: str
    total: int
    counts: list[int]


class ShownLikes(msgspec.Struct, array_like=True):
    timezone: str
    url: str
    total: int
    liked: bool
    icon: str
    last_like: str | None
    webhook: str | None


class ShownRanking(msgspec.Struct, array_like=True):
    accepted: bool
    rank: int
    url: str
    sort_order: str
    max_entries: int
    total_entries: int
    last_submit: str | None
    meta: str | None
    rows: list[tuple[str, float, str | None]]  # name, score, note
    webhook: str | None


class ShownBoard(msgspec.Struct, array_like=True):
    record: str
    page: int
    total: int
    messages: list[str]


class FoundMessage(msgspec.Struct, array_like=True):
    record: str
    message: str
