"""From records to the keys derived from them, and from members back to records."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from typing import Any

from townsquare.integrity.store_reader import Unreadable
from townsquare.keyspace import AnyDeclared, AnyKey, Key, Record
from townsquare.keyspace.parts import Matching, Part, Text
from townsquare.keyspace.relations import Params, Source, value_at


def derive(source: Source, record: Record) -> Any:
    if isinstance(source, str):
        return value_at(record, source)
    try:
        return source(record)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from None


def choices(declared: AnyDeclared, params: Params, owner: AnyKey, record: Record) -> list[list[Any]]:
    """The values of each parameter of a key that a record gives: none, one or several."""
    found = []
    for name, part in declared.parts.items():
        value = derive(params[name], record) if name in params else owner.params[name]
        several = value if isinstance(value, list | tuple | set | frozenset) else (value,)
        found.append([convert(part, one) for one in several if one is not None and one != ""])
    return found


def derived_keys(declared: AnyDeclared, params: Params, owner: AnyKey, record: Record) -> list[AnyKey]:
    """The keys derived from a record: none if a parameter has no value, several if one has several."""
    values = product(*choices(declared, params, owner, record))
    return list(dict.fromkeys([buildable(declared(*some)) for some in values]))


def counterpart(declared: AnyDeclared, key: AnyKey) -> AnyKey:
    """The key of another declaration for the same parameters."""
    return Key(declared, key.values) if declared.names == key.declared.names else declared.of(key.params)


def buildable(key: AnyKey) -> AnyKey:
    """The key, if its values can be part of a name."""
    try:
        key.text  # noqa: B018 - rendering it is the test
    except (ValueError, TypeError, AttributeError) as error:
        raise Unreadable(str(error)) from None
    return key


def key_or_none(declared: AnyDeclared, values: tuple[Any, ...]) -> AnyKey | None:
    try:
        return buildable(Key(declared, values))
    except Unreadable:
        return None


KeyFinder = Callable[[bytes, Mapping[str, Any]], AnyKey | None]


@cache
def key_finder(declared: AnyDeclared, name: str) -> KeyFinder:
    """A function from a member of a set, or the value of an index, to the key whose parameter `name` it is.

    The function also takes the other parameters of the key. It returns None if there can be no such key.
    """
    read, names = reader(declared.parts[name]), declared.names
    alone = names == (name,)

    def find(member: bytes, params: Mapping[str, Any]) -> AnyKey | None:
        try:
            value = read(member.decode())
            values = (value,) if alone else tuple(value if one == name else params[one] for one in names)
            key: AnyKey = Key(declared, values)
            key.text  # noqa: B018 - not every value can be part of a name
        except (ValueError, TypeError, AttributeError, KeyError):
            return None
        return key

    return find


def convert(part: Part, value: Any) -> Any:
    """A value from a field as the parameter of a key."""
    if not isinstance(value, str):
        return str(value) if isinstance(part, Text) else value
    try:
        return reader(part)(value)
    except ValueError as error:
        raise Unreadable(str(error)) from None


@cache
def reader(part: Part) -> Callable[[str], Any]:
    """A function that reads a parameter from a field or a member, where text is not encoded."""
    return str if isinstance(part, Text | Matching) else part.decode
