"""One Lua script: its file, its header resolved against the declared keys, and its arguments."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import astuple

from townsquare.clock import Clock
from townsquare.keyspace import AnyDeclared, AnyKey, DeclarationError, Key, Keyspace, Layout, Role
from townsquare.store.keys import system
from townsquare.store.scripts.constants import derived_from
from townsquare.store.scripts.header import Header, KeyUse

R = TypeVar("R")
Values = tuple[Any, ...]  # of the inputs of one call, in the order of the header

LUA_TYPES: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", date: "string"}


RawReply = list[Any]  # a reply that the caller decodes: bytes, integers and lists of them


class Script(msgspec.Struct, Generic[R], kw_only=True):
    """The inputs of one Lua script; R is the type of its result.

    An input `now` that is not among the fields is the time by the store's clock.
    """


@dataclass(frozen=True, eq=False)
class LuaFile:
    """A Lua file with its header resolved against the declared keys."""

    path: Path
    source: str
    header: Header
    keyspace: Keyspace

    @property
    def name(self) -> str:
        return self.path.stem

    def declared(self, use: KeyUse) -> AnyDeclared:
        keyspace, _, name = use.name.rpartition(".")
        space = system if keyspace == system.service else self.keyspace
        try:
            declared = space.keys[name]
        except KeyError:
            raise DeclarationError(f"{self.path.name}: no key {use.name!r} is declared") from None
        if len(use.params) != len(declared.parts):
            raise DeclarationError(f"{self.path.name}: {use.name} takes ({', '.join(declared.names)})")
        return declared

    @property
    def derived(self) -> Iterator[AnyDeclared]:
        """The keys derived from the records whose relations or indexes the header names."""
        for record in (*self.header.relations, *(use.name for use in self.header.claims)):
            if record not in self.keyspace.keys:
                raise DeclarationError(f"{self.path.name}: no key {record!r} is declared")
            yield from (derived for derived, _, _ in derived_from(self.keyspace, record))


@dataclass(eq=False)
class LuaScript:
    """A Lua file that can be run."""

    file: LuaFile
    includes: tuple[LuaFile, ...]
    runs: "dict[str, LuaScript]" = field(default_factory=dict)
    asks: "dict[str, LuaScript]" = field(default_factory=dict)
    reads: "dict[str, LuaScript]" = field(default_factory=dict)
    take_back: "LuaScript | None" = None  # runs on the asking home after a refusal
    answers: Any = NoneType  # the result type of the signature, if Python code calls it
    now_at: int | None = None  # the index of `now` among the inputs, if the store fills it in
    now_may_be_given: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.file.keyspace.service}.{self.file.name}"

    @property
    def header(self) -> Header:
        return self.file.header

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        return self.file.header.input

    def files(self) -> Iterator[LuaFile]:
        """The files of the program, without those of scripts that it runs."""
        yield from self.includes
        yield self.file

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each input among the values of a call."""
        return {name: place for place, (name, _) in enumerate(self.inputs)}

    def values_of(self, call: Script[Any], clock: Clock) -> Values:
        values: Values = astuple(call)
        at = self.now_at
        if at is None:
            return values
        if not self.now_may_be_given:
            return (*values[:at], clock.now_ms(), *values[at:])
        return values if values[at] is not None else (*values[:at], clock.now_ms(), *values[at + 1 :])

    @cached_property
    def routed(self) -> list[tuple[AnyDeclared, tuple[int, ...]]]:
        """Keys of the home whose parameters are all inputs: what EVALSHA gets as KEYS."""
        return [
            (self.file.declared(use), tuple(self.places[name] for name in use.params))
            for use in self.header.keys
            if set(use.params) <= set(self.places)
        ]

    @cached_property
    def role(self) -> Role:
        return self.routed[0][0].role

    @cached_property
    def has_effects(self) -> bool:
        headers = [file.header for file in self.files()]
        return any(one.effects or one.relations or one.runs or one.asks or one.claims for one in headers)

    @cached_property
    def takes_idempotency_key(self) -> bool:
        """Whether it remembers its result, so that a retry with the same Idempotency-Key gets it."""
        return "idempotency" in self.header.include

    @cached_property
    def read_places(self) -> dict[str, int]:
        """The indexes of the results of the scripts that it reads."""
        outputs = [one.split()[0] for one in self.header.output.split(",") if one.strip()]
        return {name: outputs.index(name) for name in self.reads}

    @property
    def errors(self) -> set[str]:
        """The error codes of its refusals."""
        own = {code for file in self.files() for code in file.header.errors}
        return own | {code for file in self.files() for use in file.header.asks for code in use.params}

    def taking_back(self, values: Values) -> "tuple[LuaScript, Values]":
        """The script to run on the asking home after a refusal, with its values."""
        if self.take_back is None:
            raise DeclarationError(f"{self.full_name} has no `Refused:` script that undoes the write")
        return self.take_back, tuple(values[self.places[name]] for name in self.header.refused[0].params)

    def home_key(self, values: Values) -> AnyKey:
        """The first key of the home, which determines the node."""
        declared, places = self.routed[0]
        return Key(declared, tuple([values[place] for place in places]))

    def home_name(self, values: Values, layout: Layout) -> str:
        declared, places = self.routed[0]
        return layout.known_name(declared, *map(values.__getitem__, places))

    def home_keys(self, values: Values) -> list[AnyKey]:
        return [Key(declared, tuple([values[place] for place in places])) for declared, places in self.routed]

    def claimed(self, values: Values) -> dict[AnyKey, str]:
        """The unique values that this call claims, with their owner."""
        return {
            self.file.keyspace.keys[index](*unique): values[self.places[use.value]]
            for use in self.header.claims
            for index, *unique in values[self.places[use.params[0]]]
        }

    @cached_property
    def encoded(self) -> list[tuple[int, Callable[[Any], Any]]]:
        """The indexes of inputs that are neither strings nor integers, and their encoders."""
        encoders = [INPUT_TYPES[kind].encode for _, kind in self.inputs]
        return [(place, encode) for place, encode in enumerate(encoders) if encode is not text_or_empty]

    def arguments(self, values: Values) -> list[Any]:
        if len(values) != len(self.places):
            raise DeclarationError(f"{self.full_name} takes {len(self.places)} inputs, not {len(values)}")
        arguments = list(values)
        for place, encode in self.encoded:
            arguments[place] = encode(arguments[place])
        if not SENT_AS_THEY_ARE.issuperset(map(type, arguments)):
            return [one if one.__class__ in SENT_AS_THEY_ARE else text_or_empty(one) for one in arguments]
        return arguments

    @cached_property
    def value_types(self) -> Any:
        return tuple.__class_getitem__(tuple(INPUT_TYPES[kind].python for _, kind in self.inputs))

    def values_from_json(self, text: str) -> Values:
        """The values of a call by another script; omitted trailing ones are null."""
        given = msgspec.json.decode(text) or []
        given += [None] * (len(self.inputs) - len(given))
        for place, (_, kind) in enumerate(self.inputs[: len(given)]):
            if given[place] == {} and kind.startswith("["):  # Lua has one empty table for both
                given[place] = []
        values: Values = msgspec.convert(given, self.value_types, strict=False)
        return values

    @cached_property
    def decode(self) -> Callable[[Any], Any]:
        if self.answers is NoneType:
            return lambda reply: None
        if self.answers == RawReply:
            return lambda reply: reply
        return decoder(self.answers)


