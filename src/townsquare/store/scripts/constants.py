"""Facts that Python declares and Lua reads: `const.LIKE_WEIGHT`, and `lifetime.home_feed` in seconds.

Each is written into the program as a literal, so that it costs nothing and stands in one place.
"""

import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from townsquare.keyspace import DeclarationError, Keyspace

NAMED = re.compile(r"(?<![\w.'])(const|lifetime)\.(\w+)")

Constants = ModuleType | Mapping[str, Any]


def written_out(source: str, file: str, constants: Constants, keyspace: Keyspace) -> str:
    """The source with literals for the constants and lifetimes that it names."""
    known = vars(constants) if isinstance(constants, ModuleType) else constants

    def literal(named: re.Match[str]) -> str:
        table, name = named.groups()
        if table == "lifetime":
            return str(seconds(keyspace, name, file))
        if not name.isupper() or name not in known:
            raise DeclarationError(f"{file}: there is no constant {name}")
        return lua_literal(known[name], f"{file}: {name}")

    return NAMED.sub(literal, source)


def seconds(keyspace: Keyspace, key: str, file: str) -> int:
    if key not in keyspace.keys:
        raise DeclarationError(f"{file}: no key {key!r} is declared, so it has no lifetime")
    found = keyspace.keys[key].lifetime.seconds
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
