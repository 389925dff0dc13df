"""How long a film may be: "under two hours", "not too long", "90 minutes", "epic length"."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.ranges import (
    Minutes,
    bounds,
    form_at,
    joined_at,
    number_at,
    relations,
    skip,
)
from townsquare.services.search.understanding.local.tables import markers, phrases, words
from townsquare.services.search.understanding.local.tokens import Token

ABOUT_LESS, ABOUT_MORE = 10, 5  # "90 minutes" is 80 to 95: people mind more that it is longer
HOURS_SPREAD = 15  # "a three hour film"
LONGEST = 900  # minutes that can be meant as a film's length
LEAST_RUNTIME = 20  # a smaller number without a unit is something else
NO_FILM = 1_000_000  # minutes; "over 20 hours" is a limit all the same


class Length(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    least: int | None = None
    most: int | None = None


class Amount(NamedTuple):
    minutes: int
    in_hours: bool


SAID: Phrases[Length] = phrases("lengths", "said", Length)
BESIDE_A_KIND: Phrases[Length] = phrases("lengths", "beside_a_kind", Length)  # a short film, no short man
BEFORE, AFTER = relations("lengths"), relations("lengths", "_after")
HOUR, MINUTE = words("hour", "lengths"), words("minute", "lengths")
AND, TO, OR = words("and", "lengths"), words("to", "lengths"), words("or", "lengths")
BETWEEN, HALF = markers("between", "lengths"), markers("half", "lengths")
ABOUT, EXACTLY = markers("about", "lengths"), markers("exactly", "lengths")
RUNTIME = markers("runtime", "lengths")  # a number behind it needs no unit: "runtime 120-150"
AFTER_AMOUNT = words("after_amount", "lengths")


def find_lengths(
    tokens: Sequence[Token], beside_a_kind: Callable[[int, int], bool]
) -> list[FoundPhrase[Minutes]]:
    found: list[FoundPhrase[Minutes]] = []
    at = 0
    while at < len(tokens):
        one = _length_at(tokens, at, beside_a_kind)
        if one:
            found.append(one._replace(end=skip(tokens, one.end, AFTER_AMOUNT)))
        at = one.end if one else at + 1
    return found


def _length_at(
    tokens: Sequence[Token], at: int, beside_a_kind: Callable[[int, int], bool]
) -> FoundPhrase[Minutes] | None:
    said = SAID.at(tokens, at)
    counted = _between_at(tokens, at) or _runtime_at(tokens, at) or _amount_at(tokens, at)
    if counted and said is None:
        return counted
    if said is None and (beside := BESIDE_A_KIND.at(tokens, at)) and beside_a_kind(at, beside.end):
        said = beside
    return FoundPhrase(at, said.end, Minutes(said.value.least, said.value.most)) if said else None


def _amount_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    """ "Under two hours", "about 90 minutes", "90 minutes or less"."""
    limit, exactly, about = BEFORE.at(tokens, at), EXACTLY.at(tokens, at), ABOUT.at(tokens, at)
    upwards = limit is not None and limit.value in ("above", "at_least")
    longest = NO_FILM if upwards else LONGEST
    if limit and (amount := _amount(tokens, limit.end, longest)):
        minutes = amount.value.minutes
        return FoundPhrase(at, amount.end, Minutes(*bounds(limit.value, minutes, minutes)))
    said = exactly or about
    amount = _amount(tokens, said.end if said else at)
    if amount is None:
        return None
    minutes, in_hours = amount.value
    if exactly:
        return FoundPhrase(at, amount.end, Minutes(minutes, minutes))
    if behind := AFTER.at(tokens, amount.end):
        return FoundPhrase(at, behind.end, Minutes(*bounds(behind.value, minutes, minutes)))
    less, more = (HOURS_SPREAD, HOURS_SPREAD) if in_hours else (ABOUT_LESS, ABOUT_MORE)
    return FoundPhrase(at, amount.end, Minutes(max(1, minutes - less), minutes + more))


def _between_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    """ "Between 90 and 110 minutes", "80-95 min", "less than 90 or more than 180 minutes"."""
    between, limit = BETWEEN.at(tokens, at), BEFORE.at(tokens, at)
    if limit and limit.value == "below":
        return _pair_at(tokens, at, limit.end, apart=True)
    return _pair_at(tokens, at, between.end, TO | AND) if between else _pair_at(tokens, at, at, TO)


def _pair_at(
    tokens: Sequence[Token], at: int, start: int, joiners: frozenset[str] = OR, *, apart: bool = False
) -> FoundPhrase[Minutes] | None:
    """Two amounts, of which the last one says the unit; `apart` leaves out what is between them."""
    first, number = _amount(tokens, start), number_at(tokens, start)
    second = joined_at(tokens, first.end if first else start + 1, joiners)
    if number is None or second is None:
        return None
    if apart:
        more = BEFORE.at(tokens, second)
        second = more.end if more and more.value == "above" else len(tokens)
    last = _amount(tokens, second)
    if last is None:
        return None
    least = first.value.minutes if first else round(number * (60 if last.value.in_hours else 1))
    if not 1 <= least < last.value.minutes:
        return None
    stretch = (least, last.value.minutes)
    return FoundPhrase(at, last.end, Minutes(None, None, (stretch,)) if apart else Minutes(*stretch))


def _runtime_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    said = RUNTIME.at(tokens, at)
    limit = BEFORE.at(tokens, said.end) if said else None
    start = limit.end if limit else said.end if said else len(tokens)
    number = number_at(tokens, start)
    if number is None or not LEAST_RUNTIME <= number <= LONGEST or _amount(tokens, start):
        return None
    minutes = round(number)
    if limit:
        return FoundPhrase(at, start + 1, Minutes(*bounds(limit.value, minutes, minutes)))
    second = joined_at(tokens, start + 1, TO)
    last = number_at(tokens, second) if second is not None else None
    if second is not None and last and number < last <= LONGEST:
        return FoundPhrase(at, second + 1, Minutes(minutes, round(last)))
    return FoundPhrase(at, start + 1, Minutes(minutes - ABOUT_LESS, minutes + ABOUT_MORE))


def _amount(tokens: Sequence[Token], at: int, longest: int = LONGEST) -> FoundPhrase[Amount] | None:
    """Minutes, and whether they were said as hours: "90 minutes", "two and a half hours", "1h 45"."""
    start, number = at, number_at(tokens, at)
    half = HALF.at(tokens, at + 1)
    at = half.end if half else at + 1
    unit = form_at(tokens, at)
    if number is None or not (unit in HOUR or unit in MINUTE) or (unit == "m" and tokens[at].gap):
        return None
    in_hours, minutes, end = unit in HOUR, number, at + 1
    if in_hours:
        minutes = 60 * (number + (0.5 if half else 0))
        rest_at = end + (form_at(tokens, end) in AND)
        rest = number_at(tokens, rest_at)
        if said := HALF.at(tokens, end):
            minutes, end = minutes + 30, said.end
        elif rest is not None and rest < 60 and tokens[rest_at].form[0].isdecimal():
            followed = form_at(tokens, rest_at + 1) in MINUTE
            if followed or not tokens[rest_at].gap.strip():
                in_hours, minutes, end = False, minutes + rest, rest_at + 1 + followed
    return FoundPhrase(start, end, Amount(round(minutes), in_hours)) if 1 <= minutes <= longest else None
