"""Numbers, and ranges of them: "under 90", "after 1990", "or more"."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from townsquare.services.search.understanding.local.phrases import Phrases
from townsquare.services.search.understanding.local.tables import listed, phrases
from townsquare.services.search.understanding.local.tokens import Token

Relation = Literal["below", "at_most", "above", "at_least"]
DASHES = ("-", "–", "—", "~", "〜", "～")
NUMBERS: Phrases[int] = phrases("numbers", "numbers", int)
MOST_DIGITS = 6  # nobody means more, and int() of many takes long


class Range(NamedTuple):
    """Both included; None is open."""

    least: int | None
    most: int | None
    gaps: tuple[tuple[int, int], ...] = ()  # that are left out: "70s or 90s", "under 90 or over 180"
    stated: bool = True
    bare: bool = False  # a year and nothing beside it, which may be a title: "1917"
    text: str = ""  # what it says besides, to be searched: "silent film"
    vague: bool = False  # "new", "old": years that are named beside it count more


class Years(Range):
    __slots__ = ()


class Minutes(Range):
    __slots__ = ()


def bounds(relation: Relation, first: int, last: int) -> tuple[int | None, int | None]:
    """What is allowed beside a stretch of numbers."""
    match relation:
        case "below":
            return None, first - 1
        case "at_most":
            return None, last
        case "above":
            return last + 1, None
        case "at_least":
            return first, None


def relations(subject: str, suffix: str = "") -> Phrases[Relation]:
    """The tables of a subject that are named as relations."""
    return Phrases({phrase: name for name in get_args(Relation) for phrase in listed(subject, name + suffix)})


def number_at(tokens: Sequence[Token], at: int) -> float | None:
    if not 0 <= at < len(tokens):
        return None
    if word := NUMBERS.at(tokens, at):
        return word.value
    plain = tokens[at].form.replace(",", ".")
    if len(plain) <= MOST_DIGITS and plain[:1].isdecimal() and plain.replace(".", "", 1).isdecimal():
        return float(plain)
    return None


def joined_at(tokens: Sequence[Token], at: int, joiners: frozenset[str]) -> int | None:
    """Where the second number begins, behind a dash or a word."""
    if at >= len(tokens):
        return None
    if tokens[at].gap.strip() in DASHES:
        return at
    return at + 1 if tokens[at].form in joiners else None


def skip(tokens: Sequence[Token], at: int, words: frozenset[str]) -> int:
    while at < len(tokens) and tokens[at].form in words:
        at += 1
    return at


def form_at(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].form if 0 <= at < len(tokens) else ""
