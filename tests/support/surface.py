"""What a caller of the library can reach: every public method of every service, and the types it names."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec


def public_methods(service: Any, path: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The methods of a service and of its parts, as a square offers them."""
    for name in dir(service):
        if name.startswith("_"):
            continue
        found, place = getattr(service, name), f"{path}.{name}"
        if inspect.isfunction(found):
            yield place, found
        elif type(found) is type(service):
            yield from public_methods(found, place)


def types_in(hint: Any) -> Iterator[type]:
    """The classes of ours that an annotation names, and those of their fields."""
    origin = get_origin(hint)
    if origin is None:
        if isinstance(hint, type) and hint.__module__.startswith("townsquare."):
            yield hint
        return
    for part in (origin, *get_args(hint)):
        for each in part if isinstance(part, list) else [part]:
            yield from types_in(each)


def types_of(methods: Iterable[Callable[..., Any]]) -> set[type]:
    """Every class of ours that these methods take or answer, with those of their fields."""
    waiting = [hint for method in methods for hint in get_type_hints(method).values()]
    found: set[type] = set()
    while waiting:
        for kind in set(types_in(waiting.pop())) - found:
            found.add(kind)
            if issubclass(kind, msgspec.Struct):
                waiting += [hint for hint in get_type_hints(kind).values() if not isinstance(hint, TypeVar)]
    return found
