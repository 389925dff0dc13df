"""Lua scripts as typed Python: one file per operation, one struct for its inputs.

    lua = LuaFolder(widgets, Path(__file__).parent / "lua")
    globals().update(lua.declare_scripts(count_visit="Visited"))

makes `CountVisit` from `Input:` in the header of `lua/count_visit.lua`, and `Visited` from `Output:`.
`await store.run(CountVisit(id=…, visitor=…))` is one round trip and returns a `Visited`. `scripts/generate`
writes the types of the structs to `scripts.pyi`.

An extension declares the struct itself. The header must agree, which is checked at import:

    @lua.script
    class CountVisit(Script[Visited]):
        id: str
        visitor: str

Scripts that other scripts run on another home (`Runs:`) are in `lua/effects/` and have no struct.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from townsquare.keyspace import AnyDeclared, DeclarationError, Keyspace, Registry
from townsquare.keyspace.deletion import plan_of
from townsquare.problems import Problem
from townsquare.store.commands import only_reads
from townsquare.store.scripts.constants import Constants, written_out
from townsquare.store.scripts.deletion import DELETER_INPUTS, DeletionShare, DeletionSource, general_deletion
from townsquare.store.scripts.header import KeyUse, read_header
from townsquare.store.scripts.script import (
    INPUT_TYPES,
    OUTPUT_TYPES,
    LuaFile,
    LuaScript,
    RawReply,
    Script,
    lua_type,
)

S = TypeVar("S", bound="type[Script[Any]]")

SHARED = Path(__file__).parent / "lua"
REFUSAL = re.compile(r"refuse\('(\w+)'")
EXPLANATION = re.compile(r"\(.*?\)")


SCRIPTS: dict[str, LuaScript] = {}  # by full name, for the drainer
BY_STRUCT: dict[type, LuaScript] = {}
FOLDERS: "dict[str, LuaFolder]" = {}  # by service


class LuaFolder:
    """The Lua files of one service, and the UPPER_CASE constants that they may name."""

    def __init__(self, keyspace: Keyspace, folder: Path, constants: Constants = MappingProxyType({})) -> None:
        self.keyspace = keyspace
        self.folder = folder
        self.constants = constants
        FOLDERS[keyspace.service] = self
        self.scripts: dict[str, LuaScript] = {}
        self.declared: dict[str, type[Script[Any]]] = {}
        self.results: dict[str, type[msgspec.Struct]] = {}
        self.deleters: dict[AnyDeclared, LuaScript] = {}

    def script(self, struct: S) -> S:
        """Declare the signature of a script that Python code calls."""
        script = self.script_of(snake(struct.__name__))
        self.verify_signature(script, struct)
        script.answers = self.answer_of(struct)
        BY_STRUCT[struct] = script
        return struct

    def declare_scripts(self, **results: Any) -> dict[str, type[msgspec.Struct]]:
        """One struct per Lua file, by class name. `results` has result types by script, or the name of the
        struct to make of its outputs; without one, it is the type of a single output, or the raw reply."""
        if unknown := results.keys() - {path.stem for path in self.folder.glob("*.lua")}:
            raise DeclarationError(f"there is no script {sorted(unknown)}")
        for path in sorted(self.folder.glob("*.lua")):
            script = self.script_of(path.stem)
            struct = struct_of(script)
            if ("now", "integer") in script.inputs:
                script.now_at, script.now_may_be_given = script.places["now"], True
            result = results.get(path.stem)
            script.answers = (
                self.result(script, result) if type(result) is str else result or result_type(script)
            )
            self.declared[struct.__name__] = struct
            BY_STRUCT[struct] = script
        return {**self.declared, **self.results}

    def result(self, script: LuaScript, name: str) -> type[msgspec.Struct]:
        """The struct of this name, made of the outputs of a script; scripts of one struct have the same."""
        fields = outputs(script)
        made = self.results.setdefault(name, msgspec.defstruct(name, fields, array_like=True))
        if [(one.name, one.type) for one in msgspec.structs.fields(made)] != fields:
            raise DeclarationError(f"{script.file.path.name}: another script has other outputs for {name}")
        return made

    def script_of(self, name: str) -> LuaScript:
        """Load a script, then the scripts that it runs: these may run it in turn."""
        if name not in self.scripts:
            self.script_from(self.load(self.path_of(name)))
        return self.scripts[name]

    def script_from(self, file: LuaFile) -> LuaScript:
        script = self.scripts[file.name] = LuaScript(file, tuple(self.included(file)))
        for one in script.files():
            for other in one.header.runs:
                script.runs[other] = self.run_by(one, other)
            for use in one.header.asks:
                script.asks[use.name] = self.run_by(one, use.name)
            for other in one.header.reads:
                script.reads[other] = self.run_by(one, other)
        for use in file.header.refused:
            script.take_back = self.run_by(file, use.name)
        self.verify(script)
        if set(script.places) >= DELETER_INPUTS:
            self.deleters |= {file.declared(use): script for use, _ in file.header.deletes}
        SCRIPTS[script.full_name] = script
        return script

    def run_by(self, file: LuaFile, name: str) -> LuaScript:
        if not self.path_of(name).exists():
            raise DeclarationError(f"{file.path.name}: there is no script {self.keyspace.service}.{name}")
        return self.script_of(name)

    def path_of(self, name: str) -> Path:
        """Scripts that Python calls are in the folder itself, effects in `effects/`."""
        effect = self.folder / "effects" / f"{name}.lua"
        return effect if effect.exists() else self.folder / f"{name}.lua"

    def load(self, path: Path) -> LuaFile:
        try:
            source = path.read_text()
        except FileNotFoundError:
            raise DeclarationError(f"there is no {path.parent.name}/{path.name}") from None
        return self.parsed(path, source)

    def parsed(self, path: Path, source: str) -> LuaFile:
        source = written_out(source, path.name, self.constants, self.keyspace)
        return LuaFile(path, source, read_header(path, source), self.keyspace)

    def included(self, file: LuaFile) -> Iterator[LuaFile]:
        for name in file.header.include:
            shared = SHARED / "include" / f"{name}.lua"
            included = self.load(shared if shared.exists() else self.folder / "include" / f"{name}.lua")
            yield from self.included(included)
            yield included
        for use, left_to_script in file.header.deletes:
            generated = self.deletion_of(file.declared(use), left_to_script)
            yield from self.included(generated)
            yield generated

    def deletion_of(self, record: AnyDeclared, left_to_script: Sequence[str]) -> LuaFile:
        def inputs(name: str) -> list[str]:
            return [one for one, _ in self.load(self.path_of(name)).header.input]

        plan = plan_of(record, self.keyspace.relations)
        source = DeletionSource(plan, left_to_script, inputs).text()
        return self.parsed(Path(f"delete_{record.name} (generated).lua"), source)

    def load_deleter(self, record: AnyDeclared) -> None:
        """The script that deletes such a record, with the scripts that it runs, if there is one."""
        if record in self.deleters:
            return
        own = self.path_of(f"delete_{record.name}").exists()
        with contextlib.nullcontext() if own else contextlib.suppress(DeclarationError):
            self.deleter_of(record)

    def deleter_of(self, record: AnyDeclared) -> LuaScript:
        """The script that deletes such a record: one of the service's own, or the general one."""
        if record not in self.deleters:
            path = self.path_of(f"delete_{record.name}")
            file = self.load(path) if path.exists() else self.parsed(path, general_deletion(record))
            self.script_from(file).answers = DeletionShare
        return self.deleters[record]

    @staticmethod
    def answer_of(struct: type[Script[Any]]) -> Any:
        for base in struct.__orig_bases__:  # type: ignore[attr-defined]
            if get_origin(base) is Script:
                return get_args(base)[0]
        raise DeclarationError(f"{struct.__name__} does not say what it answers: Script[…]")

    @staticmethod
    def verify_signature(script: LuaScript, struct: type[Script[Any]]) -> None:
        hints = get_type_hints(struct)
        fields = [(field, lua_type(hints[field])) for field in struct.__struct_fields__]
        if "now" in script.places and "now" not in hints:
            script.now_at = script.places["now"]
            fields.insert(script.now_at, ("now", "integer"))
        if tuple(fields) != script.inputs:
            raise DeclarationError(
                f"{script.file.path.name}: Input: is {list(script.inputs)}, {struct.__name__} has {fields}"
            )

    @staticmethod
    def verify(script: LuaScript) -> None:
        name = script.file.path.name
        if unknown := {kind for _, kind in script.inputs} - set(INPUT_TYPES):
            raise DeclarationError(f"{name}: an input cannot be of type {sorted(unknown)}")
        for file in script.files():
            for use in file.header.asks:
                verify_ask(file, use, script.asks[use.name])
        refused = {code for file in script.files() for code in REFUSAL.findall(file.source)}
        refused |= {code for file in script.files() for use in file.header.asks for code in use.params}
        promised = script.errors
        if refused != promised:
            raise DeclarationError(f"{name}: Errors: says {sorted(promised)}, it refuses {sorted(refused)}")
        if unknown := promised - set(Problem.by_code):
            raise DeclarationError(f"{name}: no Problem has code {sorted(unknown)}")
        for file in script.files():
            tuple(file.derived)  # fails for a record that is not declared
        for use in script.header.claims:
            if (use.params[0], "json") not in script.inputs or use.value not in script.places:
                raise DeclarationError(f"{name}: Claims: needs inputs {use.params[0]} json and {use.value}")
        if not script.routed:
            raise DeclarationError(f"{name}: no key of its home follows from its inputs")
        for read in script.reads:
            verify_read(script, read)
        roles = {file.declared(use).role for file in script.files() for use in file.header.keys}
        if len(roles) > 1:
            raise DeclarationError(f"{name}: keys of two roles cannot be in one script")


