"""How long a film may be: "under two hours", "not too long", "90 minutes", "epic length"."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.ranges import (
    Limits,
    Minutes,
    Stretch,
    form_at,
    joined_at,
    number_at,
    relations,
    skip,
    within,
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
AFTER = relations("lengths", "_after")
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
        said, beside = SAID.at(tokens, at), BESIDE_A_KIND.at(tokens, at)
        one = None if said else _pair_at(tokens, at) or _amount_at(tokens, at)
        if not one and not said and beside and beside_a_kind(at, beside.end):
            said = beside
        if said:
            one = FoundPhrase(at, said.end, Minutes(said.value.least, said.value.most))
        if one:
            found.append(one._replace(end=skip(tokens, one.end, AFTER_AMOUNT)))
        at = one.end if one else at + 1
    return found


def _amount_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    """ "Under two hours", "about 90 minutes", "90 minutes or less"."""
    if limit := LIMITS.at(tokens, at):
        return FoundPhrase(at, limit.end, Minutes(*limit.value))
    exactly = EXACTLY.at(tokens, at)
    said = exactly or ABOUT.at(tokens, at)
    amount = _amount(tokens, said.end if said else at)
    if amount is None or amount.value.minutes > LONGEST:
        return None
    minutes, in_hours = amount.value
    if behind := AFTER.at(tokens, amount.end):
        return FoundPhrase(at, behind.end, Minutes(*within(behind.value, minutes, minutes)))
    less, more = (HOURS_SPREAD, HOURS_SPREAD) if in_hours else (ABOUT_LESS, ABOUT_MORE)
    least, most = (minutes, minutes) if exactly else (max(1, minutes - less), minutes + more)
    return FoundPhrase(at, amount.end, Minutes(least, most))


def _pair_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    """ "Between 90 and 110 minutes", "80-95 min", "runtime 120-150": the last one says the unit."""
    between, runtime = BETWEEN.at(tokens, at), RUNTIME.at(tokens, at)
    said = between or runtime
    start = said.end if said else at
    first, number = _amount(tokens, start), number_at(tokens, start)
    second = joined_at(tokens, first.end if first else start + 1, TO | AND if between else TO)
    if number is None or (second is None and (first or not runtime or number < LEAST_RUNTIME)):
        return None
    if second is None:
        return FoundPhrase(at, start + 1, Minutes(round(number) - ABOUT_LESS, round(number) + ABOUT_MORE))
    last = _amount(tokens, second)
    bare = number_at(tokens, second) if runtime and not last else None
    if last is None and bare is None:
        return None
    end, most, in_hours = (last.end, *last.value) if last else (second + 1, round(bare or 0), False)
    least = first.value.minutes if first else round(number * (60 if in_hours else 1))
    return FoundPhrase(at, end, Minutes(least, most)) if 1 <= least < most <= LONGEST else None


def _amount(tokens: Sequence[Token], at: int) -> FoundPhrase[Amount] | None:
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
    return FoundPhrase(start, end, Amount(round(minutes), in_hours)) if 1 <= minutes <= NO_FILM else None


def _limit_point(tokens: Sequence[Token], at: int) -> FoundPhrase[Stretch] | None:
    """An amount; without its unit if a later one has it: "less than 90 or more than 180 minutes"."""
    amount, number = _amount(tokens, at), number_at(tokens, at)
    if amount:
        return FoundPhrase(at, amount.end, (amount.value.minutes, amount.value.minutes))
    later = BEFORE.at(tokens, at + 2) if form_at(tokens, at + 1) in OR else None
    last = _amount(tokens, later.end) if later else None
    if number is None or last is None:
        return None
    minutes = round(number * (60 if last.value.in_hours else 1))
    return FoundPhrase(at, at + 1, (minutes, minutes))


BEFORE = relations("lengths")
LIMITS = Limits(BEFORE, AFTER, OR, _limit_point)
