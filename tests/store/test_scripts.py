from pathlib import Path
from typing import Any

import pytest

from tests.toy.keys import toy
from tests.toy.service import Follow, LikeNote, NoSuchNote, Stumble, Toy
from townsquare.keyspace import DeclarationError, Layout, mint_id
from townsquare.store.scripts.assembly import assemble
from townsquare.store.scripts.folder import BY_STRUCT, LuaFolder, Script
from townsquare.store.wire.connection import ReplyError


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


async def test_a_script_that_redis_forgot_is_loaded_again(service: Toy) -> None:
    await service.join("ann")
    id = await service.write("ann", "hello")
    assert await service.like(id, "bob") == 1
    for side in service.store.sides.values():
        for node in side.nodes.connections():
            await node.execute("SCRIPT", "FLUSH")
    assert await service.like(id, "cyd") == 2
    for side in service.store.sides.values():
        for node in side.nodes.connections():
            await node.execute("SCRIPT", "FLUSH")
    assert await service.store.run_many([LikeNote(id=id, who="dan"), LikeNote(id=id, who="eve")]) == [3, 4]


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
        ("name string, ", "", r"Input: is \[\('count', 'integer\?'\)\], Good has"),
        ("integer?", "integer", r"Input: is .* Good has"),
        ("Errors: no_such_person", "Errors: nothing", r"Errors: says \['nothing'\], it refuses"),
        ("no_such_person", "no_such_thing", r"no Problem has code \['no_such_thing'\]"),
        ("Output: nothing", "Output: nothing\n  Output: more", "two sections Output:"),
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