def struct_of(script: LuaScript) -> type[Script[Any]]:
    """The inputs of a script. Inputs of a type with `?` may be omitted, and `now`: the store fills it in."""
    fields: list[Any] = []
    for name, kind in script.inputs:
        optional = kind.endswith("?") or (name, kind) == ("now", "integer")
        fields.append(
            (name, INPUT_TYPES[kind].python, None) if optional else (name, INPUT_TYPES[kind].python)
        )
    name = "".join(word.capitalize() for word in script.file.name.split("_"))
    struct: Any = msgspec.defstruct(name, fields, bases=(Script,), kw_only=True)
    return struct  # type: ignore[no-any-return]


def result_type(script: LuaScript) -> Any:
    """The type of the single output in the header."""
    if set(script.places) >= DELETER_INPUTS:
        return DeletionShare
    if script.header.output in ("", "nothing"):
        return NoneType
    output = EXPLANATION.sub("", script.header.output)
    if output.startswith("["):  # a list, followed by an explanation
        return INPUT_TYPES[output.split()[0]].python
    kind = output.split()[1]
    return INPUT_TYPES[kind].python if "," not in output and kind != "json" else RawReply


def outputs(script: LuaScript) -> list[tuple[str, Any]]:
    """The outputs in the header by name; text may follow them after a semicolon."""
    stated = EXPLANATION.sub("", script.header.output).partition(";")[0]
    try:
        return [(name, OUTPUT_TYPES[kind]) for name, kind in map(str.split, stated.split(","))]
    except (KeyError, ValueError):
        raise DeclarationError(f"{script.file.path.name}: Output: is not a list of names and types") from None


