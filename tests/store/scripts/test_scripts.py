import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import assert_clean
from tests.toy.keys import Person, followers, note_likes, person, toy
from tests.toy.service import Follow, LikeNote, NoSuchNote, Stumble, Toy
from townsquare.keyspace import DeclarationError, Layout, mint_id
from townsquare.store.scripts import RawReply, folder
from townsquare.store.scripts.assembly import LuaText, assemble
from townsquare.store.scripts.folder import BY_STRUCT, LuaFolder
from townsquare.store.scripts.script import Script
from townsquare.store.wire.connection import ReplyError
from townsquare.store.wire.nodes import Nodes


async def test_a_script_answers_its_type(service: Toy) -> None:
    await service.join("ann")
    assert await service.store.run(Follow(name="ann", other="bob")) == 1


async def test_a_refusal_is_a_problem_of_the_domain(service: Toy) -> None:
    with pytest.raises(NoSuchNote):
        await service.store.run(LikeNote(id=mint_id("0a3"), who="ann"))


async def test_many_scripts_in_one_round_trip_have_refusals_as_values(service: Toy) -> None:
    await service.join("ann")
    id, missing = await service.write("ann", "hello"), mint_id("0a3")
    liked, refused = await service.store.run_many(
        [LikeNote(id=id, who="bob"), LikeNote(id=missing, who="bob")]
    )
    assert liked == 1
    assert isinstance(refused, NoSuchNote)


async def test_scripts_with_effects_are_run_one_by_one(service: Toy) -> None:
    with pytest.raises(DeclarationError, match=r"toy\.follow has effects"):
        await service.store.run_many([Follow(name="ann", other="bob")])


