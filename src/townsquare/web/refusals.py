"""What is told of an input that was refused: every field by name, and never more of it than fits a line."""

import difflib
import re
from collections.abc import Collection, Iterable
from itertools import islice

from townsquare.problems import Invalid, UnknownField

NAME_SHOWN, MESSAGE_SHOWN, ERRORS_SHOWN = 64, 200, 20  # of what a client made up
PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
UNKNOWN_INSIDE = re.compile(r"Object contains unknown field `(?P<name>.*)`", re.DOTALL)

NOT_KNOWN = "is not known here"

FieldError = tuple[str, str]  # the field, and what is wrong with it


def invalid(errors: list[FieldError], kind: type[Invalid] = Invalid) -> Invalid:
    shown = [(field[:NAME_SHOWN], message[:MESSAGE_SHOWN]) for field, message in errors[:ERRORS_SHOWN]]
    named = [f"{field}: {message}" if field else message for field, message in shown]
    return kind("; ".join(named), errors=[{"field": field, "message": message} for field, message in shown])


def unread(
    unknown: Iterable[str], contradicted: Iterable[str], known: Collection[str], hint: str = ""
) -> Invalid:
    """Names that nobody would read, and those to which the path says something else."""
    shown = [name[:NAME_SHOWN] for name in islice(unknown, ERRORS_SHOWN)]
    errors = [(name, _not_known(name, known, hint)) for name in shown]
    errors += [(name, "is not what the path says") for name in contradicted]
    return invalid(errors, UnknownField if shown else Invalid)


def explained(errors: list[FieldError]) -> Invalid:
    """What a conversion found; a name that an object inside does not know has the code of unknown fields."""
    inside = any(message == NOT_KNOWN for _, message in errors)
    return invalid(errors, UnknownField if inside else Invalid)


def placed(name: str, message: str) -> FieldError:
    """msgspec says where inside the value; we say where in the request."""
    place = PLACE.search(message)
    path = place["path"] if place else ""
    said = message[: place.start()] if place else message
    where = f"{name}{path}" if name else path.removeprefix(".")
    unknown = UNKNOWN_INSIDE.fullmatch(said)
    return (f"{where}.{unknown['name']}", NOT_KNOWN) if unknown else (where, said)


def _not_known(name: str, known: Collection[str], hint: str) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    said = [NOT_KNOWN, *(f"did you mean `{one}`?" for one in near), hint]
    return "; ".join(filter(None, said))
