"""The text that Redis runs: keys, includes and the script, put together for one layout.

Redis runs all of it for every call, the definitions too. So a key is written out where it is named instead of
built by a function, and functions that a program does not name are left out of it.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from townsquare.keyspace import AnyDeclared, DeclarationError, Layout, Role
from townsquare.keyspace.declare import PLACEHOLDER
from townsquare.store.commands import only_reads
from townsquare.store.scripts.folder import SHARED
from townsquare.store.scripts.script import INPUT_TYPES, LuaFile, LuaScript

REFUSE = """local function refuse(code, detail)
  return redis.error_reply('TSQ ' .. code .. ' ' .. (detail or ''))
end"""
CODE_OF = """local function code_of(refusal)
  return string.match(refusal.err, 'TSQ (%S+)')
end"""
CHECK_DEADLINE = """if CLAIMS_UNTIL > 0 and redis.call('TIME')[1] * 1000 > CLAIMS_UNTIL then
  return refuse('conflict', 'the claim ran out')
end"""
CHECK_CLAIMS = """for _, claim in ipairs(CLAIMS) do
  local holder = redis.call('GET', claim[1])
  if holder and holder ~= claim[2] then return refuse('taken', claim[3]) end
end"""
KEEP_CLAIMS = """local function keep_claims()
  for _, claim in ipairs(CLAIMS) do emit('SET', claim[1], claim[2]) end
end"""
TAKE_IDEMPOTENCY_KEY = "local REQUEST, BUCKET, FINGERPRINT = ARGV[{}], ARGV[{}], ARGV[{}]"
CHECK_IDEMPOTENCY_KEY = """if REQUEST then
  local result = redis.call('GET', key.idempotency_result(REQUEST, BUCKET))
  if result then
    local fingerprint, text = string.match(result, '^(%S+) %S* (.*)$')
    if fingerprint ~= FINGERPRINT then return refuse('idempotency_key_reused') end
    return refuse('already_done', text)
  end
end"""
USER_SCRIPT_LINE = re.compile(r"user_script:(\d+)")
KEY_OF_VALUES = re.compile(r"\b(key|there)\.(\w+)\(((?:[A-Za-z_][\w.]*(?:\[\w+\])?(?:, )?)*)\)")
OF_TABLE = re.compile(r"\b(?:key|run|ask|read)\.\w+")
NAME = re.compile(r"\w+")
FUNCTION = re.compile(r"^local function (\w+)\([^\n]*\)\n(?:(?: [^\n]*)?\n)*end$", re.MULTILINE)
HEADER = re.compile(r"--\[\[.*?\]\]", re.DOTALL)


@dataclass(frozen=True)
class LuaKey:
    """A declared key in Lua: its name or, for another home on a cluster, the values for the drainer."""

    declared: AnyDeclared
    layout: Layout
    elsewhere: bool = False

    def of(self, values: Sequence[str]) -> str:
        """The expression for these variables."""
        given = dict(zip(self.declared.names, values, strict=True))
        if self.elsewhere:
            return "{" + ", ".join([f"'{self.declared.full_name}'", *values]) + "}"

        def encoded(hole: re.Match[str]) -> str:
            return f"' .. {self.declared.parts[hole[1]].lua.format(given[hole[1]])} .. '"

        start = f"'{self.layout.prefix}{self.declared.service}:" + ("' .. TAG .. '" * self.layout.clustered)
        return f"({start}{PLACEHOLDER.sub(encoded, self.declared.pattern)}')".replace(" .. ''", "")

    @property
    def builder(self) -> str:
        names = self.declared.names
        return f"key.{self.declared.name} = function({', '.join(names)}) return {self.of(names)} end"


@dataclass(frozen=True)
class Piece:
    """Consecutive lines. A definition is omitted if no later line uses it."""

    text: str
    path: Path | None
    line: int  # of the file, at which they begin
    defines: str

    def names(self) -> set[str]:
        code = HEADER.sub("", self.text)
        return {*NAME.findall(code), *OF_TABLE.findall(code)}


@dataclass(eq=False)
class Program:
    """Lua lines, each with its file and line number."""

    keys: dict[str, LuaKey]
    effects: dict[str, LuaKey]
    role: Role
    derives: bool  # it writes only values derived from other keys
    pieces: list[Piece] = field(default_factory=list)

    def add(self, text: str, path: Path | None = None, *, line: int = 1, defines: str = "") -> None:
        self.pieces.append(Piece(KEY_OF_VALUES.sub(self._written_out, text), path, line, defines))

    def add_functions(self, source: str, path: Path) -> None:
        """A file of definitions: unused functions are omitted."""
        end = 0
        for function in FUNCTION.finditer(source):
            start = function.start()
            self.add(source[end:start], path, line=line_at(source, end))
            self.add(function[0], path, line=line_at(source, start), defines=function[1])
            end = function.end()
        self.add(source[end:], path, line=line_at(source, end))

    def _written_out(self, call: re.Match[str]) -> str:
        """`key.name(…)`, or `there.name(…)` of another home, as the expression that it expands to."""
        keys = self.keys if call[1] == "key" else self.effects
        try:
            return keys[call[2]].of(call[3].split(", ") if call[3] else ())
        except (KeyError, ValueError):
            raise DeclarationError(f"{call[0]}: the header does not declare it") from None

    @cached_property
    def lines(self) -> list[tuple[str, str]]:
        return [
            (line, f"{piece.path.name}:{number}" if piece.path else "generated")
            for piece in needed(self.pieces)
            for number, line in enumerate(piece.text.split("\n"), piece.line)
        ]

    @cached_property
    def text(self) -> str:
        return "\n".join(line for line, _ in self.lines)

    @cached_property
    def sha(self) -> str:
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    @cached_property
    def writes(self) -> bool:
        """Whether a request that ran it must not be repeated. Scripts of the cache role only count requests,
        and derived values may be stored again: neither counts as a write."""
        return not (self.role is Role.CACHE or self.derives or only_reads(self.text))

    def explain(self, message: str) -> str:
        """An error of Redis with the Lua file and its line instead of the line of the program."""

        def place(found: re.Match[str]) -> str:
            line = int(found[1])
            return self.lines[line - 1][1] if line <= len(self.lines) else found[0]

        return USER_SCRIPT_LINE.sub(place, message)


class LuaText:
    """Lua for any single key, without a declaration by a service."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    @cached_property
    def only_reads(self) -> bool:
        return only_reads(self.text)