async def test_scripts_run_although_redis_forgets_them_before_every_command(
    service: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another user's `SCRIPT FLUSH` may at any moment."""
    for side in service.store.role_stores.values():
        for verb in ("execute", "execute_many"):
            monkeypatch.setattr(side.nodes, verb, forgetful(side.nodes, getattr(side.nodes, verb)))
    await service.join("ann", email="ann@example.org", city="rome")
    id = await service.write("ann", "hello", "a", "b")
    assert await service.like(id, "cyd") == 1
    assert await service.store.run_many([LikeNote(id=id, who="dan"), LikeNote(id=id, who="eve")]) == [2, 3]
    assert await service.store.evaluate(LuaText("return redis.call('TYPE', KEYS[1])['ok']"), note_likes(id))
    await service.join("bob")
    assert await service.follow("ann", "bob") == 1
    assert await service.store.call("SMEMBERS", followers("bob")) == [b"ann"]  # bounded: one
    await service.leave("ann")
    await assert_clean(service.store)


def forgetful(nodes: Nodes, send: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def forget_and_send(*args: Any) -> Any:
        for node in nodes.connections():
            await node.execute("SCRIPT", "FLUSH")
        return await send(*args)

    return forget_and_send


async def test_an_error_in_lua_names_file_and_line(service: Toy) -> None:
    with pytest.raises(ReplyError, match=r"toy\.stumble: .*stumble\.lua:9: .*nil value"):
        await service.store.run(Stumble(name="ann"))


@pytest.mark.parametrize("clustered", [False, True])
def test_every_program_is_the_same_every_time(clustered: bool) -> None:
    layout = Layout("test", clustered)
    for script in BY_STRUCT.values():
        assert assemble(script, layout).sha == assemble(script, layout).sha


WORKS = """--[[
  Does nothing.

  Keys:   person(name)
  Input:  name string, count integer?
  Output: nothing
  Errors: no_such_person
]]
return refuse('no_such_person')
"""


class Good(Script[None]):
    name: str
    count: int | None


class Empty(Script[None]):
    name: str


class Silent(Script):  # type: ignore[type-arg]
    name: str
    count: int | None


def load(folder: Path, source: str, struct: Any = Good) -> None:
    (folder / f"{struct.__name__.lower()}.lua").write_text(source)
    LuaFolder(toy, folder).script(struct)


def test_a_header_and_its_struct_agree(tmp_path: Path) -> None:
    load(tmp_path, WORKS)
    assert BY_STRUCT.pop(Good).inputs == (("name", "string"), ("count", "integer?"))


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("--[[", "-- [[", r"good\.lua does not begin with a --\[\[ header \]\]"),
        ("person(name)", "persona(name)", r"good\.lua: no key 'persona' is declared"),
        ("person(name)", "person(name, count)", r"good\.lua: person takes \(name\)"),
        ("person(name)", "person(*)", "no key of its home follows from its inputs"),
        ("person(name)", "person", r"cannot read 'person'; write keys as name\(parameter, …\)"),
        ("person(name)", "person(name), preview(name)", "keys of two roles cannot be in one script"),
        ("name string,", "name,", "input 'name' has no type"),
        (", count integer?", "", r"Input: is \[\('name', 'string'\)\], Good has"),
        ("integer?", "integer", r"Input: is .* Good has"),
        ("integer?", "int", r"an input cannot be of type \['int'\]"),
        ("Errors: no_such_person", "Errors: nothing", r"Errors: says \['nothing'\], it refuses"),
        ("no_such_person", "no_such_thing", r"no Problem has code \['no_such_thing'\]"),
        ("Output: nothing", "Output: nothing\n  Output: more", "two sections Output:"),
        ("Output: nothing", "Output: nothing\n  Derives: elsewhere", "Derives elsewhere, not among its keys"),
        ("Output: nothing", "Output: nothing\n  Runs: walk", r"there is no script toy\.walk"),
        ("Output: nothing", "Output: nothing\n  Include: walk", r"there is no .*walk\.lua"),
    ],
)
def test_a_wrong_header_fails_at_import(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    with pytest.raises(DeclarationError, match=complaint):
        load(tmp_path, WORKS.replace(before, after))


def test_a_script_without_its_file_fails_at_import(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"there is no .*/good\.lua"):
        LuaFolder(toy, tmp_path).script(Good)


def test_a_script_says_what_it_answers(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="Silent does not say what it answers"):
        load(tmp_path, WORKS, Silent)


def test_a_struct_with_fewer_fields_fails_at_import(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="Empty has"):
        load(tmp_path, WORKS, Empty)


PING = """--[[
  Runs the other one, so many times.

  Keys:    person({first})
  Runs:    {other}
  Input:   {first} string, left integer
  Output:  nothing
  Include: noted
]]
note({first}, left)
if left > 0 then run.{other}({first}, left - 1) end
"""
NOTED = """--[[
  note(name, left)

  Keys:    person(*)
  Runs:    note_city
]]
local function note(name, left)
  redis.call('HSET', key.person(name), 'name', name, 'display', name, 'joined_at', left)
  run.note_city(name)
end
"""
NOTE_CITY = """--[[
  Runs nothing itself.

  Keys:    person(name)
  Input:   name string, city string?
  Output:  nothing
]]
redis.call('HSET', key.person(name), 'city', city or 'nowhere')
"""


class Ping(Script[None]):
    name: str
    left: int


@pytest.fixture
def rally(tmp_path: Path) -> Path:
    """Two scripts that run each other; what they include runs a third."""
    (tmp_path / "effects").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "ping.lua").write_text(PING.format(first="name", other="pong"))
    (tmp_path / "effects" / "pong.lua").write_text(PING.format(first="who", other="ping"))
    (tmp_path / "effects" / "note_city.lua").write_text(NOTE_CITY)
    (tmp_path / "include" / "noted.lua").write_text(NOTED)
    return tmp_path


async def test_scripts_without_a_struct_may_run_each_other(service: Toy, rally: Path) -> None:
    LuaFolder(toy, rally).script(Ping)
    await service.store.run(Ping(name="ann", left=3))
    ann = await service.store.get(person("ann"))
    assert ann == Person(name="ann", display="ann", joined_at=0, city="nowhere")


@pytest.mark.parametrize("clustered", [False, True])
def test_what_is_run_is_left_out_where_nothing_names_it(clustered: bool, rally: Path) -> None:
    (rally / "ping.lua").write_text(
        WORKS.replace("count integer?", "left integer").replace("Output:", "Include: noted\n  Output:")
    )
    LuaFolder(toy, rally).script(Ping)
    assert "run" not in assemble(BY_STRUCT[Ping], Layout("test", clustered)).text.split("]]")[-1]


