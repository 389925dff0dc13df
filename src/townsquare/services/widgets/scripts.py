"""The Lua scripts as structs, made from the headers of `lua/*.lua`. `scripts.pyi` has their types."""

from pathlib import Path

from townsquare.services.widgets import keys, problems  # noqa: F401 - the scripts refuse by their codes
from townsquare.services.widgets.script_types import CreatedWidget, ShownRanking
from townsquare.store.scripts import LuaFolder

lua = LuaFolder(keys.widgets, Path(__file__).parent / "lua", constants=keys)

globals().update(
    lua.declare_scripts(
        create_widget=CreatedWidget,
        count_visit="ShownCounter",
        show_counter="ShownCounter",
        show_history="ShownHistory",
        toggle_like="ShownLikes",
        show_like="ShownLikes",
        show_ranking=ShownRanking,
        submit_score=ShownRanking,
        show_board="ShownBoard",
        post_message="ShownBoard",
        find_message="FoundMessage",
    )
)
