"""Fill the input struct of an endpoint by name: from the path, then the body, then the query.

JSON is read strictly (a number is a number). Texts from paths, queries and forms are converted to the type of
the field. With `unknown="warn"`, for earlier clients, texts in JSON are converted too.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import inspect

from townsquare.api import UnknownNames
from townsquare.kit.field_aliases import BARE_LIST, aliases_of
from townsquare.kit.input_errors import (
    NO_NUL,
    TOO_DEEP,
    FieldError,
    conversion_error,
    invalid_input,
    located,
    nul_field,
    unknown_fields,
)
from townsquare.problems import BadRequest
from townsquare.web.body import NOT_AN_OBJECT, Body
from townsquare.web.query import NO_PAIRS, Pairs
from townsquare.web.request_names import RequestNames

I = TypeVar("I")  # noqa: E741 - the input struct

MOST_ITEMS = 10_000  # of a list in a query or form, before the limits of the field apply
UNCHANGING = (
    inspect.StrType,
    inspect.IntType,
    inspect.FloatType,
    inspect.BoolType,
    inspect.NoneType,
    inspect.LiteralType,
    inspect.UnionType,
    inspect.Metadata,
)
LISTS = (inspect.ListType, inspect.SetType, inspect.FrozenSetType, inspect.VarTupleType)


class _Field(NamedTuple):
    name: str
    type: Any
    required: bool
    many: bool  # a list takes every value of a repeated name, and splits at commas
    blank: bool  # '' is a value; for a number or a date it means no value
    any_text: bool  # every text is valid


class InputReader(Generic[I]):
    def __init__(
        self,
        struct: type[I],
        path_names: Iterable[str] = (),
        *,
        unknown: UnknownNames = "refuse",
        besides: Iterable[str] = (),  # further known names, which are not fields
    ) -> None:
        self._struct = struct
        self._fields, unchanging, aliases = _shape(struct)  # type: ignore[arg-type]  # a class is hashable
        self._lists = [name for name, field in self._fields.items() if field.many]
        single = {*self._fields, *besides}.difference(self._lists)
        never_empty = [name for name, field in self._fields.items() if not (field.blank or field.many)]
        self._names = RequestNames(aliases, single, self._lists, never_empty)
        self.unread_names = self._names.unread
        self._refuses = unknown == "refuse"
        self.warns_unknown = unknown == "warn"
        self._hint: str = getattr(struct, "unknown_hint", "")  # for unknown names
        self.unchanging = unchanging  # all values are immutable, so requests may share an input
        missing = set(path_names) - self._fields.keys()
        if missing:
            raise TypeError(f"{struct.__name__} lacks the path parameters {sorted(missing)}")

    def read(self, path: Mapping[str, str], body: Body | None, query: Pairs) -> I:
        if body is not None and body.is_list and BARE_LIST not in self._names.aliases:
            raise BadRequest(NOT_AN_OBJECT)
        if self._names.aliases:
            body, query = self._names.with_field_names(body, query)
        if self._refuses and (query or body is not None):
            self._refuse_unread(path, body, query)
        if body is None or body.values is None:
            form = body.pairs if body else NO_PAIRS
            return self._convert(self._texts(path, form, query), {}, strict=False)
        values = body.values
        if body.contains_nul:
            raise invalid_input([(nul_field(values), NO_NUL)])
        strict = not self.warns_unknown
        if not strict:
            values = self._with_lists(values)
        texts = self._texts(path, NO_PAIRS, query)
        if not texts and values.keys() <= self._fields.keys():
            return self._convert(values, {}, strict=strict)
        given = {name: value for name, value in values.items() if name in self._fields}
        converted, errors = self._from_texts(
            {name: text for name, text in texts.items() if name in path or name not in given}
        )
        return self._convert(given | converted, errors, strict=strict)

    def _refuse_unread(self, path: Mapping[str, str], body: Body | None, query: Pairs) -> None:
        """Refuse unknown names, and values that contradict the path."""
        unknown = self._names.unknown(body, query)
        contradicted = [name for name, value in path.items() if _contradicts(name, value, body, query)]
        if unknown or contradicted:
            raise unknown_fields(unknown, contradicted, self._fields, self._hint)

    def _texts(self, path: Mapping[str, str], form: Pairs, query: Pairs) -> dict[str, Any]:
        """Text values by field, the path before the form before the query."""
        texts: dict[str, Any] = {}
        if query:
            texts.update(self._from_pairs(query))
        if form:
            texts.update(self._from_pairs(form))
        for name, text in path.items():
            if "\0" in text:
                raise invalid_input([(name, NO_NUL)])
            texts[name] = items_of(name, [text]) if name in self._lists else text
        return texts

    def _from_pairs(self, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
        texts: dict[str, Any] = {}
        for name, text in pairs:
            field = self._fields.get(name)
            if field is None:
                continue
            if "\0" in text:
                raise invalid_input([(name, NO_NUL)])
            if field.many:
                texts.setdefault(name, []).append(text)
            elif text or field.blank:
                texts[name] = text
            else:
                texts.pop(name, None)
        for name in self._lists:
            if name in texts:
                texts[name] = items_of(name, texts[name])
        return texts

    def _with_lists(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """A JSON body in which a list may also be a text with commas."""
        return {
            name: items_of(name, [value]) if isinstance(value, str) and name in self._lists else value
            for name, value in values.items()
        }

    def _from_texts(self, texts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Texts as the plain values that strict conversion accepts, and the errors of the others."""
        converted, errors = {}, {}
        for name, text in texts.items():
            field = self._fields[name]
            if field.any_text:
                converted[name] = text
                continue
            try:
                value = msgspec.convert(text, field.type, strict=False)
                converted[name] = msgspec.to_builtins(value)
            except msgspec.ValidationError as refusal:
                errors[name] = str(refusal)
        return converted, errors

    def _convert(self, values: Mapping[str, Any], errors: Mapping[str, str], *, strict: bool) -> I:
        if not errors:
            try:
                return msgspec.convert(values, self._struct, strict=strict)
            except msgspec.ValidationError as refusal:
                raise conversion_error(self._explain(values, {}, str(refusal), strict)) from None
            except RecursionError:
                raise invalid_input([("", TOO_DEEP)]) from None
        raise conversion_error(self._explain(values, errors, "", strict))

    def _explain(
        self, values: Mapping[str, Any], errors: Mapping[str, str], refusal: str, strict: bool
    ) -> list[FieldError]:
        """Report every wrong field, not only the first."""
        found = []
        for field in self._fields.values():
            message = errors.get(field.name, "")
            if not message and field.name in values:
                try:
                    msgspec.convert(values[field.name], field.type, strict=strict)
                except msgspec.ValidationError as wrong:
                    message = str(wrong)
            elif not message and field.required:
                message = "is required"
            if message:
                found.append(located(field.name, message))
        return found or [located("", refusal)]