@pytest.mark.parametrize("file", ["ping.lua", "effects/pong.lua", "include/noted.lua"])
def test_a_typo_in_what_is_run_fails_at_import(rally: Path, file: str) -> None:
    path = rally / file
    path.write_text(re.sub("Runs:    [a-z_]+", "Runs:    walk", path.read_text()))
    with pytest.raises(DeclarationError, match=rf"{path.name}: there is no script toy\.walk"):
        LuaFolder(toy, rally).script(Ping)


def test_values_from_another_script_have_the_types_of_the_header(rally: Path) -> None:
    script = LuaFolder(toy, rally).script_of("pong")
    assert script.values_from_json('["ann", "7"]') == ("ann", 7)
    assert LuaFolder(toy, rally).script_of("note_city").values_from_json('["ann"]') == ("ann", None)
    for wrong in ('["ann"]', '["ann", "x"]', '["ann", 1, 2]'):
        with pytest.raises(msgspec.ValidationError):
            script.values_from_json(wrong)


def test_an_empty_lua_table_is_an_empty_list(rally: Path) -> None:
    path = rally / "effects" / "pong.lua"
    path.write_text(re.sub(r"(Input: .*)", r"\1, names [string]", path.read_text(), count=1))
    script = LuaFolder(toy, rally).script_of("pong")
    assert script.values_from_json('["ann", 7, {}]') == ("ann", 7, [])
    with pytest.raises(msgspec.ValidationError):
        script.values_from_json('["ann", {}, []]')


MEET = """--[[
  Says when people met.

  Keys:   person(name)
  Input:  name string, now integer, note string?
  Output: {output}
]]
return now
"""


@pytest.mark.parametrize(
    ("output", "type_"),
    [("at integer", int), ("at integer, note string", RawReply), ("[string] notes, or nothing", list[str])],
)
def test_a_struct_follows_from_the_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, type_: Any
) -> None:
    for registered in ("SCRIPTS", "BY_STRUCT", "FOLDERS"):
        monkeypatch.setattr(folder, registered, {})
    (tmp_path / "meet.lua").write_text(MEET.format(output=output))
    lua = LuaFolder(toy, tmp_path)
    meet: Any = lua.declare_scripts()["Meet"]
    script, clock = lua.script_of("meet"), PinnedClock("1970-01-01T00:00:00.007Z")
    assert script.answers == type_
    assert script.values_of(meet(name="ann"), clock) == ("ann", 7, None)
    assert script.values_of(meet(name="ann", now=5, note="x"), clock) == ("ann", 5, "x")
    with pytest.raises(TypeError):
        meet()
    with pytest.raises(DeclarationError, match="no script"):
        lua.declare_scripts(greet=int)


def test_a_result_is_a_struct_of_the_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for registered in ("SCRIPTS", "BY_STRUCT", "FOLDERS"):
        monkeypatch.setattr(folder, registered, {})
    for name, output in (
        ("meet", "at integer (when), note string?; nothing if nobody comes"),
        ("join", "at integer, note string?"),
        ("part", "at integer"),
    ):
        (tmp_path / f"{name}.lua").write_text(MEET.format(output=output))
    lua = LuaFolder(toy, tmp_path)
    made: Any = lua.declare_scripts(meet="Met", join="Met")
    assert lua.script_of("join").answers is lua.script_of("meet").answers is made["Met"]
    assert lua.script_of("meet").decode([7, None]) == made["Met"](7, None)
    with pytest.raises(DeclarationError, match=r"part\.lua: another script has other outputs for Met"):
        lua.declare_scripts(meet="Met", part="Met")
    (tmp_path / "rest.lua").write_text(MEET.format(output="rows of names"))
    with pytest.raises(DeclarationError, match=r"rest\.lua: Output: is not a list of names and types"):
        LuaFolder(toy, tmp_path).declare_scripts(rest="Rows")
