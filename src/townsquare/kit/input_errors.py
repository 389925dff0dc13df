"""Error messages for invalid input: every field by name, with bounded length."""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any

from townsquare.problems import Invalid, UnknownField

NAME_SHOWN, MESSAGE_SHOWN, ERRORS_SHOWN = 64, 200, 20  # maximum lengths and number in an error
PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
UNKNOWN_INSIDE = re.compile(r"Object contains unknown field `(?P<name>.*)`", re.DOTALL)

LOOKED_AT = 1_000  # values that are searched for U+0000

NOT_KNOWN = "is not known here"
NO_NUL = "must not contain the character U+0000"
TOO_DEEP = "is nested too deeply"
NUL = b"\\u0000"
BACKSLASH = b"\\\\"  # itself escaped

FieldError = tuple[str, str]  # the field and the message


def invalid_input(errors: list[FieldError], kind: type[Invalid] = Invalid) -> Invalid:
    shown = [(field[:NAME_SHOWN], message[:MESSAGE_SHOWN]) for field, message in errors[:ERRORS_SHOWN]]
    named = [f"{field}: {message}" if field else message for field, message in shown]
    return kind("; ".join(named), errors=[{"field": field, "message": message} for field, message in shown])


def unknown_fields(
    unknown: Iterable[str], contradicted: Iterable[str], known: Collection[str], hint: str = ""
) -> Invalid:
    """An error for unknown fields and for fields that contradict the path."""
    shown = [name[:NAME_SHOWN] for name in islice(unknown, ERRORS_SHOWN)]
    errors = [(name, _not_known(name, known, hint)) for name in shown]
    errors += [(name, "is not what the path says") for name in contradicted]
    return invalid_input(errors, UnknownField if shown else Invalid)


def conversion_error(errors: list[FieldError]) -> Invalid:
    """The error of a conversion; an unknown field of an inner object has the code `unknown_field`."""
    inside = any(message == NOT_KNOWN for _, message in errors)
    return invalid_input(errors, UnknownField if inside else Invalid)


def located(name: str, message: str) -> FieldError:
    """The error of msgspec, with the path in the request instead of the path in the value."""
    place = PLACE.search(message)
    path = place["path"] if place else ""
    message = message[: place.start()] if place else message
    where = f"{name}{path}" if name else path.removeprefix(".")
    unknown = UNKNOWN_INSIDE.fullmatch(message)
    return (f"{where}.{unknown['name']}", NOT_KNOWN) if unknown else (where, message)


def _not_known(name: str, known: Collection[str], hint: str) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    message = [NOT_KNOWN, *(f"did you mean `{one}`?" for one in near), hint]
    return "; ".join(filter(None, message))


def contains_nul(json: bytes) -> bool:
    """Whether a text contains U+0000; an escaped backslash before `u0000` does not count."""
    return NUL in json and NUL in json.replace(BACKSLASH, b"")


def nul_field(values: Mapping[str, Any]) -> str:
    """The field that contains U+0000, if it is among the first 1,000 values."""
    remaining: list[tuple[str, Any]] = [("", values)]
    for _ in range(LOOKED_AT):
        if not remaining:
            break
        name, value = remaining.pop()
        if isinstance(value, str) and "\0" in value:
            return name
        if isinstance(value, dict):
            some = list(islice(value.items(), LOOKED_AT))
            if any("\0" in key for key, _ in some):
                return name
            before = f"{name}." if name else ""
            remaining.extend((f"{before}{key}"[:NAME_SHOWN], inner) for key, inner in some)
        elif isinstance(value, list):
            remaining.extend((f"{name}[{index}]", inner) for index, inner in enumerate(value[:LOOKED_AT]))
    return ""
