"""The Lua scripts as structs, made from the headers of `lua/*.lua`. `scripts.pyi` has their types."""

from pathlib import Path

from townsquare.services.social import problems as problems  # the codes that scripts refuse with
from townsquare.services.social.keys import common, social
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(social, Path(__file__).parent / "lua", constants=common)

globals().update(
    lua.declare_scripts(
        view_profile="ProfileSeen",
        change_profile="ProfileChanged",
        begin_refresh_step="RefreshTaken",
        follow_user="Changed",
        unfollow_user="Changed",
        create_post="PostCreated",
        like_or_bookmark_post="Changed",
        unlike_or_unbookmark_post="Changed",
        begin_home_feed="HomeBegun",
    )
)
