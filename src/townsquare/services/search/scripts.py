"""The signatures of the Lua scripts."""

from datetime import date
from pathlib import Path

from townsquare.services.search import keys
from townsquare.store.scripts import LuaFolder, Script

lua = LuaFolder(keys.search, Path(__file__).parent / "lua")


@lua.script
class SwapTrending(Script[int]):
    ids: list[int]
    day: date


@lua.script
class CountFilmView(Script[int]):
    day: date
    film_id: int
    visitor: str
