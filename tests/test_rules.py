"""The rules of the house that no linter knows hold, and each fails on a bad sample."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

import townsquare
import townsquare.square
from tests.support import lints
from tests.toy.keys import toy
from townsquare.keyspace import DeclarationError, Owns
from townsquare.services import all_services, registry
from townsquare.store.scripts import LuaFolder, folder
from townsquare.store.scripts.folder import SCRIPTS, SHARED, folder_of
from townsquare.store.scripts.script import LuaScript

PROJECT = Path(__file__).parent.parent
SOURCE = Path(townsquare.__file__).parent
LONGEST_MODULE = 400
KEYS = list(registry())

Lint = Callable[[str], object]


def sources(pattern: str, below: Path = SOURCE) -> dict[str, str]:
    found = sorted(below.rglob(pattern))
    assert found
    return {path.relative_to(SOURCE).as_posix(): path.read_text() for path in found}


def broken(lint: Lint, sources: dict[str, str]) -> dict[str, object]:
    return {path: found for path, source in sources.items() if (found := lint(source))}


PYTHON, LUA = sources("*.py"), sources("*.lua")
OUTSIDE_KEYS = {
    path: text for path, text in PYTHON.items() if "keys" not in Path(path).with_suffix("").parts[-2:]
}


def too_long(source: str) -> bool:
    return lints.is_too_long(source, LONGEST_MODULE)


def test_a_module_has_one_idea() -> None:
    assert not broken(too_long, PYTHON | LUA)
    assert too_long("pass\n" * (LONGEST_MODULE + 1))


def keys_in_python(source: str) -> list[str]:
    return lints.keys_in_python(source, KEYS)


def keys_in_lua(source: str) -> list[str]:
    return lints.keys_in_lua(source, KEYS)


@pytest.mark.slow
def test_keys_are_spelled_in_keys_rooms_only() -> None:
    assert not broken(keys_in_python, OUTSIDE_KEYS)
    assert not broken(keys_in_lua, LUA)


@pytest.mark.parametrize(
    "sample",
    [
        'f"post:{id}"',
        '"post:%s:likes" % id',
        '"explore:feed"',
        '"tmp:home:" + username',
        '"provider:google:" + id',
        'f"{env}:social:post:{id}"',
        '"prod:social:{0a3}:explore:feed"',
    ],
)
def test_a_spelled_key_is_found_in_python(sample: str) -> None:
    assert keys_in_python(f'def name(id):\n    """Of post:1."""\n    return {sample}\n')


@pytest.mark.parametrize("sample", ["'post:' .. id", '"post:" .. id', "'explore:feed'", "[[user:]] .. id"])
def test_a_spelled_key_is_found_in_lua(sample: str) -> None:
    assert keys_in_lua(f"redis.call('DEL', {sample})")


def test_a_key_in_a_comment_is_no_key() -> None:
    assert not keys_in_python('"""Reads post:{id}."""\nNAME = "poster"  # post:{id}\n')
    assert not keys_in_lua("--[[ 'post:' ]]\nlocal kind = 'post'  -- 'post:'")


@pytest.mark.slow
def test_no_command_walks_or_empties_the_whole_store() -> None:
    assert not broken(lints.whole_store_in_python, PYTHON)
    assert not broken(lints.whole_store_in_lua, LUA)


@pytest.mark.parametrize(
    "sample",
    [
        'store.call("KEYS", "*")',
        '("FLUSHALL",)',
        'ask("FLUSHDB ASYNC")',
        'redis.keys("prod:*")',
        "redis.flushall()",
    ],
)
def test_a_command_on_the_whole_store_is_found_in_python(sample: str) -> None:
    assert lints.whole_store_in_python(sample)
    assert not lints.whole_store_in_python("names = fields.keys()")


@pytest.mark.parametrize(
    "sample", ["redis.call('KEYS', '*')", 'redis.call("flushall")', "redis.pcall('FLUSHDB')"]
)
def test_a_command_on_the_whole_store_is_found_in_lua(sample: str) -> None:
    assert lints.whole_store_in_lua(f"redis.{sample}")
    assert not lints.whole_store_in_lua("local first = KEYS[1]  -- not 'KEYS'")


@pytest.mark.slow
def test_no_collection_that_grows_is_read_whole() -> None:
    assert not broken(lints.whole_reads_in_python, PYTHON)
    assert not broken(lints.whole_reads_in_lua, LUA)


@pytest.mark.parametrize(
    "sample",
    [
        'store.call("SMEMBERS", likes(id))',
        '[("HGETALL", reasons(id))]',
        'store.call("LRANGE", messages(id), 0, -1)',
        'store.call("zrange", feed(), 5, -2, "WITHSCORES")',
        '[("ZREVRANGE", key, 0, -1) for key in feeds]',
        "store.call(verb, key, 0, -1)",
        'store.call("ZRANGEBYSCORE", key, "-inf", now)',
        'store.call("ZRANGE", key, "-inf", now, "BYSCORE")',
        'store.call("XRANGE", key, "-", "+")',
        "# bounded:\nstore.call('SMEMBERS', key)",
        "# bounded: the limit on follows\n\nstore.call('SMEMBERS', key)",
    ],
)
def test_a_whole_read_is_found_in_python(sample: str) -> None:
    assert lints.whole_reads_in_python(sample)


@pytest.mark.parametrize(
    "sample",
    [
        "redis.call('LRANGE', key.bbs_messages(id), 0, -1)",
        "redis.call('ZRANGE', key.watchers(name_of(user, ')')), 0, -1, 'WITHSCORES')",
        "redis.call('ZREVRANGE', name, 0,\n  -1)",
        "redis.call('SMEMBERS', key.post_likes(id))",
        'redis.pcall("hgetall", key.post_reasons(id))',
        "redis.call(down and 'ZREVRANGE' or 'ZRANGE', name, 0, -1)",
        "redis.call(BEST_FIRST[order], name, 0, -1, 'WITHSCORES')",
        "redis.call('ZRANGEBYSCORE', name, '-inf', now)",
        "--[[ bounded: by nothing ]]\nredis.call('SMEMBERS', name)",
    ],
)
def test_a_whole_read_is_found_in_lua(sample: str) -> None:
    assert lints.whole_reads_in_lua(f"local found = {sample}\n" if "--" not in sample else sample)


@pytest.mark.parametrize(
    "sample",
    [
        'store.call("ZRANGE", key, 0, 99)',
        'store.call("ZRANGE", key, -100, -1)',
        'store.call("LTRIM", key, 0, -2)',
        'store.call("SMEMBERS", key)  # bounded: at most 100',
        'KNOWN = {"SMEMBERS": set}',
    ],
)
def test_a_bounded_read_may_be_in_python(sample: str) -> None:
    assert not lints.whole_reads_in_python(sample)


@pytest.mark.parametrize(
    "sample",
    [
        "redis.call('ZRANGEBYSCORE', name, 0, now, 'LIMIT', 0, 10)",
        "redis.call('ZRANGE', name, 0, count - 1)",
        "-- bounded: at most 100\nredis.call('SMEMBERS', name)",
        "-- redis.call('SMEMBERS', name)",
    ],
)
def test_a_bounded_read_may_be_in_lua(sample: str) -> None:
    assert not lints.whole_reads_in_lua(sample)


def test_every_loop_in_lua_is_bounded() -> None:
    assert not broken(lints.unbounded_loops_in_lua, LUA)


@pytest.mark.parametrize(
    "sample",
    [
        "while #found > 0 do found = redis.call('SPOP', name, 9) end",
        "repeat first = first + 1 until first > count",
        "for _ = 1, math.huge do redis.call('LPOP', name) end",
        "::again:: goto again",
    ],
)
def test_an_unbounded_loop_is_found_in_lua(sample: str) -> None:
    assert lints.unbounded_loops_in_lua(sample)
    assert not lints.unbounded_loops_in_lua("-- while away\nfor _, id in ipairs(ids) do say('repeat') end")


def test_no_service_looks_at_the_layout() -> None:
    below = SOURCE / "services"
    assert not broken(lints.looks_at_the_layout, sources("*.py", below) | sources("*.lua", below))
    assert lints.looks_at_the_layout("if store.layout.clustered: ...")


def test_a_class_name_has_one_meaning() -> None:
    assert not lints.classes_defined_twice(PYTHON)
    assert lints.classes_defined_twice({"a.py": "class Page: ...", "b.py": "class Page(Struct): ..."})


READ_AS_TEXT = {  # assembled into every program, or run without a header
    *(SHARED / "include" / f"{name}.lua" for name in ("emit_plain", "emit_cluster", "encode")),
    *(SHARED / "templates" / f"{name}.lua" for name in ("delete_record", "general_deletion")),
    *(SHARED / f"{name}.lua" for name in ("take_claim", "release_claim")),
    *(
        SOURCE / "integrity" / "lua" / f"{name}.lua"
        for name in ("observe", "read", "read_many", "write_if_unchanged")
    ),
}


def unused(files: Iterable[Path], scripts: Iterable[LuaScript]) -> set[Path]:
    return set(files) - {file.path for script in scripts for file in script.files()}


def test_every_lua_file_is_a_script_or_included_by_one() -> None:
    for name in all_services():  # which import their scripts when they are built
        import_module(f"townsquare.services.{name}.scripts")
    for one in registry().relations:
        if isinstance(one, Owns):  # what deletes an owner is assembled when it is first asked for
            with suppress(DeclarationError):  # some are never deleted: products
                folder_of(one.owner, registry()).deleter_of(one.owner)
    assert unused(SOURCE.rglob("*.lua"), SCRIPTS.values()) == READ_AS_TEXT


def test_every_script_is_called_from_python_or_by_another_script() -> None:
    for name in all_services():
        import_module(f"townsquare.services.{name}.scripts")
    called = {other for one in SCRIPTS.values() for other in (*one.runs, *one.asks, *one.reads)}
    source = "".join(path.read_text() for path in SOURCE.rglob("*.py"))
    called |= {folder.snake(name) for name in re.findall(r"\b[A-Z]\w+", source)}
    scripts = {folder.snake(name) for one in folder.FOLDERS.values() for name in one.declared}
    uncalled = {name for name in scripts - called if not name.startswith("delete_")}
    assert not uncalled


SCRIPT = (
    "--[[\n  Does nothing.\n\n  Keys:   {key}(name)\n  Input:  name string\n  Output: nothing\n]]\nreturn\n"
)


@pytest.fixture
def lua(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LuaFolder:
    """A folder of its own, whose scripts no drainer finds."""
    monkeypatch.setattr(folder, "SCRIPTS", {})
    monkeypatch.setattr(folder, "FOLDERS", {})
    return LuaFolder(toy, tmp_path)


def test_a_lua_file_that_nobody_uses_is_found(lua: LuaFolder) -> None:
    for name in ("greet", "stray"):
        (lua.folder / f"{name}.lua").write_text(SCRIPT.format(key="person"))
    lua.script_of("greet")
    assert unused(lua.folder.rglob("*.lua"), folder.SCRIPTS.values()) == {lua.folder / "stray.lua"}


def test_a_script_with_an_undeclared_key_is_refused(lua: LuaFolder) -> None:
    (lua.folder / "greet.lua").write_text(SCRIPT.format(key="persona"))
    with pytest.raises(DeclarationError, match="no key 'persona' is declared"):
        lua.script_of("greet")
