"""The Lua scripts of this service as typed structs; made by `scripts/generate` from `lua/*.lua`."""

from typing import Any

from townsquare.store.scripts import LuaFolder, Script

lua: LuaFolder

class DeleteImage(Script[bool], kw_only=True):
    """Delete the record of an image; with `unused_only`, only if nothing uses it."""

    user_id: str
    id: str
    unused_only: bool

class SaveImage(Script[None], kw_only=True):
    """Record an image whose files are stored."""

    user_id: str
    id: str
    record: str

class UseImage(Script[bool], kw_only=True):
    """Note that an image is used, so that it is not deleted as abandoned."""

    user_id: str
    id: str