SENT_AS_THEY_ARE = frozenset({str, int, bytes})


def text_or_empty(value: Any) -> Any:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, date) else value


def number_or_empty(value: float | None) -> str:
    return "" if value is None else repr(float(value))


class InputType(NamedTuple):
    """The Python type of an input, its encoder, and the Lua expression that reads it."""

    python: Any
    encode: Callable[[Any], Any]
    lua: str


NUMBER = "tonumber({})"
INPUT_TYPES = {
    "string": InputType(str, text_or_empty, "{}"),
    "string?": InputType(str | None, text_or_empty, "({0} ~= '' and {0} or nil)"),
    "integer": InputType(int, text_or_empty, NUMBER),
    "integer?": InputType(int | None, text_or_empty, NUMBER),
    "number": InputType(float, number_or_empty, NUMBER),
    "number?": InputType(float | None, number_or_empty, NUMBER),
    "boolean": InputType(bool, lambda value: "1" if value else "0", "({} == '1')"),
    "json": InputType(Any, msgspec.json.encode, "cjson.decode({})"),
    "[string]": InputType(list[str], msgspec.json.encode, "cjson.decode({})"),
    "[integer]": InputType(list[int], msgspec.json.encode, "cjson.decode({})"),
}

OUTPUT_TYPES = {name: one.python for name, one in INPUT_TYPES.items()} | {"json": str, "[json]": list[str]}


NUMBERS = frozenset({int, float, bool})
WHOLE_NUMBERS = frozenset({int})


def decoder(answers: Any) -> Callable[[Any], Any]:
    if not (isinstance(answers, type) and issubclass(answers, msgspec.Struct)):
        return lambda reply: msgspec.convert(as_text(reply), answers, strict=False)
    types = [field.type for field in msgspec.structs.fields(answers)]
    count = len(types)
    not_numbers = [place for place, type_ in enumerate(types) if type_ not in NUMBERS]

    def decode(reply: Any) -> Any:
        if reply.__class__ is list and len(reply) == count:
            for place in not_numbers:
                one = reply[place]
                if one is not None:
                    reply[place] = one.decode() if one.__class__ is bytes else as_text(one)
            if bytes not in map(type, reply):  # else Redis has stored a number as text
                return msgspec.convert(reply, answers, strict=False)
        return msgspec.convert(as_text(reply), answers, strict=False)

    return decode


def as_text(reply: Any) -> Any:
    kind = reply.__class__
    if kind is bytes:
        return reply.decode()
    if kind is list:
        if WHOLE_NUMBERS.issuperset(map(type, reply)):  # lists of counts are common
            return reply
        return [
            one.decode() if one.__class__ is bytes else one if one.__class__ is int else as_text(one)
            for one in reply
        ]
    return reply


def lua_type(annotation: Any) -> str:
    if get_origin(annotation) in (UnionType, Union):
        inner = [one for one in get_args(annotation) if one is not NoneType]
        if len(inner) == 1 and inner[0] in LUA_TYPES:
            return LUA_TYPES[inner[0]] + "?"
    return LUA_TYPES.get(annotation, "json")
