"""Lua scripts: their headers, their typed signatures, and the text that Redis runs."""

from townsquare.store.scripts.folder import LuaFolder
from townsquare.store.scripts.script import RawReply, Script

__all__ = ["LuaFolder", "RawReply", "Script"]
