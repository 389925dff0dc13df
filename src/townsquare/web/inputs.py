"""Filling an endpoint's input struct by name: from the path, then the body, then the query.

JSON is taken at its word (a number is a number); text from paths, queries and forms is converted to what
the field wants.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import inspect

from townsquare.api import UnknownNames
from townsquare.problems import Invalid
from townsquare.web.body import Body
from townsquare.web.names import Names, other_names
from townsquare.web.query import NO_PAIRS, Pairs

I = TypeVar("I")  # noqa: E741 - the input struct

NAME_SHOWN, ERRORS_SHOWN = 64, 20  # of what a client made up
NO_NUL = "must not contain the character U+0000"
LISTS = (inspect.ListType, inspect.SetType, inspect.FrozenSetType, inspect.VarTupleType)
PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")


class _Field(NamedTuple):
    name: str
    type: Any
    required: bool
    many: bool  # a list takes every value of a repeated name, and splits at commas
    blank: bool  # '' is a value; for a number or a date it means that nothing was given


class InputReader(Generic[I]):
    def __init__(
        self,
        struct: type[I],
        path_names: Iterable[str] = (),
        *,
        unknown: UnknownNames = "refuse",
        hint: str = "",
        besides: Iterable[str] = (),  # names that somebody else reads
    ) -> None:
        info = inspect.type_info(struct)
        if not isinstance(info, inspect.StructType):
            raise TypeError(f"the input of an endpoint is a struct, not {struct!r}")
        types = {field.encode_name: field.type for field in msgspec.structs.fields(info.cls)}
        self._struct = struct
        self._fields = {field.encode_name: _field(field, types[field.encode_name]) for field in info.fields}
        self._hint = hint  # for names in a body that we do not know; without one they are ignored
        self._strips = info.forbid_unknown_fields
        single = [name for name, field in self._fields.items() if not field.many]
        self._names = Names(other_names(struct), single, {*self._fields, *besides}.difference(single))
        self.unread_names = self._names.unread
        self.tells_unknown = unknown == "tell"
        missing = set(path_names) - self._fields.keys()
        if missing:
            raise TypeError(f"{struct.__name__} lacks the path parameters {sorted(missing)}")

    def read(self, path: Mapping[str, str], body: Body | None, query: Pairs) -> I:
        if self._names.also:
            body, query = self._names.in_ours(body, query)
        if self._hint and body is not None:
            self._refuse_unknown(path, dict(body.pairs) if body.values is None else body.values)
        if body is None or body.values is None:
            form = body.pairs if body else NO_PAIRS
            return self._convert(self._texts(path, form, query), {}, strict=False)
        values = body.values
        if body.may_hold_nul:
            _refuse_nul(values)
        texts = self._texts(path, NO_PAIRS, query)
        if not texts and not self._strips:
            return self._convert(values, {}, strict=True)
        given = {name: value for name, value in values.items() if name in self._fields}
        converted, errors = self._from_texts(
            {name: text for name, text in texts.items() if name in path or name not in given}
        )
        return self._convert(given | converted, errors, strict=True)

    def _refuse_unknown(self, path: Mapping[str, str], values: Mapping[str, Any]) -> None:
        """Refuse names that nobody would read, and a value that the path contradicts."""
        errors = [
            (name[:NAME_SHOWN], f"is not known here; {self._hint}")
            for name in values
            if name not in self._fields
        ]
        errors += [
            (name, "is not what the path says")
            for name in path
            if name in values and values[name] != path[name]
        ]
        if errors:
            raise _invalid(errors[:ERRORS_SHOWN])

    def _texts(self, path: Mapping[str, str], form: Pairs, query: Pairs) -> dict[str, Any]:
        """Text values by field, the path before the form before the query."""
        texts: dict[str, Any] = {}
        if query:
            texts.update(self._from_pairs(query))
        if form:
            texts.update(self._from_pairs(form))
        for name, text in path.items():
            field = self._fields[name]
            texts[name] = self._text_of(field, [text]) if field.many or "\0" in text else text
        return texts

    def _from_pairs(self, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
        collected: dict[str, list[str]] = {}
        for name, text in pairs:
            if name in self._fields:
                collected.setdefault(name, []).append(text)
        texts = {}
        for name, given in collected.items():
            field = self._fields[name]
            if field.blank or field.many or given[-1]:
                texts[name] = self._text_of(field, given)
        return texts

    def _text_of(self, field: _Field, given: list[str]) -> Any:
        for text in given:
            if "\0" in text:
                raise _invalid([(field.name, NO_NUL)])
        if field.many:
            return [part for text in given for part in text.split(",") if part]
        return given[-1]

    def _from_texts(self, texts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Texts as the plain values that strict conversion accepts, and what could not be converted."""
        converted, errors = {}, {}
        for name, text in texts.items():
            try:
                value = msgspec.convert(text, self._fields[name].type, strict=False)
                converted[name] = msgspec.to_builtins(value)
            except msgspec.ValidationError as refusal:
                errors[name] = str(refusal)
        return converted, errors

    def _convert(self, values: Mapping[str, Any], errors: Mapping[str, str], *, strict: bool) -> I:
        if not errors:
            try:
                return msgspec.convert(values, self._struct, strict=strict)
            except msgspec.ValidationError as refusal:
                raise _invalid(self._explain(values, {}, str(refusal), strict)) from None
            except RecursionError:
                raise _invalid([("", "is nested too deeply")]) from None
        raise _invalid(self._explain(values, errors, "", strict))

    def _explain(
        self, values: Mapping[str, Any], errors: Mapping[str, str], refusal: str, strict: bool
    ) -> list[tuple[str, str]]:
        """Every field that is wrong, not only the first."""
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
                found.append(_placed(field.name, message))
        return found or [_placed("", refusal)]


def _field(field: inspect.Field, type_: Any) -> _Field:
    kinds = _alternatives(field.type)
    return _Field(
        name=field.encode_name,
        type=type_,
        required=field.required,
        many=any(isinstance(kind, LISTS) for kind in kinds),
        blank=any(isinstance(kind, inspect.StrType | inspect.AnyType) for kind in kinds),
    )


def _alternatives(type_: inspect.Type) -> list[inspect.Type]:
    if isinstance(type_, inspect.Metadata):
        return _alternatives(type_.type)
    if isinstance(type_, inspect.UnionType):
        return [kind for alternative in type_.types for kind in _alternatives(alternative)]
    return [type_]


def _placed(name: str, message: str) -> tuple[str, str]:
    """msgspec says where inside the value; we say where in the request."""
    place = PLACE.search(message)
    if place is None:
        return name, message
    path = place["path"]
    return (f"{name}{path}" if name else path.removeprefix(".")), message[: place.start()]


def _invalid(errors: list[tuple[str, str]]) -> Invalid:
    named = [f"{field}: {message}" if field else message for field, message in errors]
    return Invalid(
        "; ".join(named), errors=[{"field": field, "message": message} for field, message in errors]
    )


def _refuse_nul(values: Mapping[str, Any]) -> None:
    remaining: list[tuple[str, Any]] = list(values.items())
    while remaining:
        name, value = remaining.pop()
        if isinstance(value, str):
            if "\0" in value:
                raise _invalid([(name, NO_NUL)])
        elif isinstance(value, dict):
            if any("\0" in key for key in value):
                raise _invalid([(name, NO_NUL)])
            remaining.extend((f"{name}.{key}", inner) for key, inner in value.items())
        elif isinstance(value, list):
            remaining.extend((f"{name}[{index}]", inner) for index, inner in enumerate(value))
