"""Numbers, and ranges of them: "under 90", "after 1990", "or more"."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.tables import listed, phrases
from townsquare.services.search.understanding.local.tokens import Token

Relation = Literal["below", "at_most", "above", "at_least"]
Stretch = tuple[int, int]
DASHES = ("-", "–", "—", "~", "〜", "～")
NUMBERS: Phrases[int] = phrases("numbers", "numbers", int)
MOST_DIGITS = 6  # nobody means more, and int() of many takes long


class Range(NamedTuple):
    """Both included; None is open."""

    least: int | None
    most: int | None
    gaps: tuple[Stretch, ...] = ()  # that are left out: "70s or 90s", "under 90 or over 180"
    stated: bool = True
    bare: bool = False  # a year and nothing beside it, which may be a title: "1917"
    vague: bool = False  # "new", "old": years that are named beside it count more
    says_more: bool = False  # than when: it stays in the text that is searched


class Years(Range):
    __slots__ = ()


class Minutes(Range):
    __slots__ = ()


def within(relation: Relation, first: int, last: int) -> tuple[int | None, int | None]:
    """What is allowed beside a stretch of numbers."""
    bounds: dict[Relation, tuple[int | None, int | None]] = {
        "below": (None, first - 1),
        "at_most": (None, last),
        "above": (last + 1, None),
        "at_least": (first, None),
    }
    return bounds[relation]


class Limits(NamedTuple):
    """How the limits of one kind of range are said, and what reads the numbers in them."""

    before: Phrases[Relation]
    after: Phrases[Relation]
    either: frozenset[str]
    point: Callable[[Sequence[Token], int], FoundPhrase[Stretch] | None]

    def at(self, tokens: Sequence[Token], at: int) -> FoundPhrase[Range] | None:
        """ "Before 1940", "under 90 or over 180 minutes", "since 1990 or later"."""
        limit = self.before.at(tokens, at)
        point = limit and self.point(tokens, limit.end)
        if not limit or not point:
            return None
        later = self.before.at(tokens, point.end + 1) if form_at(tokens, point.end) in self.either else None
        other = self.point(tokens, later.end) if later and later.value == "above" else None
        if limit.value == "below" and other:
            return FoundPhrase(at, other.end, Range(None, None, ((point.value[0], other.value[1]),)))
        behind = self.after.at(tokens, point.end)
        return FoundPhrase(at, (behind or point).end, Range(*within(limit.value, *point.value)))


def relations(subject: str, suffix: str = "") -> Phrases[Relation]:
    """The tables of a subject that are named as relations."""
    return Phrases({phrase: name for name in get_args(Relation) for phrase in listed(subject, name + suffix)})


def number_at(tokens: Sequence[Token], at: int) -> float | None:
    if word := NUMBERS.at(tokens, at):
        return word.value
    plain = form_at(tokens, at).replace(",", ".")
    if len(plain) <= MOST_DIGITS and plain[:1].isdecimal() and plain.replace(".", "", 1).isdecimal():
        return float(plain)
    return None


def joined_at(tokens: Sequence[Token], at: int, joiners: frozenset[str]) -> int | None:
    """Where the second number begins, behind a dash or a word."""
    if at < len(tokens) and tokens[at].gap.strip() in DASHES:
        return at
    return at + 1 if form_at(tokens, at) in joiners else None


def skip(tokens: Sequence[Token], at: int, words: frozenset[str]) -> int:
    while form_at(tokens, at) in words:
        at += 1
    return at


def form_at(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].form if 0 <= at < len(tokens) else ""
