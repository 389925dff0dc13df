"""The fields of records, and how to set one of them."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec

from townsquare.integrity.findings import Write
from townsquare.integrity.store_reader import Unreadable, is_error
from townsquare.keyspace import AnyDeclared, AnyKey, Record, kinds

WHOLE = ""  # the field of a key that is one value: String, Counter


def is_hash(declared: AnyDeclared) -> bool:
    return declared.kind.redis_type == "hash"


def is_json(declared: AnyDeclared) -> bool:
    return declared.kind.model is not None


def record_verb(declared: AnyDeclared) -> str:
    """The command that reads a record; EXISTS for kinds that are not read as a whole."""
    return declared.kind.read or "EXISTS"


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


def readable(key: AnyKey, reply: Any) -> Record | None:
    """As `record_of`, but None for a damaged record."""
    if is_error(reply):
        return None
    try:
        return record_of(key, reply)
    except Unreadable:
        return None


def as_text(value: Any) -> str:
    """A value as text in a set, a string or a field of a hash."""
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
    """A value, and for text from Redis the number that it can be."""
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
