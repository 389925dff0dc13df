"""One call of a script: its command, and the decoding of its reply."""

from functools import cache
from typing import Any

from townsquare.keyspace import AnyKey, DeclarationError, Layout, Role
from townsquare.problems import Problem
from townsquare.store.keys import absent
from townsquare.store.scripts.assembly import Program
from townsquare.store.scripts.script import LuaScript, Values
from townsquare.store.wire.connection import Arg, ReplyError

NO_ASKS: list[str] = []

absent_key = cache(absent)  # one per bucket


class Invocation:
    __slots__ = ("arguments", "bucket", "clustered", "names", "program", "script", "slot")

    def __init__(self, script: LuaScript, values: Values, program: Program, layout: Layout) -> None:
        self.script = script
        self.program = program
        self.clustered = layout.clustered
        self.arguments: list[Any] = script.arguments(values)
        self.bucket = ""
        self.slot: int | None = None
        if layout.clustered:
            self._place(script.home_keys(values), layout)
        else:  # one node has all keys: the first identifies the home
            self.names = [script.home_name(values, layout)]

    def _place(self, keys: list[AnyKey], layout: Layout) -> None:
        self.bucket = keys[0].bucket
        if any(key.bucket != self.bucket for key in keys):
            raise DeclarationError(f"{self.script.full_name} touches keys of two homes: {keys}")
        self.slot = layout.slot(keys[0])
        self.names = [layout.name(key) for key in keys]
        if self.script.role is Role.DATA:  # a partial write to the cache is acceptable
            self.names.append(layout.name(absent_key(self.bucket)))
        self.arguments = [f"{{{self.bucket}}}:", 0, *self.arguments]

    def claims_end_at(self, ms: int) -> None:
        self.arguments[1] = ms

    def by_digest(self) -> list[Arg]:
        return ["EVALSHA", self.program.sha, len(self.names), *self.names, *self.arguments]

    def by_source(self) -> list[Arg]:
        """EVAL, which also loads the script: for a node that does not have it."""
        return ["EVAL", self.program.text, len(self.names), *self.names, *self.arguments]

    def read(self, reply: Any) -> tuple[Any, str, list[str]]:
        """The decoded reply, the bucket that has effects ("": none), and the entries that are asks."""
        if not self.clustered:
            return self.script.decode(reply), "", NO_ASKS
        emitted, answer, *asked = reply
        if self.script.reads and asked[0]:
            raise DeclarationError(f"{self.script.full_name} reads another home: run it by itself")
        entries = [entry.decode() for entry in asked[0]] if asked else NO_ASKS
        return self.script.decode(answer), self.bucket if emitted else "", entries

    def problem(self, error: ReplyError) -> Exception:
        """The problem with which the script refused, else the error with the Lua file and line."""
        if error.code == "TSQ":
            return problem_of(error.message.removeprefix("TSQ "))
        return ReplyError(f"ERR {self.script.full_name}: {self.program.explain(error.message)}")


def problem_of(refusal: str) -> Problem:
    code, _, detail = refusal.partition(" ")
    return Problem.by_code[code](detail)


def is_unknown_script(reply: Any) -> bool:
    return isinstance(reply, ReplyError) and reply.code == "NOSCRIPT"
