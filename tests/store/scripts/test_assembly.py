import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import townsquare.square  # noqa: F401 - imports every service, and so every script
from tests.support.engines import Node
from tests.toy.keys import person, toy, visits
from tests.toy.service import Follow
from townsquare.keyspace import DeclarationError, Layout
from townsquare.store.scripts.assembly import Program, assemble
from townsquare.store.scripts.folder import BY_STRUCT, SCRIPTS, LuaFolder
from townsquare.store.scripts.script import Script

PLAIN, CLUSTER = Layout("test"), Layout("test", clustered=True)
LAYOUTS = pytest.mark.parametrize("layout", [PLAIN, CLUSTER], ids=["plain", "cluster"])

NOT_CODE = re.compile(r"--\[\[.*?\]\]|--[^\n]*|'[^'\n]*'", re.DOTALL)
INTRODUCED_OR_CALLED = re.compile(
    r"local function (\w+)\(([^)]*)\)"
    r"|function\(([^)]*)\)"
    r"|(?:local|for) ([\w, ]+?) (?:=|in\b)"
    r"|(?<![\w.:])([A-Za-z_]\w*)\("
)
WRITTEN_OUT = re.compile(r"\b(?:key|there)\.")  # such a line reads otherwise in the program
OF_LUA = {"ipairs", "next", "pairs", "tonumber", "tostring", "type", "unpack"}

GREET = """--[[
  Greet somebody.

  Keys:    person(name), visits(name, *)
  Effects: city_people(*)
  Input:   name string, city string
  Output:  [string]
  Include: manners
]]
{body}
"""
MANNERS = """--[[
  nod(name), bow(name), curtsy(name)

  Keys: person(*)
]]
local function nod(name)
  return redis.call('HGET', key.person(name), 'display')
end

local function bow(name)
  return nod(name)
end

local function curtsy(name)
  return missing.name
end
"""


class Greet(Script[list[str]]):
    name: str
    city: str


@pytest.fixture
def greet(tmp_path: Path) -> Iterator[Callable[[str, Layout], Program]]:
    """The program of a script with this body."""

    def assembled(body: str, layout: Layout = PLAIN) -> Program:
        (tmp_path / "include").mkdir(exist_ok=True)
        (tmp_path / "include" / "manners.lua").write_text(MANNERS)
        (tmp_path / "greet.lua").write_text(GREET.format(body=body))
        LuaFolder(toy, tmp_path).script(Greet)
        return assemble(BY_STRUCT[Greet], layout)

    yield assembled
    BY_STRUCT.pop(Greet, None)
    SCRIPTS.pop("toy.greet", None)


@pytest.mark.slow
@LAYOUTS
def test_every_program_compiles(layout: Layout, data_node: Node) -> None:
    programs = [assemble(script, layout) for script in BY_STRUCT.values()]
    assert [data_node.ask("SCRIPT", "LOAD", program.text).decode() for program in programs] == [
        program.sha for program in programs
    ]


@LAYOUTS
def test_every_function_of_a_program_is_defined_before_it_is_called(layout: Layout) -> None:
    for script in BY_STRUCT.values():
        known = set(OF_LUA)
        for found in INTRODUCED_OR_CALLED.finditer(NOT_CODE.sub("''", assemble(script, layout).text)):
            *introduced, called = found.groups()
            known.update(name.strip() for names in introduced if names for name in names.split(","))
            assert called is None or called in known, f"{script.full_name} calls {called}"


@LAYOUTS
def test_every_line_tells_where_it_is_from(layout: Layout) -> None:
    for script in BY_STRUCT.values():
        files = {file.path.name: file.source.split("\n") for file in script.files()}
        for line, place in assemble(script, layout).lines:
            name, _, number = place.partition(":")
            if name in files and not WRITTEN_OUT.search(files[name][int(number) - 1]):
                assert line in (files[name][int(number) - 1], "")


@LAYOUTS
def test_a_key_is_named_as_in_python(layout: Layout, data_node: Node, greet: Callable[..., Program]) -> None:
    program = greet("local all = {name, city}\nreturn {key.person(name), key.visits(all[1], city)}", layout)
    keys = [person("a b"), visits("a b", "{c}:日本")]
    home = [f"{{{keys[0].bucket}}}:", 0] if layout.clustered else []
    answer = data_node.ask("EVAL", program.text, 0, *home, "a b", "{c}:日本")
    names = answer[1] if layout.clustered else answer
    assert [name.decode() for name in names] == [layout.name(key) for key in keys]
    assert "local key" not in program.text


def test_a_key_of_another_home_is_for_the_drainer(greet: Callable[..., Program]) -> None:
    body = "emit('SADD', key.city_people(city), name)"
    assert "emit('SADD', {'toy.city_people', city}, name)" in greet(body, CLUSTER).text
    assert "('test:toy:city:' .. encode_text(city) .. ':people')" in greet(body, PLAIN).text


@pytest.mark.parametrize(
    "body",
    [
        "return {key.person(string.lower(name))}",
        "local build = key.person\nreturn {build(name)}",
        "local kind = 'person'\nreturn {key[kind](name)}",
    ],
)
def test_a_key_of_an_expression_or_by_name_is_built(
    body: str, data_node: Node, greet: Callable[..., Program]
) -> None:
    program = greet(body)
    assert data_node.ask("EVAL", program.text, 0, "ann", "") == [b"test:toy:person:ann"]
    assert ("key.visits = " in program.text) == ("key[kind]" in body)


@pytest.mark.parametrize("named", ["key.persona(name)", "key.person(name, city)", "key.city_people()"])
@LAYOUTS
def test_a_key_that_no_header_names_so_is_refused(
    named: str, layout: Layout, greet: Callable[..., Program]
) -> None:
    with pytest.raises(DeclarationError, match=re.escape(named)):
        greet(f"return {{{named}}}", layout)


@pytest.mark.parametrize(
    ("body", "defined"),
    [
        ("return {name}", ["main"]),
        ("return {nod(name)}", ["percent", "encode_wide_spaces", "encode_text", "nod", "main"]),
        ("return {bow(name)}", ["percent", "encode_wide_spaces", "encode_text", "nod", "bow", "main"]),
        ("emit('SADD', {'toy.city_people', city}, name)", ["hand_over", "emit", "main"]),
    ],
)
def test_functions_that_a_program_does_not_name_are_left_out(
    body: str, defined: list[str], greet: Callable[..., Program]
) -> None:
    assert re.findall(r"^local function (\w+)", greet(body, CLUSTER).text, re.MULTILINE) == defined


def test_an_error_names_its_line_also_after_functions_that_were_left_out(
    data_node: Node, greet: Callable[..., Program]
) -> None:
    program = greet("return {curtsy(name)}")
    place = MANNERS.split("\n").index("  return missing.name") + 1
    assert "local function bow" not in program.text
    with pytest.raises(Exception, match="user_script:") as raised:
        data_node.ask("EVAL", program.text, 0, "ann", "")
    assert f"manners.lua:{place}:" in program.explain(str(raised.value))


def test_what_scripts_share_is_in_a_program_once() -> None:
    text = assemble(BY_STRUCT[Follow], PLAIN).text
    assert text.count("local function staying(") == 1
