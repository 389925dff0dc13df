from pathlib import Path
from typing import Any

import pytest

from tests.support.engines import Node
from tests.toy.keys import toy
from townsquare.keyspace import HOUR, DeclarationError, Layout
from townsquare.services.social import keys as social_keys
from townsquare.services.social.scripts import lua as social_lua
from townsquare.store.scripts import LuaFolder, Script, folder
from townsquare.store.scripts.assembly import assemble
from townsquare.store.scripts.constants import written_out

PLAIN = Layout("test")
FACTS = {
    "WEIGHT": 3,
    "SHARE": 0.5,
    "KIND": "it's\n",
    "EAGER": True,
    "COPIED": ("name", "city"),
    "lower": 1,
    "HOMES": {},
}
WEIGH = """--[[
  Says what Python has said.

  Keys:   person(name)
  Input:  name string
  Output: [string]
]]
return {{{said}}}
"""


class Weigh(Script[list[str]]):
    name: str


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts of these tests are not found by a drainer."""
    monkeypatch.setattr(folder, "SCRIPTS", {})
    monkeypatch.setattr(folder, "BY_STRUCT", {})


def program(place: Path, said: str) -> str:
    (place / "weigh.lua").write_text(WEIGH.format(said=said))
    lua = LuaFolder(toy, place, constants=FACTS)
    lua.script(Weigh)
    return assemble(lua.script_of("weigh"), PLAIN).text


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("const.WEIGHT * 2", [6]),
        ("tostring(const.SHARE)", [b"0.5"]),
        ("const.KIND", [b"it's\n"]),
        ("tostring(const.EAGER)", [b"true"]),
        ("const.COPIED[2]", [b"city"]),
        ("lifetime.visits", [HOUR]),
        ("'const.WEIGHT'", [b"const.WEIGHT"]),
    ],
)
def test_lua_reads_what_python_says(tmp_path: Path, data_node: Node, said: str, answer: list[Any]) -> None:
    assert data_node.ask("EVAL", program(tmp_path, said), 0, "ann") == answer


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("const.WIEGHT", r"weigh\.lua: there is no constant WIEGHT"),
        ("const.lower", r"weigh\.lua: there is no constant lower"),
        ("const.HOMES", r"weigh\.lua: HOMES is a dict, which Lua cannot be given"),
        ("lifetime.visit", r"weigh\.lua: no key 'visit' is declared, so it has no lifetime"),
        ("lifetime.person", r"weigh\.lua: person lives forever"),
    ],
)
def test_what_python_does_not_say_fails_at_import(tmp_path: Path, said: str, complaint: str) -> None:
    with pytest.raises(DeclarationError, match=complaint):
        program(tmp_path, said)


def test_constants_may_be_a_module(tmp_path: Path) -> None:
    assert written_out("const.LIKE_WEIGHT", "x.lua", social_keys.common, toy) == "3"


def test_another_weight_of_a_like_is_one_edit() -> None:
    weights = {**vars(social_keys.common), "LIKE_WEIGHT": 7}
    lua = LuaFolder(social_lua.keyspace, social_lua.folder, constants=weights)
    for name in ("like_or_bookmark_post", "unlike_or_unbookmark_post", "set_comments", "import_likes"):
        assert "likes * 7 + comments * 5 + bookmarks * 4" in assemble(lua.script_of(name), PLAIN).text
