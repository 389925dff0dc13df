"""The Lua scripts as structs, made from the headers of `lua/*.lua`. `scripts.pyi` has their types."""

from pathlib import Path

from townsquare.services.images import keys, problems  # noqa: F401 - the scripts refuse by their codes
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(keys.images, Path(__file__).parent / "lua", constants=keys)

globals().update(lua.declare_scripts())
