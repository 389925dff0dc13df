"""The text that Redis runs: key builders, includes and the script, put together for one layout."""

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from townsquare.keyspace import AnyDeclared, Layout
from townsquare.keyspace.declare import PLACEHOLDER
from townsquare.store.scripts import SHARED, LuaFile, LuaScript

REFUSE = """local function refuse(code, detail)
  return redis.error_reply('TSQ ' .. code .. ' ' .. (detail or ''))
end"""
CHECK_DEADLINE = """if CLAIMS_UNTIL > 0 and redis.call('TIME')[1] * 1000 > CLAIMS_UNTIL then
  return refuse('conflict', 'the claim ran out')
end"""
CHECK_CLAIMS = """for _, claim in ipairs(claims) do
  local holder = redis.call('GET', claim[1])
  if holder and holder ~= claim[2] then return refuse('taken', claim[3]) end
end"""
KEEP_CLAIMS = """local function keep_claims()
  for _, claim in ipairs(claims) do emit('SET', claim[1], claim[2]) end
end"""
UNPACK = {
    "string": "{}",
    "string?": "({0} ~= '' and {0} or nil)",
    "integer": "tonumber({})",
    "integer?": "tonumber({})",
    "number": "tonumber({})",
    "number?": "tonumber({})",
    "boolean": "({} == '1')",
    "json": "cjson.decode({})",
}
USER_SCRIPT_LINE = re.compile(r"user_script:(\d+)")


@dataclass(eq=False)
class Program:
    """Lua lines, each with the place it came from."""

    lines: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def add(self, text: str, path: Path | None = None) -> None:
        for number, line in enumerate(text.split("\n"), 1):
            self.lines.append(line)
            self.places.append(f"{path.name}:{number}" if path else "generated")

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def sha(self) -> str:
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def explain(self, message: str) -> str:
        """An error of Redis with the Lua file and line instead of the line of the program."""

        def place(found: re.Match[str]) -> str:
            line = int(found[1])
            return self.places[line - 1] if line <= len(self.places) else found[0]

        return USER_SCRIPT_LINE.sub(place, message)


def assemble(script: LuaScript, layout: Layout) -> Program:
    """On a cluster the first argument is the hash tag of the home, the second the end of its claims."""
    program = Program()
    ahead = 2 if layout.clustered else 0
    tag = "ARGV[1]" if layout.clustered else "''"
    program.add(f"local TAG = {tag}")
    if layout.clustered:
        program.add(f"local OUTBOX = '{layout.prefix}system:' .. TAG .. 'outbox:' .. string.sub(TAG, 2, 4)")
        program.add("local CLAIMS_UNTIL = tonumber(ARGV[2])")
    program.add(REFUSE)
    builders = key_builders(script, layout)
    if "encode_" in builders:
        add_file(program, SHARED / "encode.lua")
    program.add(builders)
    if script.has_effects:
        add_file(program, SHARED / ("emit_cluster.lua" if layout.clustered else "emit_plain.lua"))
        add_runs(program, script, layout, ahead=set())
    for file in script.includes:
        program.add(file.source, file.path)
    add_function(program, "main", script, layout)
    unpacked = ", ".join(
        UNPACK[kind].format(f"ARGV[{place + ahead}]") for place, (_, kind) in enumerate(script.inputs, 1)
    )
    if layout.clustered:
        program.add(f"local answer = main({unpacked})")
        program.add("if type(answer) == 'table' and answer.err then return answer end")
        program.add(f"return {{{'emitted' if script.has_effects else 0}, answer or false}}")
    else:
        program.add(f"return main({unpacked})")
    return program


def add_file(program: Program, path: Path) -> None:
    program.add(path.read_text(), path)


def add_runs(program: Program, script: LuaScript, layout: Layout, *, ahead: set[str]) -> None:
    """`run.name(...)`: a script of another home, called in place or handed over as an effect."""
    if "run" not in ahead:
        program.add("local run = {}")
        ahead.add("run")
    for name, other in script.runs.items():
        if name in ahead:
            continue
        ahead.add(name)
        names = ", ".join(name for name, _ in other.inputs)
        if layout.clustered:
            packed = f"{{'RUN', '{other.full_name}', cjson.encode({{{names}}})}}"
            program.add(f"run.{name} = function({names}) hand_over({packed}) end")
        else:
            add_runs(program, other, layout, ahead=ahead)
            for file in other.includes:
                if file.path.name not in ahead:
                    ahead.add(file.path.name)
                    program.add(file.source, file.path)
            add_function(program, f"run_{name}", other, layout)
            program.add(f"run.{name} = run_{name}")


def add_function(program: Program, name: str, script: LuaScript, layout: Layout) -> None:
    names = ", ".join(name for name, _ in script.inputs)
    program.add(f"local function {name}({names})")
    add_claims(program, script, layout)
    program.add(script.file.source, script.file.path)
    program.add("end")


def add_claims(program: Program, script: LuaScript, layout: Layout) -> None:
    if not script.header.claims:
        return
    if layout.clustered:
        program.add(CHECK_DEADLINE)
    program.add("local claims = {}")
    for use in script.header.claims:
        declared = script.file.declared(use)
        given = " and ".join(use.params)
        build = f"key.{declared.name}({', '.join(use.params)})"
        program.add(f"if {given} then claims[#claims + 1] = {{{build}, {use.value}, '{declared.name}'}} end")
    if not layout.clustered:
        program.add(CHECK_CLAIMS)
    program.add(KEEP_CLAIMS)


def key_builders(script: LuaScript, layout: Layout) -> str:
    """`key.counter_daily(id, day)` for every key that the script names."""
    builders = {"": "local key = {}"}
    for file in builder_files(script, layout):
        for use in file.header.keys:
            declared = file.declared(use)
            builders.setdefault(declared.name, name_builder(declared, layout))
        for use in (*file.header.effects, *file.header.claims):
            declared = file.declared(use)
            build = target_builder(declared) if layout.clustered else name_builder(declared, layout)
            builders.setdefault(declared.name, build)
    return "\n".join(builders.values())


def builder_files(script: LuaScript, layout: Layout) -> list[LuaFile]:
    files = list(script.files())
    if not layout.clustered:
        for other in script.runs.values():
            files += builder_files(other, layout)
    return files


def name_builder(declared: AnyDeclared, layout: Layout) -> str:
    pieces = PLACEHOLDER.split(declared.pattern)  # literal, name, literal, name, …
    expression = [f"'{layout.prefix}{declared.service}:'", "TAG"]
    for place, piece in enumerate(pieces):
        if place % 2:
            expression.append(declared.parts[piece].lua.format(piece))
        elif piece:
            expression.append(f"'{piece}'")
    return f"function key.{declared.name}({', '.join(declared.names)}) return {' .. '.join(expression)} end"


def target_builder(declared: AnyDeclared) -> str:
    """For a key of another home on a cluster: its name and parameters, which the drainer renders."""
    target = ", ".join([f"'{declared.full_name}'", *declared.names])
    return f"function key.{declared.name}({', '.join(declared.names)}) return {{{target}}} end"
