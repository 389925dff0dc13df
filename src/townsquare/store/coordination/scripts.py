"""The scripts of the store itself."""

import msgspec

from townsquare.store.keys import LONGEST_RETRY_MS, system
from townsquare.store.scripts.folder import SHARED, LuaFolder
from townsquare.store.scripts.script import Script

lua = LuaFolder(system, SHARED, {"LONGEST_RETRY_MS": LONGEST_RETRY_MS})


class TakenEffects(msgspec.Struct, array_like=True):
    held: bool
    effects: list[tuple[str, str]]


@lua.script
class TakeEffects(Script[TakenEffects]):
    bucket: str
    token: str
    lease_ms: int
    count: int
    applied: list[str]


class TakenJob(msgspec.Struct, array_like=True):
    taken: bool
    exists: bool
    kind: str
    args: str
    failed: bool


@lua.script
class TakeJob(Script[TakenJob]):
    id: str
    token: str
    lease_ms: int
    done: int
    error: str


class TakenTokens(msgspec.Struct, array_like=True):
    granted: int
    remaining: int


@lua.script
class TakeTokens(Script[TakenTokens]):
    per: str
    name: str
    who: str
    window: int
    count: int
    amount: int
    seconds: int