@cache
def input_reader(
    struct: type[Any], path_names: tuple[str, ...], unknown: UnknownNames, besides: tuple[str, ...]
) -> InputReader[Any]:
    """Readers have no state: all endpoints with this input share one."""
    return InputReader(struct, path_names, unknown=unknown, besides=besides)


class _Shape(NamedTuple):
    fields: Mapping[str, _Field]
    unchanging: bool  # all values are immutable and depend only on the request
    aliases: Mapping[str, str]  # other names of its fields


@cache
def _shape(struct: type[Any]) -> _Shape:
    """Inspected once per process."""
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"the input of an endpoint is a struct, not {struct!r}")
    for field in info.fields:
        require_strict(field.type)
    types = {field.encode_name: field.type for field in msgspec.structs.fields(info.cls)}
    return _Shape(
        fields={field.encode_name: _field(field, types[field.encode_name]) for field in info.fields},
        unchanging=not hasattr(struct, "__post_init__")
        and all(field.default_factory is msgspec.NODEFAULT for field in info.fields)
        and all(isinstance(kind, UNCHANGING) for field in info.fields for kind in parts_of(field.type)),
        aliases=aliases_of(struct),
    )


def _field(field: inspect.Field, type_: Any) -> _Field:
    kinds = _alternatives(field.type)
    return _Field(
        name=field.encode_name,
        type=type_,
        required=field.required,
        many=any(isinstance(kind, LISTS) for kind in kinds),
        blank=any(isinstance(kind, inspect.StrType | inspect.AnyType) for kind in kinds),
        any_text=kinds == [inspect.StrType()],
    )


def items_of(name: str, given: list[str]) -> list[str]:
    if sum(text.count(",") for text in given) > MOST_ITEMS:
        raise invalid_input([(name, f"has more than {MOST_ITEMS:,} items")])
    return [part for text in given for part in text.split(",") if part]


def _contradicts(name: str, value: str, body: Body | None, query: Pairs) -> bool:
    given = [] if body is None else body.values_of(name)
    return any(text != value for one, text in query if one == name) or any(one != value for one in given)


def _alternatives(type_: inspect.Type) -> list[inspect.Type]:
    if isinstance(type_, inspect.Metadata):
        return _alternatives(type_.type)
    if isinstance(type_, inspect.UnionType):
        return [kind for alternative in type_.types for kind in _alternatives(alternative)]
    return [type_]


def require_strict(type_: inspect.Type) -> None:
    """Raise if a struct inside an input would ignore unknown names."""
    for kind in parts_of(type_):
        if isinstance(kind, inspect.StructType) and not kind.forbid_unknown_fields:
            raise TypeError(f"{kind.cls.__name__} comes from outside: it must forbid unknown fields")


def parts_of(type_: inspect.Type) -> list[inspect.Type]:
    """A type and every type inside it."""
    found: list[inspect.Type] = []
    remaining = [type_]
    while remaining:
        kind = remaining.pop()
        if kind in found:
            continue
        found.append(kind)
        if isinstance(kind, inspect.StructType):
            remaining += [field.type for field in kind.fields]
        elif isinstance(kind, inspect.DictType):
            remaining += [kind.key_type, kind.value_type]
        elif isinstance(kind, inspect.TupleType):
            remaining += kind.item_types
        elif isinstance(kind, LISTS):
            remaining.append(kind.item_type)
        elif isinstance(kind, inspect.Metadata | inspect.UnionType):
            remaining += _alternatives(kind)
    return found
