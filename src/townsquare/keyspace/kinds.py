"""The kinds of keys: their Redis type, and how a whole value is read and written.

Kinds that grow with use (Set, SortedSet, List, Stream) have no command that reads the whole value: page them.
"""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from sys import byteorder
from typing import Any, Generic, TypeVar, get_origin

import msgspec

T = TypeVar("T")


class Visibility(StrEnum):
    PUBLIC = "public"  # visible to everyone
    PRIVATE = "private"  # visible to its owner
    SYSTEM = "system"  # visible to everyone, written by the service only
    SECRET = "secret"  # noqa: S105 - returned by no endpoint


@dataclass(frozen=True)
class Field:
    """A declared field of a Hash."""

    name: str
    visibility: Visibility = Visibility.PUBLIC
    description: str = ""
    required: bool = False


@dataclass(frozen=True)
class Kind(Generic[T]):
    name: str
    redis_type: str  # the reply of TYPE
    read: str | None = None  # the command that reads the whole value
    decode: Callable[[Any], T] | None = None
    encode: Callable[[T], bytes] | None = None  # raises for a value of another type
    fields: tuple[Field, ...] = ()
    custom_fields: Visibility | None = None  # visibility of undeclared fields; None: there must be none
    model: type[Any] | None = None  # of a JSON document
    record: type[Any] | None = None  # of a Hash that a struct declares
    cardinality: str | None = None  # the command that counts the members

    @property
    def unchanging(self) -> bool:
        """Whether decoded values are immutable and can be shared."""
        struct = self.record or self.model
        return struct.__struct_config__.frozen if struct else self.decode in (bytes.decode, int)

    def visible_fields(self, *allowed: Visibility) -> frozenset[str]:
        return frozenset(field.name for field in self.fields if field.visibility in allowed)


def decode_hash(raw: Mapping[bytes, bytes]) -> dict[str, str] | None:
    return {name.decode(): value.decode() for name, value in raw.items()} or None


def unpack_floats(raw: bytes) -> "array[float]":
    """Little-endian float32, four bytes each."""
    if not raw:
        raise ValueError("there are no floats")
    vector = array("f")
    vector.frombytes(raw)
    if byteorder == "big":
        vector.byteswap()
    return vector


def pack_floats(vector: "array[float]") -> bytes:
    packed = array("f", vector)
    if not packed or not all(map(isfinite, packed)):
        raise ValueError("a vector has one float or more, and each is a number")
    if byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


STRING = Kind("String", "string", "GET", bytes.decode, str.encode)
COUNTER = Kind("Counter", "string", "GET", int, b"%d".__mod__)
PACKED_FLOATS = Kind("Packed floats", "string", "GET", unpack_floats, pack_floats)
SET: Kind[Any] = Kind("Set", "set", cardinality="SCARD")
SORTED_SET: Kind[Any] = Kind("Sorted Set", "zset", cardinality="ZCARD")
LIST: Kind[Any] = Kind("List", "list", cardinality="LLEN")
STREAM: Kind[Any] = Kind("Stream", "stream", cardinality="XLEN")
HYPERLOGLOG: Kind[Any] = Kind("HyperLogLog", "string", cardinality="PFCOUNT")
CHANNEL: Kind[Any] = Kind("Channel", "channel")
ANY: Kind[Any] = Kind("Any", "any")  # kept as found: quarantine


def json_of(model: type[T]) -> Kind[T]:
    def encode(value: T) -> bytes:
        if not isinstance(value, get_origin(model) or model):
            raise TypeError(f"expected {model!r}, got {type(value).__name__}")
        return msgspec.json.encode(value)

    return Kind("JSON", "string", "GET", msgspec.json.Decoder(model).decode, encode, model=model)


def hash_of(*fields: Field, custom: Visibility | None = None) -> Kind[dict[str, str]]:
    return Kind("Hash", "hash", "HGETALL", decode_hash, fields=fields, custom_fields=custom)  # type: ignore[arg-type]
