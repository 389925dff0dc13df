"""Type stubs of the structs that `LuaFolder.declare_scripts` makes from the headers of Lua files."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any

import msgspec

from townsquare.services import OURS
from townsquare.store.scripts import LuaFolder, RawReply, Script
from townsquare.store.scripts.folder import BY_STRUCT, FOLDERS

HEAD = '"""The Lua scripts of this service as typed structs; made by `scripts/generate` from `lua/*.lua`."""'


def generate() -> dict[Path, str]:
    for name in OURS:
        import_module(f"townsquare.services.{name}.scripts")
    return {one.folder.parent / "scripts.pyi": stub(one) for one in FOLDERS.values() if one.declared}


def stub(folder: LuaFolder) -> str:
    imports = {"from townsquare.store.scripts import LuaFolder, Script"}
    classes = ["\n".join(result_lines(struct)) for struct in folder.results.values()]
    classes += ["\n".join(lines(struct, imports, folder)) for struct in folder.declared.values()]
    typed = ["import msgspec", ""] if folder.results else []
    head = [HEAD, "", "from typing import Any", "", *typed, *sorted(imports), "", "lua: LuaFolder"]
    return "\n".join(head) + "\n\n" + "\n\n".join(classes) + "\n"


def result_lines(struct: type[msgspec.Struct]) -> Iterator[str]:
    yield f"class {struct.__name__}(msgspec.Struct, array_like=True):"
    for field in msgspec.structs.fields(struct):
        yield f"    {field.name}: {spelled(field.type, set())}"


def lines(struct: type[Script[Any]], imports: set[str], folder: LuaFolder) -> Iterator[str]:
    script = BY_STRUCT[struct]
    made = script.answers in folder.results.values()
    answers = script.answers.__name__ if made else spelled(script.answers, imports)
    yield f"class {struct.__name__}(Script[{answers}], kw_only=True):"
    yield f'    """{script.header.says}"""\n'
    for field in msgspec.structs.fields(struct):
        default = "" if field.required else " | None = None"
        yield f"    {field.name}: {spelled(field.type, imports).removesuffix(' | None')}{default}"


def spelled(kind: Any, imports: set[str]) -> str:
    if kind is NoneType:
        return "None"
    if kind is Any:
        return "Any"
    if kind == RawReply:
        return "list[Any]"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        exported = f" as {kind.__name__}" if ".script_types" in kind.__module__ else ""
        imports.add(f"from {kind.__module__} import {kind.__name__}{exported}")
    return kind.__name__ if type(kind) is type or isinstance(kind, type(msgspec.Struct)) else str(kind)
