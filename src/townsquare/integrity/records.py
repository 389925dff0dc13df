"""Records as the relations see them: their fields, what follows from them, and how one field is set."""

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import product
from typing import Any

import msgspec

from townsquare.integrity.findings import Write
from townsquare.integrity.reads import Read
from townsquare.keyspace import AnyDeclared, AnyKey, Record, kinds
from townsquare.keyspace.parts import Component, Part, Text
from townsquare.keyspace.relations import Params, Source

WHOLE = ""  # the field of a key that is one value: String, Counter


class Unreadable(Exception):
    """A record is damaged itself: its relations cannot be judged before that is mended."""


def is_hash(declared: AnyDeclared) -> bool:
    return declared.kind.redis_type == "hash"


def is_json(declared: AnyDeclared) -> bool:
    return declared.kind.model is not None


def record_read(key: AnyKey) -> Read:
    """The one read that tells the fields of a record, or only that it exists."""
    kind = key.declared.kind
    return Read(kind.read, key) if kind.read else Read("EXISTS", key)


def record_of(key: AnyKey, reply: Any) -> Record | None:
    """Its fields and its key's own parameters; None if there is no such record."""
    if not reply and not isinstance(reply, bytes):
        return None
    try:
        if is_hash(key.declared):
            return {**key.params, **kinds.decode_hash(reply)}  # type: ignore[dict-item]
        if is_json(key.declared):
            return {**key.params, **msgspec.json.decode(reply, type=dict[str, Any])}
        if key.declared.kind in (kinds.STRING, kinds.COUNTER):
            return {**key.params, WHOLE: reply.decode()}
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from None
    return key.params


def derive(source: Source, record: Record) -> Any:
    if isinstance(source, str):
        return record.get(source)
    try:
        return source(record)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from None


def derived_keys(declared: AnyDeclared, params: Params, owner: AnyKey, record: Record) -> list[AnyKey]:
    """The keys that follow from a record: none if a parameter has no value, several if one has several."""
    choices = []
    own = owner.params
    for name in declared.names:
        value = derive(params[name], record) if name in params else own[name]
        several = value if isinstance(value, list | tuple | set | frozenset) else [value]
        choices.append([convert(declared.parts[name], one) for one in several if one not in (None, "")])
    return list(dict.fromkeys(buildable(declared(*values)) for values in product(*choices)))


def buildable(key: AnyKey) -> AnyKey:
    """The key, if it has a name: not every value can be part of one."""
    try:
        key.text  # noqa: B018 - rendering it is the test
    except (ValueError, TypeError, AttributeError) as error:
        raise Unreadable(str(error)) from None
    return key


def leads_to(declared: AnyDeclared, name: str, member: bytes, params: Mapping[str, Any]) -> AnyKey | None:
    """The key whose parameter `name` is what a set or an index holds; None if there can be none."""
    try:
        value = parameter(declared.parts[name], member.decode())
        return buildable(declared.of({**params, name: value}))
    except (Unreadable, UnicodeDecodeError, KeyError):
        return None


def convert(part: Part, value: Any) -> Any:
    """A value from a field as the parameter of a key."""
    if isinstance(value, str):
        return parameter(part, value)
    return str(value) if isinstance(part, Text | Component) else value


def parameter(part: Part, text: str) -> Any:
    if isinstance(part, Text | Component):
        return text
    try:
        return part.decode(text)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def as_text(value: Any) -> str:
    """How a value stands in a set, a string or a field of a hash."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(one == other) or as_text(one) == as_text(other)


def set_field(key: AnyKey, reply: Any, field: str, value: Any) -> Write | None:
    """The write that gives a field its right value; None if the record cannot hold it."""
    if is_hash(key.declared):
        if value is None:
            return Write("HDEL", key, (field,))
        return Write("HSET", key, (field, as_text(value)))
    if not is_json(key.declared):
        return Write("SET", key, (as_text(value), "KEEPTTL")) if value is not None else None
    document = msgspec.json.decode(reply, type=dict[str, Any])
    for candidate in readings(value):
        text = msgspec.json.encode({**document, field: candidate})
        if decodes(key, text):
            return Write("SET", key, (text, "KEEPTTL"))
    return None


def readings(value: Any) -> Iterable[Any]:
    """A value, and for text from Redis the number that it may be."""
    yield value
    for number in (int, float):
        try:
            yield number(value)
        except (TypeError, ValueError):
            continue


def decodes(key: AnyKey, raw: bytes) -> bool:
    decode = key.declared.kind.decode
    if decode is None:
        return True
    try:
        decode(raw)
    except (ValueError, msgspec.MsgspecError):
        return False
    return True