def needed(pieces: list[Piece]) -> list[Piece]:
    """The parts that define nothing, and the definitions that they use, directly or indirectly."""
    defining: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        defining[piece.defines].append(piece)
    named, unread = {""}, list(defining[""])
    while unread:
        found = (unread.pop().names() & defining.keys()) - named
        named |= found
        for name in found:
            unread += defining[name]
    return [piece for piece in pieces if piece.defines in named]


def line_at(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1


def assemble(script: LuaScript, layout: Layout) -> Program:
    """On a cluster the first argument is the hash tag of the home, the second the expiry of its claims."""
    program = Program(*lua_keys(script, layout), script.role, bool(script.header.derives))
    if layout.clustered:
        outbox = f"'{layout.prefix}system:' .. TAG .. 'outbox:' .. string.sub(TAG, 2, 4)"
        program.add("local TAG = ARGV[1]", defines="TAG")
        program.add(f"local OUTBOX = {outbox}", defines="OUTBOX")
        program.add("local CLAIMS_UNTIL = tonumber(ARGV[2])", defines="CLAIMS_UNTIL")
    program.add(REFUSE, defines="refuse")
    program.add(CODE_OF, defines="code_of")
    add_shared(program, "encode.lua")
    add_builders(program, script, layout)
    if script.has_effects:
        add_shared(program, "emit_cluster.lua" if layout.clustered else "emit_plain.lua")
        program.add("local run = {}", defines="run")
        program.add("local ask = {}", defines="ask")
        program.add("local asked = {}", defines="asked")
    program.add("local read = {}", defines="read")
    program.add("local reads = {}", defines="reads")
    ahead: set[str] = set()
    first = 3 if layout.clustered else 1
    if script.takes_idempotency_key:
        place = first + len(script.inputs)
        program.add(TAKE_IDEMPOTENCY_KEY.format(place, place + 1, place + 2))
    add_includes(program, script, ahead)
    add_runs(program, script, layout, ahead)
    add_function(program, "local function main", script, layout)
    if script.takes_idempotency_key:
        program.add(CHECK_IDEMPOTENCY_KEY)
    unpacked = ", ".join(
        INPUT_TYPES[kind].lua.format(f"ARGV[{place}]") for place, (_, kind) in enumerate(script.inputs, first)
    )
    if layout.clustered:
        program.add(f"local answer = main({unpacked})")
        program.add("if type(answer) == 'table' and answer.err then return answer end")
        emitted = "emitted" if script.has_effects else "0"
        more = ", asked" if script.asks else ", reads" if script.reads else ""
        program.add(f"return {{{emitted}, answer or false{more}}}")
    else:
        program.add(f"return main({unpacked})")
    return program


assembled = cache(assemble)


class Programs(dict[LuaScript, Program]):
    """Programs by script, each assembled at its first use in the process."""

    def __init__(self, layouts: dict[Role, Layout]) -> None:
        super().__init__()
        self._layouts = layouts

    def __missing__(self, script: LuaScript) -> Program:
        program = self[script] = assembled(script, self._layouts[script.role])
        return program


def add_shared(program: Program, name: str) -> None:
    path = SHARED / "include" / name
    program.add_functions(path.read_text(), path)


def add_builders(program: Program, script: LuaScript, layout: Layout) -> None:
    """Functions for keys that a script takes as values: `key.counter_daily`, or any by `key[name]`."""
    by_name = any("key[" in file.source or file.header.claims for file in files(script, layout))
    program.add("local key = {}", defines="key")
    for lua_key in program.keys.values():
        program.add(lua_key.builder, defines="key" if by_name else f"key.{lua_key.declared.name}")


def add_includes(program: Program, script: LuaScript, ahead: set[str]) -> None:
    """Added before any `run`, because Lua resolves names at the call."""
    for file in script.includes:
        if file.path.name not in ahead:
            ahead.add(file.path.name)
            program.add_functions(file.source, file.path)


def add_runs(program: Program, script: LuaScript, layout: Layout, ahead: set[str]) -> None:
    """`run.name(...)`, `ask.name(...)`, `read.name(...)`: scripts of other homes, called in place. On a
    cluster the first two become effects; the caller of the script runs the reads."""
    called = [(f"run.{name}", other) for name, other in script.runs.items()]
    called += [(f"ask.{name}", other) for name, other in script.asks.items()]
    called += [(f"read.{name}", other) for name, other in script.reads.items()]
    for name, other in called:
        if name in ahead:
            continue
        ahead.add(name)
        names = ", ".join(name for name, _ in other.inputs)
        if layout.clustered and name.startswith("read."):
            kept = f"reads[#reads + 1] = '{other.file.name}' reads[#reads + 1] = cjson.encode({{{names}}})"
            program.add(f"{name} = function({names}) {kept} return false end", defines=name)
        elif layout.clustered:
            verb, kept = ("ASK", "asked[#asked + 1] = ") if name.startswith("ask.") else ("RUN", "")
            request = ", REQUEST" if verb == "ASK" and script.takes_idempotency_key else ""
            packed = f"{{'{verb}', '{other.full_name}', cjson.encode({{{names}}}){request}}}"
            program.add(f"{name} = function({names}) {kept}hand_over({packed}) end", defines=name)
        else:
            add_includes(program, other, ahead)
            add_runs(program, other, layout, ahead)
            add_function(program, f"{name} = function", other, layout, defines=name)


def add_function(
    program: Program, opening: str, script: LuaScript, layout: Layout, *, defines: str = ""
) -> None:
    names = ", ".join(name for name, _ in script.inputs)
    program.add(f"{opening}({names})", defines=defines)
    for line in claim_lines(script, layout):
        program.add(line, defines=defines)
    program.add(script.file.source, script.file.path, defines=defines)
    program.add("end", defines=defines)


def claim_lines(script: LuaScript, layout: Layout) -> Iterator[str]:
    if not script.header.claims:
        return
    if layout.clustered:
        yield CHECK_DEADLINE
    yield "local CLAIMS = {}"
    for use in script.header.claims:
        yield f"for _, one in ipairs({use.params[0]}) do"
        yield f"  CLAIMS[#CLAIMS + 1] = {{key[one[1]](unpack(one, 2)), {use.value}, one[1]}}"
        yield "end"
    if not layout.clustered:
        yield CHECK_CLAIMS
    yield KEEP_CLAIMS


def lua_keys(script: LuaScript, layout: Layout) -> tuple[dict[str, LuaKey], dict[str, LuaKey]]:
    """The keys of the script's home, and those of other homes; a declaration may be in both."""
    keys: dict[str, LuaKey] = {}
    effects: dict[str, LuaKey] = {}
    for file in files(script, layout):
        for use in file.header.keys:
            declared = file.declared(use)
            keys.setdefault(declared.name, LuaKey(declared, layout))
        for declared in (*map(file.declared, file.header.effects), *file.derived):
            effects.setdefault(declared.name, LuaKey(declared, layout, elsewhere=layout.clustered))
    return {**effects, **keys}, effects


def files(script: LuaScript, layout: Layout) -> list[LuaFile]:
    """The files of the program; on one node also those of the scripts that it runs."""
    scripts = [script]
    for one in scripts:
        if not layout.clustered:
            others = (*one.runs.values(), *one.asks.values(), *one.reads.values())
            scripts += [other for other in others if other not in scripts]
    return [file for one in scripts for file in one.files()]
