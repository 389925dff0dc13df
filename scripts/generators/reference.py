"""The reference pages that derive from the code: commands, error codes, relations, HTTP and the library."""

import asyncio
import inspect
import json
import re
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import click

import townsquare
from townsquare.cli.all_commands import LazyCommand, application
from townsquare.exports import PUBLIC_NAMES
from townsquare.keyspace import relations as declared_relations
from townsquare.keyspace.relations import Relation
from townsquare.problems import Problem
from townsquare.services import all_services, registry
from townsquare.settings import Settings
from townsquare.web.site import open_site

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
NOTE = "<!-- made by scripts/generate -->\n"
ERRORS = """# Error codes

Every error has a stable code. Over HTTP it is the field `code` of an RFC 9457 problem, in the library the
attribute `code` of a `townsquare.Problem`. A refused operation has changed nothing.

| code | status | meaning |
|---|--:|---|
"""
RELATIONS = """# Relations

A relation is a rule between keys. `townsquare check` verifies it, `--repair` rebuilds the derived side, and a
deletion follows it. [Check your own keys](../start/keys.md) shows how to declare one.
"""
HTTP = """# HTTP

All operations. A server documents them with schemas and examples at `/docs`, for code generators at
`/openapi.json`. Conventions: [HTTP, WebSockets and pages](../web.md).
"""
LIBRARY = """# Library

The methods of a square. `townsquare.open()` returns them as coroutines, `townsquare.connect()` as ordinary
methods. [The library](../library.md) explains how to open a square.
"""


def generate() -> dict[Path, str]:
    pages = {
        "http": asyncio.run(http()),
        "library": library(),
        "commands": commands(),
        "errors": errors(),
        "relations": relations(),
    }
    return {FOLDER / f"{name}.md": f"{NOTE}{text.rstrip()}\n" for name, text in pages.items()}


def commands() -> str:
    parts = ["# Commands\n\nEvery command also explains itself: `townsquare COMMAND --help`.\n"]
    root = application()
    with click.Context(root, info_name="townsquare") as context:
        for name in root.list_commands(context):
            parts += list(command_parts(loaded(root.get_command(context, name)), f"townsquare {name}"))
    return "\n".join(parts)


def loaded(command: click.Command | None) -> click.Command:
    assert command is not None
    return command.loaded if isinstance(command, LazyCommand) else command


def command_parts(command: click.Command, name: str, level: int = 2) -> Iterator[str]:
    yield f"{'#' * level} {name}\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    context = click.Context(command, info_name=name, terminal_width=96, max_content_width=96)
    records = [record for one in command.params if (record := one.get_help_record(context))]
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    if records or arguments:
        yield "| option | meaning |\n|---|---|"
        for one in arguments:
            yield f"| `{one.make_metavar(context)}` | {cell(getattr(one, 'help', '') or '')} |"
        for option, meaning in records:
            yield f"| `{cell(option)}` | {cell(meaning)} |"
        yield ""
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            yield from command_parts(loaded(command.get_command(context, each)), f"{name} {each}", level + 1)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def errors() -> str:
    for module in walk_packages(townsquare.__path__, "townsquare."):
        if not module.name.endswith(("__main__", ".child")):
            import_module(module.name)  # all of them: what else is imported must not matter
    found = {
        code: kind for code, kind in Problem.by_code.items() if kind.__module__.startswith("townsquare.")
    }
    rows = [f"| `{code}` | {kind.status} | {cell(kind.title)} |" for code, kind in sorted(found.items())]
    return ERRORS + "\n".join(rows)


def relations() -> str:
    used = registry().relations
    parts = [RELATIONS]
    for name, kind in vars(declared_relations).items():
        if isinstance(kind, type) and issubclass(kind, Relation) and kind is not Relation:
            examples = [one for one in used if type(one) is kind]
            fields = ", ".join(kind.__dataclass_fields__)
            parts.append(f"## {name}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n\nFields: `{fields}`.\n")
            if examples:
                parts.append(
                    f"Townsquare declares it {len(examples)} times. For example: {examples[0].describe()}.\n"
                )
    return "\n".join(parts)


async def http() -> str:
    with tempfile.TemporaryDirectory() as folder:
        async with open_site(Settings.load(environ={}, data_dir=folder, log_level="error")) as app:
            document = json.loads(await described(app))
    parts = [HTTP]
    for tag in document["tags"]:
        parts.append(f"## {tag['name']}\n\n{tag['description']}\n\n| operation | |\n|---|---|")
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if tag["name"] in operation["tags"]:
                    parts.append(f"| `{method.upper()} {path}` | {cell(operation.get('summary', ''))} |")
        parts.append("")
    return "\n".join(parts)


async def described(app: Any) -> bytes:
    import httpx

    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        return (await client.get("/openapi.json")).content


def library() -> str:
    stub = (Path(townsquare.__file__).parent / "blocking_services.pyi").read_text(encoding="utf-8")
    classes = {
        found[1]: found[2].strip("\n").splitlines()
        for found in re.finditer(r"^class (\w+):\n((?:    .*\n)+)", stub, re.M)
    }
    parts = [LIBRARY]
    for name in all_services():
        line = next((one for one in classes["BlockingServices"] if one.split(":")[0].strip() == name), "")
        if line:
            parts += list(class_parts(classes, line.split(": ")[1].strip(), f"square.{name}"))
    parts.append("## Names of the package\n\n`import townsquare` offers:\n")
    parts += [
        f"- `{module}`: " + ", ".join(f"`{one}`" for one in names.split())
        for module, names in PUBLIC_NAMES.items()
    ]
    return "\n".join(parts)


def class_parts(classes: dict[str, list[str]], kind: str, path: str) -> Iterator[str]:
    methods = [one.strip() for one in classes[kind] if one.strip().startswith("def ")]
    if methods:
        yield f"## {path}\n\n```python part"
        for one in methods:
            yield re.sub(
                r"self(, )?",
                "",
                one.removeprefix("def ").removesuffix(": ...").replace("builtins.", ""),
                count=1,
            )
        yield "```\n"
    for one in classes[kind]:
        name, _, part = one.strip().partition(": ")
        if part in classes:
            yield from class_parts(classes, part, f"{path}.{name}")
