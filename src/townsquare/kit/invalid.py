"""Values that do not fit their declared types, said the same way by HTTP and by the library."""

import re
from collections.abc import Mapping
from typing import Any

from townsquare.problems import Invalid

NO_NUL = "must not contain the character U+0000"
TOO_DEEP = "is nested too deeply"
PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")


def invalid(errors: list[tuple[str, str]]) -> Invalid:
    """One problem for every field that is wrong."""
    named = [f"{field}: {message}" if field else message for field, message in errors]
    return Invalid(
        "; ".join(named), errors=[{"field": field, "message": message} for field, message in errors]
    )


def placed(name: str, message: str) -> tuple[str, str]:
    """msgspec says where inside the value; we say where in what was given."""
    place = PLACE.search(message)
    if place is None:
        return name, message
    path = place["path"]
    return (f"{name}{path}" if name else path.removeprefix(".")), message[: place.start()]


def refuse_nul(values: Mapping[str, Any]) -> None:
    remaining: list[tuple[str, Any]] = list(values.items())
    while remaining:
        name, value = remaining.pop()
        if isinstance(value, str):
            if "\0" in value:
                raise invalid([(name, NO_NUL)])
        elif isinstance(value, dict):
            if any("\0" in str(key) for key in value):
                raise invalid([(name, NO_NUL)])
            remaining.extend((f"{name}.{key}", inner) for key, inner in value.items())
        elif isinstance(value, list):
            remaining.extend((f"{name}[{index}]", inner) for index, inner in enumerate(value))
