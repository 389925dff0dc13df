"""A Hash declared by a struct: its fields, their visibility, and how they are decoded.

    class PostRecord(msgspec.Struct):
        id: Annotated[str, about("UUID", SYSTEM)]
        content: str
        hashtags: Annotated[tuple[str, ...], about("normalised", SYSTEM, separator=" ")] = ()
        likes_count: Annotated[int, about(visibility=SYSTEM)] = msgspec.field(name="likesCount", default=0)

A field without a default is required. A tuple or another container is JSON, or text with separators.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta
from msgspec.structs import FieldInfo

from townsquare.keyspace.kinds import Field, Kind, Visibility

T = TypeVar("T", bound=msgspec.Struct)
Raw = Sequence[bytes | None]


def about(description: str = "", visibility: Visibility = Visibility.PUBLIC, *, separator: str = "") -> Meta:
    return Meta(description=description or None, extra={"visibility": visibility, "separator": separator})


def record_of(struct: type[T], *, custom: Visibility | None = None) -> Kind[T]:
    fields = tuple(declared_field(field) for field in msgspec.structs.fields(struct))
    whole = Reader(struct, [field.name for field in fields], struct)
    return Kind(
        "Hash",
        "hash",
        "HGETALL",
        whole.decode_hash,  # type: ignore[arg-type]
        fields=fields,
        custom_fields=custom,
        record=struct,
    )


def declared_field(field: FieldInfo) -> Field:
    meta = meta_of(field.type)
    extra = (meta and meta.extra) or {}
    return Field(
        field.encode_name,
        extra.get("visibility", Visibility.PUBLIC),
        (meta and meta.description) or "",
        required=field.required,
    )


class Reader(Generic[T]):
    """The fields to read with HMGET, and how to decode the reply into a model."""

    def __init__(self, model: type[T], fields: Sequence[str], record: type[Any] | None = None) -> None:
        self.fields = tuple(fields)
        self._names = [name.encode() for name in fields]
        self.decode: Callable[[Raw], T | None] = decoder(model, self.fields, record or model)

    def index_of(self, field: str) -> int:
        return self.fields.index(field)

    def decode_hash(self, raw: Mapping[bytes, bytes]) -> T | None:
        return self.decode([raw.get(name) for name in self._names]) if raw else None


def reader(kind: Kind[Any], model: type[T], *visible: Visibility, also: Sequence[str] = ()) -> Reader[T]:
    """A reader of the fields with these visibilities, and of further ones by name."""
    seen = [field.name for field in kind.fields if field.visibility in visible]
    return Reader(model, [*seen, *(name for name in also if name not in seen)], kind.record)


def decoder(model: type[T], fields: Sequence[str], record: type[Any]) -> Callable[[Raw], T | None]:
    """A function from values in this order to the model, or None if a required one is missing.

    It is generated as source code, like the methods of dataclasses, because it decodes every post of a page.
    """
    indexes = {name: index for index, name in enumerate(fields)}
    kept = {field.encode_name: field for field in msgspec.structs.fields(record)}
    scope: dict[str, Any] = {"model": model}
    needed, given = [], []
    for field in msgspec.structs.fields(model):
        if field.encode_name not in indexes:
            if field.required:
                raise TypeError(f"{model.__name__}.{field.name} is not among the fields {list(fields)}")
            continue
        value = f"v{indexes[field.encode_name]}"
        plain, optional = unwrapped(field.type)
        source = kept.get(field.encode_name, field)
        decoded = expression(value, plain, separator_of(field) or separator_of(source), scope)
        if field.required and not optional and source.required:
            needed.append(f"{value} is None")
            given.append(f"{field.name}={decoded}")
        else:
            without = absent(source if field.required else field, scope)
            given.append(f"{field.name}={decoded} if {value} is not None else {without}")
    lines = [
        "def decode(values):",
        f"  {''.join(f'v{index}, ' for index in range(len(fields)))} = values",
        *([f"  if {' or '.join(needed)}: return None"] if needed else []),
        f"  return model({', '.join(given)})",
    ]
    exec("\n".join(lines), scope)  # noqa: S102 - made of names of fields alone
    decode: Callable[[Raw], T | None] = scope["decode"]
    return decode


def expression(value: str, plain: Any, separator: str, scope: dict[str, Any]) -> str:
    """Python that decodes the bytes in a variable."""
    if plain is str:
        return f"{value}.decode()"
    if plain is int or plain is float:
        return f"{plain.__name__}({value})"
    if plain is bool:
        return f"{value} in (b'true', b'1')"
    if separator:
        return f"tuple({value}.decode().split({separator!r}))"
    if get_origin(plain) is Literal or (isinstance(plain, type) and issubclass(plain, Enum)):
        scope[f"convert_{value}"] = partial(msgspec.convert, type=plain, strict=False)
        return f"convert_{value}({value}.decode())"
    scope[f"convert_{value}"] = msgspec.json.Decoder(plain).decode
    return f"convert_{value}({value})"


def absent(field: FieldInfo, scope: dict[str, Any]) -> str:
    if field.default_factory is not NODEFAULT:
        scope[f"new_{field.name}"] = field.default_factory
        return f"new_{field.name}()"
    scope[f"no_{field.name}"] = None if field.default is NODEFAULT else field.default
    return f"no_{field.name}"


def unwrapped(annotation: Any) -> tuple[Any, bool]:
    """The type without its annotations, and whether it can be None."""
    if get_origin(annotation) is Annotated:
        return unwrapped(get_args(annotation)[0])
    if get_origin(annotation) in (UnionType, Union):
        kinds = [unwrapped(one)[0] for one in get_args(annotation)]
        others = [one for one in kinds if one is not NoneType]
        return (others[0] if len(others) == 1 else annotation), NoneType in kinds
    return annotation, False


def meta_of(annotation: Any) -> Meta | None:
    if get_origin(annotation) is Annotated:
        return next((one for one in get_args(annotation)[1:] if isinstance(one, Meta)), None)
    return next(filter(None, map(meta_of, get_args(annotation))), None)


def separator_of(field: FieldInfo) -> str:
    meta = meta_of(field.type)
    return str(((meta and meta.extra) or {}).get("separator", ""))
