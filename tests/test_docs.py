"""What README and the docs show is run or held against the code; CONTRIBUTING.md says which fence is what."""

import ast
import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from tests.support.clock import PinnedClock
from tests.support.squares import Place, open_square
from tests.web.serving import Served, serving
from townsquare.cli.all_commands import LazyCommand, RootGroup, application

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"
TOP_PAGES = sorted(PROJECT.glob("*.md"))
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
PAGES = [
    *(PROJECT / name for name in ("README.md", "README.ja.md", "CONTRIBUTING.md")),
    *sorted({*DOCS.rglob("*.md")} - {*DECISIONS}),
]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"|!\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]+`", re.M | re.S)
CODE_BLOCK = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
HEADING = re.compile(r"^#+ (.+)$", re.M)
FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)\n\1```$", re.M | re.S)
SHOWN = {"html", "lua", "ini", "text", "python part", "sh part"}
RUN = {"python", "python square", "python http", "console", "sh", "json", "toml"}
SERVER = "http://127.0.0.1:8000"  # as the docs say it
COMMAND = re.compile(r"(?<!from )\btownsquare ([a-z](?:[^`\n#| ]| (?! ))*)")
WORD = re.compile(r"[a-z][a-z-]*")
PATIENCE = 60.0


class Snippet(NamedTuple):
    kind: str
    text: str
    place: str


def snippets(*kinds: str) -> list[Any]:
    found = [
        Snippet(info, text, f"{page.name}:{content[: fence.start()].count(chr(10)) + 1}")
        for page in PAGES
        for content in [page.read_text()]
        for fence in FENCE.finditer(content)
        for info, text in [(fence[2], fence[3])]
    ]
    chosen = [each for each in found if not kinds or each.kind in kinds]
    return [pytest.param(each, id=f"{each.kind} {each.place}".replace(" ", "-")) for each in chosen]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("docs") / "townsquare-data"
    with serving(folder, "--port", "0", TOWNSQUARE_RATE_LIMITS="off") as served:
        assert served.url
        yield served


def run(command: list[str], folder: Path) -> str:
    """What it says, by the commands of this installation and without settings of whoever runs the tests."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TOWNSQUARE_")}
    path = os.pathsep.join((str(Path(sys.executable).parent), clean["PATH"]))
    done = subprocess.run(
        command, cwd=folder, env={**clean, "PATH": path}, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_fence_says_what_becomes_of_it() -> None:
    unknown = [each.values[0] for each in snippets() if each.values[0].kind not in SHOWN | RUN]
    assert not unknown


@pytest.mark.parametrize("snippet", snippets("json", "toml"))
def test_data_can_be_parsed(snippet: Snippet) -> None:
    (json.loads if snippet.kind == "json" else tomllib.loads)(snippet.text)


@pytest.mark.parametrize("snippet", snippets("python"))
def test_a_program_runs_as_it_stands(snippet: Snippet, tmp_path: Path) -> None:
    said = run([sys.executable, "-c", snippet.text], tmp_path)
    if snippet.place.startswith("tutorial.md"):
        post = "ann: Hello #travel (1 like)\n"
        assert said == post
        assert run([sys.executable, "-c", snippet.text], tmp_path) == f"ann taken\nbob taken\n{post * 2}"


def test_the_tutorial_has_thirty_lines() -> None:
    (program,) = [
        each.values[0] for each in snippets("python") if each.values[0].place.startswith("tutorial")
    ]
    assert len([line for line in program.text.splitlines() if line.strip()]) <= 30


@pytest.mark.parametrize("snippet", snippets("python square"))
async def test_a_snippet_runs_on_an_open_square(
    snippet: Snippet, plain_place: Place, clock: PinnedClock
) -> None:
    code = compile(snippet.text, snippet.place, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    async with open_square(plain_place, clock) as square:
        for name in ("alice", "bob"):
            await square.accounts.sign_up(name)
        result = eval(code, {"square": square})
        if asyncio.iscoroutine(result):
            await result


@pytest.mark.parametrize("snippet", snippets("python http"))
def test_a_client_runs_against_a_server(snippet: Snippet, served: Served, tmp_path: Path) -> None:
    for _ in range(2):
        run([sys.executable, "-c", snippet.text.replace(SERVER, served.url)], tmp_path)


@pytest.mark.parametrize("snippet", snippets("console", "sh"))
def test_commands_answer_what_the_docs_say(snippet: Snippet, served: Served) -> None:
    folder = served.data.parent
    lines = snippet.text.splitlines()
    if snippet.kind == "sh":
        lines = [f"$ {line}" for line in lines]
    while lines:
        command = lines.pop(0).removeprefix("$ ").replace(SERVER, served.url)
        expected = []
        while lines and not lines[0].startswith("$ "):
            expected.append(lines.pop(0))
        said = run(["bash", "-c", command.replace("curl", "curl -sS --fail", 1)], folder)
        if expected:
            pattern = ".*".join(map(re.escape, "\n".join(expected).split("…")))
            assert re.fullmatch(pattern, said.strip(), re.S), (command, said)


def slug(heading: str) -> str:
    """The anchor of a heading, on the site and on code hosts."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def test_every_internal_link_leads_somewhere() -> None:
    broken = []
    for page in [*PAGES, *DECISIONS, *TOP_PAGES]:
        for found in LINK.findall(CODE.sub("", page.read_text())):
            target = next(filter(None, found))
            if re.match(r"[a-z]+:|/", target):
                continue
            name, _, anchor = target.partition("#")
            file = (page.parent / name) if name else page
            text = CODE_BLOCK.sub("", file.read_text()) if file.suffix == ".md" and file.is_file() else ""
            if not file.exists() or (anchor and anchor not in map(slug, HEADING.findall(text))):
                broken.append((page.name, target))
    assert not broken


def test_every_page_is_on_the_site() -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (PROJECT / "mkdocs.yml").read_text(), re.M))
    assert {page.relative_to(DOCS).as_posix() for page in PAGES if DOCS in page.parents} <= listed


def test_every_command_that_a_page_names_exists() -> None:
    unknown = [
        (page.name, words)
        for page in PAGES
        for words in COMMAND.findall(page.read_text())
        if not exists(words)
    ]
    assert not unknown


def commands_of(command: Any) -> dict[str, Any]:
    return getattr(command, "commands", {})


def exists(words: str) -> bool:
    """Whether the command is there, with the options that are named; arguments and prose end it."""
    command: Any = application()
    parts = shlex.split(words.replace("'", ""))
    depth = 0
    for word in parts:
        lazy = isinstance(command, RootGroup)
        found = command.get_command(click.Context(command), word) if lazy else commands_of(command).get(word)
        if found is None:
            break
        command = found.loaded if isinstance(found, LazyCommand) else found
        depth += 1
    rest = parts[depth:]
    if commands_of(command) and rest and WORD.fullmatch(rest[0]):
        return False
    options = {option for parameter in command.params for option in parameter.opts}
    named = {part.strip("[].,;)").partition("=")[0] for part in rest if part.strip("[").startswith("-")}
    return depth > 0 and {name for name in named if len(name) > 1} <= options
