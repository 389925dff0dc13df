"""The Lua scripts as structs, made from the headers of `lua/*.lua`. `scripts.pyi` has their types."""

from pathlib import Path

from townsquare.services.accounts import keys, problems  # noqa: F401 - scripts refuse by their codes
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(keys.accounts, Path(__file__).parent / "lua", constants=keys)

globals().update(
    lua.declare_scripts(
        count_code_send="CodeSend",
        issue_code="IssuedCode",
        try_code="Tried",
        refresh_session="Refreshed",
    )
)
