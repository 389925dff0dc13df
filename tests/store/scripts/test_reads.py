"""`Reads`: a script that needs the answer of a script of another home."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.store.client_cache.world import commands, forget_commands
from tests.store.scripts.test_scripts import forgetful
from tests.support.engines import Cluster, Node
from tests.support.squares import Place
from tests.toy.keys import toy
from tests.toy.service import Toy
from townsquare.keyspace import DeclarationError, Layout
from townsquare.store.scripts.assembly import assemble
from townsquare.store.scripts.folder import BY_STRUCT, LuaFolder
from townsquare.store.scripts.script import RawReply, Script

READ_NEWEST = """--[[
  Everybody by the time of joining, and whom of them somebody follows.

  Keys:   people_joined()
  Reads:  followed_among
  Input:  who string?, count integer
  Output: names [string], followed_among json, count integer
]]
local names = count > 0 and redis.call('ZRANGE', key.people_joined(), 0, count - 1) or {}
return {names, who and read.followed_among(who, names) or false, #names}
"""
FOLLOWED_AMONG = """--[[
  Whom of these somebody follows.

  Keys:   follows(who)
  Input:  who string, names json
  Output: names [string]
]]
local found = {}
for _, name in ipairs(names) do
  if redis.call('SISMEMBER', key.follows(who), name) == 1 then found[#found + 1] = name end
end
return {found}
"""


class Newest(msgspec.Struct, array_like=True):
    names: list[str]
    followed_among: RawReply | None
    count: int


class ReadNewest(Script[Newest]):
    who: str | None
    count: int


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "read_newest.lua").write_text(READ_NEWEST)
    (tmp_path / "followed_among.lua").write_text(FOLLOWED_AMONG)
    return tmp_path


@pytest.fixture
async def people(service: Toy, folder: Path) -> Toy:
    """Three people, of whom ann follows two; with the script loaded."""
    for name in ("ann", "bob", "cyd"):
        await service.join(name)
    for name in ("bob", "cyd"):
        await service.follow("ann", name)
    LuaFolder(toy, folder).script(ReadNewest)
    return service


@pytest.fixture
def nodes(place: Place, request: pytest.FixtureRequest) -> list[Node]:
    if place.name == "cluster":
        cluster: Cluster = request.getfixturevalue("cluster")
        return cluster.nodes
    return [request.getfixturevalue("data_node")]


@pytest.mark.parametrize(
    ("who", "count", "answer"),
    [
        ("ann", 9, Newest(["ann", "bob", "cyd"], [["bob", "cyd"]], 3)),
        ("ann", 2, Newest(["ann", "bob"], [["bob"]], 2)),
        ("bob", 9, Newest(["ann", "bob", "cyd"], [[]], 3)),
        ("ann", 0, Newest([], [[]], 0)),
        (None, 9, Newest(["ann", "bob", "cyd"], None, 3)),
    ],
)
async def test_the_answer_of_the_other_script_is_an_output(
    people: Toy, who: str | None, count: int, answer: Newest
) -> None:
    assert await people.store.run(ReadNewest(who=who, count=count)) == answer


async def test_it_is_one_step_on_one_node_and_two_on_a_cluster(
    people: Toy, nodes: list[Node], place: Place
) -> None:
    steps = {}
    for who in ("ann", None):
        await people.store.run(ReadNewest(who=who, count=9))  # the scripts are loaded
        forget_commands(nodes)
        await people.store.run(ReadNewest(who=who, count=9))
        steps[who] = commands(nodes)["evalsha"]
    assert steps == {"ann": 2 if place.name == "cluster" else 1, None: 1}


async def test_both_scripts_run_although_redis_forgets_them(
    people: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = people.store.role_stores[BY_STRUCT[ReadNewest].role].nodes
    monkeypatch.setattr(data, "execute", forgetful(data, data.execute))
    found = await people.store.run(ReadNewest(who="ann", count=9))
    assert found.followed_among == [["bob", "cyd"]]


async def test_many_of_them_are_not_run_at_once_with_half_an_answer(people: Toy) -> None:
    """`run_many` is one round trip to each node: there is no second one for the other script."""
    calls = [ReadNewest(who=who, count=9) for who in ("ann", "bob")]
    try:
        found: list[Any] = list(await people.store.run_many(calls))
    except DeclarationError:
        return
    assert [one.followed_among for one in found] == [[["bob", "cyd"]], [[]]]


@pytest.mark.parametrize("clustered", [False, True])
def test_the_other_script_is_in_the_program_of_one_node_alone(folder: Path, clustered: bool) -> None:
    LuaFolder(toy, folder).script(ReadNewest)
    program = assemble(BY_STRUCT[ReadNewest], Layout("test", clustered)).text
    assert ("SISMEMBER" in program) is not clustered


WITH_EFFECTS = "  Effects: followers(who)\n  Output:"
WRITES = "redis.call('SADD', key.follows(who), 'dan')\nreturn"


@pytest.mark.parametrize(
    ("file", "before", "after", "complaint"),
    [
        ("read_newest", "followed_among json, ", "", "followed_among must be one of the outputs"),
        ("read_newest", "Reads:  followed_among", "Reads:  walk", r"there is no script toy\.walk"),
        ("read_newest", "  Output:", "  Relations: person\n  Output:", "must only read"),
        ("followed_among", "  Output:", WITH_EFFECTS, "must only read"),
        ("followed_among", "return", WRITES, "writes"),
        ("followed_among", "follows(who)", "preview(who)", "reads keys of another role"),
    ],
    ids=[
        "no output",
        "no script",
        "with relations",
        "other with effects",
        "other writes",
        "two roles",
    ],
)
def test_a_wrong_read_fails_at_import(
    folder: Path, file: str, before: str, after: str, complaint: str
) -> None:
    path = folder / f"{file}.lua"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(DeclarationError, match=complaint):
        LuaFolder(toy, folder).script(ReadNewest)


def test_the_other_script_may_not_refuse(folder: Path) -> None:
    path = folder / "followed_among.lua"
    refusing = path.read_text().replace(
        "]]\nlocal",
        "  Errors: no_such_person\n]]\nif not names then return refuse('no_such_person') end\nlocal",
    )
    path.write_text(refusing)
    with pytest.raises(DeclarationError, match="must only read"):
        LuaFolder(toy, folder).script(ReadNewest)


def test_the_other_script_may_not_read_others(folder: Path) -> None:
    path = folder / "followed_among.lua"
    nested = path.read_text().replace("  Output:", "  Reads:  glance\n  Output: glance json,")
    path.write_text(nested)
    (folder / "glance.lua").write_text(FOLLOWED_AMONG)
    with pytest.raises(DeclarationError, match="must only read"):
        LuaFolder(toy, folder).script(ReadNewest)
