"""Validates the arguments of library callers against the annotations of the service methods.

HTTP validates its input itself and calls the services directly.
"""

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, wraps
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from townsquare.keyspace import BadPart
from townsquare.kit.input_errors import (
    NO_NUL,
    TOO_DEEP,
    contains_nul,
    conversion_error,
    invalid_input,
    located,
    nul_field,
)
from townsquare.problems import Invalid

T = TypeVar("T")

AS_THEY_ARE = (bytes, bytearray)  # would become text, which they are not
PLAIN = frozenset({str, int, float, bool, type(None)})
VALUES = (msgspec.Struct, Enum, BaseException, tuple)


def checked(service: T) -> T:
    """The same service; its public methods, and those of its parts, validate their arguments."""
    return cast(T, _CheckedService(service))


class _CheckedService:
    __slots__ = ("_known", "_service")

    def __init__(self, service: Any) -> None:
        object.__setattr__(self, "_service", service)
        object.__setattr__(self, "_known", {})  # by name: the method or part, and its validating proxy

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._service, name)
        if name.startswith("_"):
            return found
        known = self._known.get(name)
        if known is not None and known[0] == found:
            return known[1]
        made = self._checked(found)
        if made is not found and type(found) is not dict:
            self._known[name] = (found, made)
        return made

    def _checked(self, found: Any) -> Any:
        if inspect.ismethod(found) or inspect.isfunction(found):
            return _checked_method(found)
        if type(found) is dict:
            return {name: self._checked(value) for name, value in found.items()}
        if _package(found) == _package(self._service) and not isinstance(found, VALUES):
            return _CheckedService(found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._service, name, value)

    def __dir__(self) -> list[str]:
        return dir(self._service)

    def __repr__(self) -> str:
        return f"<{type(self._service).__name__}>"


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _checked_method(method: Callable[..., Any]) -> Callable[..., Any]:
    owner = getattr(method, "__self__", None)
    kind: Any = getattr(owner, "__orig_class__", None) or type(owner)
    arguments = _arguments_of(getattr(method, "__func__", method), kind)
    if inspect.iscoroutinefunction(method):

        @wraps(method)
        async def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return await method(**arguments.read(args, kwargs))
            except BadPart as bad:
                raise Invalid(str(bad)) from None

    else:

        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return method(**arguments.read(args, kwargs))
            except BadPart as bad:  # a name or an id that cannot be part of a key
                raise Invalid(str(bad)) from None

    return call


@cache
def _arguments_of(function: Callable[..., Any], owner: Any) -> "_Arguments":
    return _Arguments(function, owner)


class _Arguments:
    """The parameters of a method, as one type."""

    def __init__(self, function: Callable[..., Any], owner: Any) -> None:
        everything = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
        parameters = [one for one in everything if one.kind is not one.VAR_KEYWORD]
        self._signature = inspect.Signature(everything)
        self._takes_any_name = parameters != everything
        self._positional = tuple(one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD)
        self._required = frozenset(one.name for one in parameters if one.default is one.empty)
        meanings = type_variables(owner)
        hints = get_type_hints(function, include_extras=True)
        types = {one.name: _resolved(hints.get(one.name, Any), meanings) for one in parameters}
        self._opaque = {name: classes for name, kind in types.items() if (classes := _opaque_classes(kind))}
        shown = {name: kind for name, kind in types.items() if name not in self._opaque}
        self._names = frozenset(types)
        self._type: Any = msgspec.defstruct("Arguments", [(name, kind, None) for name, kind in shown.items()])

    def read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = dict(zip(self._positional, args, strict=False))
        twice = kwargs and not given.keys().isdisjoint(kwargs)
        given.update(kwargs)
        if (
            twice
            or len(args) > len(self._positional)
            or not self._required <= given.keys()
            or not (given.keys() <= self._names or self._takes_any_name)
        ):
            self._signature.bind(*args, **kwargs)  # raises the TypeError that Python would raise
        opaque = {name: given.pop(name) for name in self._opaque if name in given}
        for name, value in opaque.items():
            if not isinstance(value, self._opaque[name]):
                raise invalid_input([(name, f"Expected another type, got `{type(value).__name__}`")])
        return self._converted(given) | opaque

    def _converted(self, given: dict[str, Any]) -> dict[str, Any]:
        try:
            if not PLAIN.issuperset(map(type, given.values())):
                given = msgspec.to_builtins(given, builtin_types=AS_THEY_ARE)
            if contains_nul(msgspec.json.encode(given)):
                raise invalid_input([(nul_field(given), NO_NUL)])
            checked = msgspec.convert(given, self._type)
        except msgspec.ValidationError as refusal:
            raise conversion_error([located("", str(refusal))]) from None
        except RecursionError:
            raise invalid_input([("", TOO_DEEP)]) from None
        except (TypeError, ValueError, OverflowError) as error:  # an object, half a character, a huge number
            raise Invalid(f"A value cannot be stored: {error}") from None
        return {name: getattr(checked, name, value) for name, value in given.items()}


def type_variables(owner: Any) -> dict[Any, Any]:
    """The types that replace the type variables of a generic class or its bases."""
    found: dict[Any, Any] = {}
    for base in (owner, *getattr(get_origin(owner) or owner, "__orig_bases__", ())):
        origin = get_origin(base)
        if origin is not None and origin is not Generic:
            found |= zip(origin.__parameters__, get_args(base), strict=True)
    return found


def _resolved(kind: Any, meanings: Mapping[Any, Any]) -> Any:
    return meanings.get(kind, Any) if isinstance(kind, TypeVar) else kind


def _class_of(kind: Any) -> type:
    found = get_origin(kind) or kind
    known_by_methods = getattr(found, "_is_protocol", False) and not getattr(
        found, "_is_runtime_protocol", False
    )
    return object if known_by_methods else cast(type, found)


def _opaque_classes(kind: Any) -> tuple[type, ...]:
    """The classes of a parameter that cannot be data, such as a function; empty for all others."""
    kinds = get_args(kind) if type(None) in get_args(kind) else (kind,)
    for one in kinds:
        try:
            if not isinstance(msgspec.inspect.type_info(one), msgspec.inspect.CustomType):
                continue
        except TypeError:
            pass
        return tuple(_class_of(each) for each in kinds)
    return ()
