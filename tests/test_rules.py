"""The rules of the house that no linter knows."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest.mock import Mock

import townsquare
from townsquare.cli.settings import as_markdown as settings_table
from townsquare.integrity.reference import rows
from townsquare.integrity.render import as_markdown
from townsquare.keyspace.declare import PLACEHOLDER
from townsquare.services import registry
from townsquare.store.coordination.jobs import Jobs
from townsquare.store.scripts.folder import SCRIPTS
from townsquare.store.store import Store

PROJECT = Path(__file__).parent.parent
SOURCE = Path(townsquare.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
LUA = sorted(SOURCE.rglob("*.lua"))
LONGEST_MODULE = 500

COMMENT = re.compile(r"--\[\[.*?\]\]|--[^\n]*", re.DOTALL)
LUA_STRING = re.compile(r"'([^'\n]*)'")
WHOLE_STORE = {"KEYS", "FLUSHALL", "FLUSHDB"}
WHOLE_LIST = re.compile(r"'L?RANGE'[^)]*,\s*0,\s*-1\s*\)")


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_the_key_reference_is_fresh() -> None:
    fresh = as_markdown(rows(registry())) + "\n"
    kept = (PROJECT / "docs" / "keys.md").read_text()
    assert kept == fresh, "renew it: townsquare keys --format markdown > docs/keys.md"


def test_a_module_has_one_idea() -> None:
    assert not [relative(path) for path in MODULES if len(path.read_text().splitlines()) > LONGEST_MODULE]


def test_keys_are_spelled_in_keys_modules_only() -> None:
    elsewhere = [path for path in MODULES if path.name != "keys.py" and path.parent.name != "keys"]
    assert not {relative(path): spelled for path in elsewhere if (spelled := names_of_keys(literals(path)))}


def test_no_command_walks_or_empties_the_whole_store() -> None:
    assert not [relative(path) for path in MODULES if WHOLE_STORE & set(literals(path))]


def test_lua_spells_no_key_and_reads_no_whole_collection() -> None:
    code = {relative(path): COMMENT.sub("", path.read_text()) for path in LUA}
    texts = {path: LUA_STRING.findall(text) for path, text in code.items()}
    assert not {path: spelled for path, found in texts.items() if (spelled := names_of_keys(found))}
    assert not [path for path, found in texts.items() if WHOLE_STORE & set(found)]
    assert not [path for path, text in code.items() if WHOLE_LIST.search(text)]


def names_of_keys(texts: Iterable[str]) -> list[str]:
    """Those that begin as a declared key does: `counter:`, `url:`, …"""
    starts = {PLACEHOLDER.split(declared.pattern)[0] for declared in registry()}
    telling = tuple(start for start in starts if start.endswith(":") and start.count(":") == 1)
    return [text for text in texts if text.startswith(telling)]


def literals(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def test_every_lua_file_is_a_script_or_included_by_one() -> None:
    unconnected = Mock(clustered=False)
    Jobs(Store(registry(), "test", unconnected, unconnected))  # loads the scripts that delete
    used = {file.path for script in SCRIPTS.values() for file in script.files()}
    by_hand = {"page.lua", "emit_plain.lua", "emit_cluster.lua", "encode.lua", "observe.lua", "mend.lua"}
    assert {path.name for path in LUA if path not in used} <= by_hand


def test_the_table_of_settings_is_fresh() -> None:
    page = (PROJECT / "docs" / "operations.md").read_text()
    kept = page.partition("<!-- settings -->\n")[2].partition("\n<!-- /settings -->")[0]
    assert kept == settings_table(), "renew it: townsquare settings --markdown"
