from pathlib import Path

import msgspec

from townsquare.services.social.keys import common, social
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(social, Path(__file__).parent.parent / "lua", constants=common)


class Changed(msgspec.Struct, array_like=True):
    changed: bool
    count: int
