"""The signatures of the guest book's Lua."""

from pathlib import Path

from guestbook.keys import guestbook
from townsquare.store.scripts import LuaFolder, Script

lua = LuaFolder(guestbook, Path(__file__).parent / "lua")


@lua.script
class WriteEntry(Script[int]):
    id: str
    user_id: str
    document: str
    now: int


@lua.script
class NameGuest(Script[None]):
    user_id: str
    name: str | None
