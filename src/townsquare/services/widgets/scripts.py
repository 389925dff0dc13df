"""The signatures of the Lua scripts."""

from pathlib import Path

import msgspec

from townsquare.services.widgets import keys, problems  # noqa: F401 - the scripts refuse by their codes
from townsquare.store.scripts import LuaFolder, Script
from townsquare.store.scripts.deletion import DeletionShare

lua = LuaFolder(keys.widgets, Path(__file__).parent / "lua", constants=keys)


class OwnersScript(Script[None]):
    """An operation of the owner; `owner` is the token hash that the caller has verified."""

    id: str
    owner: str


class CreatedWidget(msgspec.Struct, array_like=True):
    outcome: str
    id: str
    owner: str


@lua.script
class CreateWidget(Script[CreatedWidget]):
    kind: str
    url: str
    id: str
    record: str
    owner: str
    meta: str | None
    now: int


@lua.script
class DeleteWidget(Script[DeletionShare]):
    kind: str
    id: str
    owner: str | None
    job: str
    begin: bool
    chunk: int


@lua.script
class DiscardRecord(Script[bool]):
    kind: str
    id: str
    seen: str


@lua.script
class RotateOwner(Script[None]):
    kind: str
    id: str
    owner: str
    replaced: str


@lua.script
class SetWebhook(Script[None]):
    kind: str
    id: str
    owner: str
    webhook: str | None


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


@lua.script
class CountVisit(Script[ShownCounter]):
    id: str
    visitor: str
    timezone: str
    days: tuple[str, ...] | msgspec.Raw
    now: str
    ttl: int


@lua.script
class ShowCounter(Script[ShownCounter]):
    id: str
    days: tuple[str, ...] | msgspec.Raw


class ShownHistory(msgspec.Struct, array_like=True):
    timezone: str
    url: str
    total: int
    counts: list[int]


@lua.script
class ShowHistory(Script[ShownHistory]):
    id: str
    days: tuple[str, ...]


@lua.script
class SetCounter(OwnersScript):
    total: int
    daily: str | None


class ShownLikes(msgspec.Struct, array_like=True):
    timezone: str
    url: str
    total: int
    liked: bool
    icon: str
    last_like: str | None
    webhook: str | None


@lua.script
class ToggleLike(Script[ShownLikes]):
    id: str
    visitor: str
    timezone: str
    now: str
    ttl: int


@lua.script
class ShowLike(Script[ShownLikes]):
    id: str
    visitor: str


@lua.script
class SetLike(OwnersScript):
    total: int | None
    icon: str | None


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


@lua.script
class ShowRanking(Script[ShownRanking]):
    id: str
    limit: int


@lua.script
class SubmitScore(Script[ShownRanking]):
    id: str
    visitor: str
    name: str
    score: float
    display: str | None
    now: int
    stamp: str
    limit: int


@lua.script
class SetScore(OwnersScript):
    name: str
    score: float
    display: str | None
    stamp: str


@lua.script
class RemoveEntry(OwnersScript):
    name: str


@lua.script
class ChangeRanking(OwnersScript):
    meta: dict[str, str]
    max_entries: int | None = None
    sort_order: str | None = None
    entries: str | None = None
    last_submit: str | None = None


class ShownBoard(msgspec.Struct, array_like=True):
    record: str
    page: int
    total: int
    messages: list[str]


@lua.script
class ShowBoard(Script[ShownBoard]):
    id: str
    page: int
    per: int | None
    oldest_first: bool


@lua.script
class PostMessage(Script[ShownBoard]):
    id: str
    visitor: str
    message_id: str
    message: str
    edit: str
    revision: int
    now: int
    stamp: str


class FoundMessage(msgspec.Struct, array_like=True):
    record: str
    message: str


@lua.script
class FindMessage(Script[FoundMessage]):
    id: str
    message_id: str


@lua.script
class EditMessage(Script[None]):
    id: str
    before: str
    after: str
    edit: str | None
    owner: str | None
    visitor: str | None
    revision: int


@lua.script
class DeleteMessage(Script[None]):
    id: str
    message_id: str
    edit: str | None
    owner: str | None
    visitor: str | None


@lua.script
class ChangeBoard(OwnersScript):
    settings: str | None = None
    revision: int | None = None
    messages: str | None = None
    last_message: str | None = None
