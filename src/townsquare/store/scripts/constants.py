"""Python constants that Lua uses, written into the program as literals.

const.LIKE_WEIGHT    a constant
lifetime.home_feed   the lifetime of a key, in seconds
indexes_of.user      the relations of a record that depend only on its fields: {name of the key, its sources}.
groups_of.user       A source is the path of a field ({'providers', 'google'}), or a text that is the same for
orders_of.user       every record
"""

import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from townsquare.clock import CLOCK_SKEW_MS
from townsquare.keyspace import (
    AnyDeclared,
    DeclarationError,
    Groups,
    Indexes,
    Keyspace,
    Orders,
    Relation,
    Value,
)
from townsquare.keyspace.relations import Params, always, plain_sources
from townsquare.store.keys import system

NAMED = re.compile(r"(?<![\w.'])(const|lifetime|(?:indexes|groups|orders)_of)\.(\w+)")

DERIVED = {"indexes_of": Indexes, "groups_of": Groups, "orders_of": Orders}

Constants = ModuleType | Mapping[str, Any]


def written_out(source: str, file: str, constants: Constants, keyspace: Keyspace) -> str:
    """The source with its constants and lifetimes replaced by literals."""
    named = vars(constants) if isinstance(constants, ModuleType) else constants
    known = {"CLOCK_SKEW_MS": CLOCK_SKEW_MS, **named}

    def literal(named: re.Match[str]) -> str:
        table, name = named.groups()
        if table == "lifetime":
            return str(seconds(keyspace, name, file))
        if table in DERIVED:
            return lua_literal(relations(keyspace, table, name, file), file)
        if not name.isupper() or name not in known:
            raise DeclarationError(f"{file}: there is no constant {name}")
        return lua_literal(known[name], f"{file}: {name}")

    return NAMED.sub(literal, source)


def relations(keyspace: Keyspace, table: str, record: str, file: str) -> list[tuple[str, Any]]:
    """The keys of these relations of a record, with the sources of their parameters."""
    if record not in keyspace.keys:
        raise DeclarationError(f"{file}: no key {record!r} is declared")
    found = []
    for derived, params, relation in derived_from(keyspace, record):
        if isinstance(relation, DERIVED[table]):
            sources = plain_sources(derived, params)
            if sources is not None and getattr(relation, "where", always) is always:
                paths = [one.value if isinstance(one, Value) else one.split(".") for one in sources]
                found.append((derived.name, paths))
            elif isinstance(relation, Indexes):
                raise DeclarationError(f"{file}: {derived} is computed by a Python function")
    return found


def derived_from(keyspace: Keyspace, record: str) -> Iterator[tuple[AnyDeclared, Params, Relation]]:
    """The keys that relations derive from a record, with the sources of their parameters."""
    for relation in keyspace.relations:
        match relation:
            case Indexes(index=derived) | Groups(group=derived) | Orders(order=derived):
                if relation.record is keyspace.keys[record]:
                    yield derived, relation.params, relation


def seconds(keyspace: Keyspace, key: str, file: str) -> int:
    declared = keyspace.keys.get(key) or system.keys.get(key)
    if declared is None:
        raise DeclarationError(f"{file}: no key {key!r} is declared, so it has no lifetime")
    found = declared.lifetime.seconds
    if found is None:
        raise DeclarationError(f"{file}: {key} lives forever")
    return found


def lua_literal(value: Any, where: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            return f"'{escaped}'"
        case tuple() | list():
            return "({" + ", ".join(lua_literal(one, where) for one in value) + "})"
    raise DeclarationError(f"{where} is a {type(value).__name__}, which Lua cannot be given")