def verify_read(script: LuaScript, name: str) -> None:
    where = f"{script.file.path.name}: Reads: {name}"
    other = script.reads[name]
    if script.has_effects or other.has_effects or other.reads or other.errors:
        raise DeclarationError(f"{where} must only read, and so must the script that names it")
    if not all(only_reads(file.source) for file in other.files()):
        raise DeclarationError(f"{where} writes")
    if other.role is not script.role:
        raise DeclarationError(f"{where} reads keys of another role")
    if name not in [one.split()[0] for one in script.header.output.split(",") if one.strip()]:
        raise DeclarationError(f"{where} must be one of the outputs")


def verify_ask(file: LuaFile, use: KeyUse, asked: LuaScript) -> None:
    where = f"{file.path.name}: Asks: {use.name}"
    if set(use.params) != asked.errors:
        raise DeclarationError(f"{where} refuses with {sorted(asked.errors)}, not {sorted(use.params)}")
    if asked.asks or asked.header.output not in ("", "nothing"):
        raise DeclarationError(f"{where} must have no output and no asks")
    if asked.take_back is None:
        raise DeclarationError(f"{where} has no `Refused:` script that undoes the write")
    given = asked.header.refused[0].params
    if len(given) != len(asked.take_back.inputs) or not set(given) <= set(asked.places):
        names = ", ".join(asked.take_back.places)
        raise DeclarationError(f"{where}: Refused: {asked.take_back.file.name} takes ({names}) of its inputs")


def folder_of(declared: AnyDeclared, registry: Registry) -> LuaFolder:
    """The scripts of the service that declares this key; a service may have only generated ones."""
    if declared.service not in FOLDERS:
        (keyspace,) = (one for one in registry.keyspaces if one.service == declared.service)
        LuaFolder(keyspace, Path())
    return FOLDERS[declared.service]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
