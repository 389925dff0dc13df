"""Signatures of the Lua scripts of the cache."""

from pathlib import Path

from townsquare.cache import keys
from townsquare.store.scripts import LuaFolder, Script

lua = LuaFolder(keys.cache, Path(__file__).parent / "lua")


@lua.script
class TakeLock(Script[bool]):
    service: str
    name: str
    token: str
    seconds: int


@lua.script
class RenewLock(TakeLock):
    pass


@lua.script
class ReleaseLock(Script[bool]):
    service: str
    name: str
    token: str
    outcome: str
