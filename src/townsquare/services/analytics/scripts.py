"""The signatures of the Lua scripts."""

from pathlib import Path

import msgspec

from townsquare.services.analytics import keys
from townsquare.services.analytics import problems as problems  # scripts refuse by their codes
from townsquare.store.scripts import LuaFolder, Script

lua = LuaFolder(keys.analytics, Path(__file__).parent / "lua", constants=keys)


class PlacedEvent(msgspec.Struct, omit_defaults=True, kw_only=True):
    """An event as the script takes it, with the periods and the shelf that count it."""

    id: str  # ours
    given: str = ""  # the client's
    kind: str
    at: int
    what: str
    value: int | None = None
    shelf: int | None = None
    day: str
    hour: str
    week: str
    month: str
    entry: str
    raw: str = ""


@lua.script
class RecordEvents(Script[tuple[int, int]]):
    actor: str
    source: str
    events: list[PlacedEvent]
    ttls: dict[str, int]
    figures_ttls: dict[str, int]
    now: int


class OldStep(msgspec.Struct):
    entry: str
    id: str
    kind: str
    day: str
    at: int


@lua.script
class DeleteEvents(Script[None]):
    actor: str
    steps: list[OldStep]
