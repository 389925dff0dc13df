"""The results of Lua scripts, and records that scripts take as JSON."""

import msgspec


class CreatedWidget(msgspec.Struct, array_like=True):
    outcome: str
    id: str
    owner: str


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
