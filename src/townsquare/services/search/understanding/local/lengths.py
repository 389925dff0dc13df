"""How long a film may be: "under two hours", "not too long", "90 minutes", "epic length"."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from townsquare.services.search.understanding.local.numbers import number_at
from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.tables import markers, words
from townsquare.services.search.understanding.local.tokens import Token

SHORT = 95  # minutes: shorter than most
SHORT_FILM = 45
NOT_TOO_LONG = 120
LONG = 150
ABOUT_LESS, ABOUT_MORE = 10, 5  # "90 minutes" is 80 to 95: people mind more that it is longer
HOURS_SPREAD = 15  # "a three hour film"
SHORTEST, LONGEST = 1, 900  # what can be meant as a film's length
LEAST_RUNTIME = 20  # a smaller number without a unit is something else
NO_FILM = 1_000_000  # minutes; "over 20 hours" is a limit all the same

HOUR = words("hour", "lengths")
MINUTE = words("minute", "lengths")
AND = words("and", "lengths")
BETWEEN = markers("between", "lengths")
TO = words("to", "lengths")
DASHES = ("-", "–", "—", "~", "〜", "～")
HALF = markers("half", "lengths")


class Minutes(NamedTuple):
    """Both included; None is open."""

    least: int | None
    most: int | None
    gap: tuple[int, int] | None = None  # between two ranges: "under 90 or over 180 minutes"


FEWER = markers("fewer", "lengths")
AT_MOST = markers("at_most", "lengths")
MORE = markers("more", "lengths")
AT_LEAST = markers("at_least", "lengths")
ABOUT = markers("about", "lengths")
EXACTLY = markers("exactly", "lengths")
OR = words("or", "lengths")
OR_LESS = markers("or_less", "lengths")
UNDER_AFTER = markers("under_after", "lengths")
OR_MORE = markers("or_more", "lengths")
Marker = tuple[Phrases[bool], Callable[[int], Minutes]]
BEFORE_AN_AMOUNT: tuple[Marker, ...] = (
    (FEWER, lambda amount: Minutes(None, amount - 1)),
    (AT_MOST, lambda amount: Minutes(None, amount)),
    (MORE, lambda amount: Minutes(amount + 1, None)),
    (AT_LEAST, lambda amount: Minutes(amount, None)),
)
AFTER_AN_AMOUNT: tuple[Marker, ...] = (
    (OR_LESS, lambda amount: Minutes(None, amount)),
    (UNDER_AFTER, lambda amount: Minutes(None, amount - 1)),
    (OR_MORE, lambda amount: Minutes(amount, None)),
)
RUNTIME = markers("runtime", "lengths")  # a number behind it needs no unit: "runtime 120-150"
AFTER_AMOUNT = words("after_amount", "lengths")

SAID: Phrases[Minutes] = Phrases(
    {
        "not too long | not very long | not that long | not long | isn't too long | not overly long"
        " | nothing too long"
        " | nothing long | doesn't drag on | reasonable length | reasonably short | pas trop long"
        " | pas trop longue"
        " | no muy larga | no demasiado larga | que no sea muy larga | que no sea larga | 長すぎない"
        " | あまり長くない"
        " | 長くない": Minutes(None, NOT_TOO_LONG),
        "short film | short films | shorts | court métrage | courts métrages | cortometraje | cortometrajes"
        " | 短編映画 | 短編": Minutes(None, SHORT_FILM),
        "fairly short | really short | quite short | keep it short | kept short | short runtime"
        " | short running time"
        " | short and sweet | quick watch | quick movie | 短い | 短め | something short | short one"
        " | a short one"
        " | something quick | assez court | plutôt court": Minutes(None, SHORT),
        "epic length | epic-length | very long | really long | super long | extra long | long runtime"
        " | long epic"
        " | très long | muy larga | 長編 | 長い | as long as possible | lengthy": Minutes(LONG, None),
    }
)
BESIDE_A_GENRE: Phrases[Minutes] = Phrases(  # "a short thriller", but "a short man"
    {
        "short | shorter | brief | court | courte | corta | corto": Minutes(None, SHORT),
        "long | longer | larga | longue": Minutes(LONG, None),
    }
)


def find_lengths(
    tokens: Sequence[Token], beside_a_genre: Callable[[int, int], bool]
) -> list[FoundPhrase[Minutes]]:
    found: list[FoundPhrase[Minutes]] = []
    at = 0
    while at < len(tokens):
        one = _length_at(tokens, at)
        if one is None and (said := BESIDE_A_GENRE.at(tokens, at)) and beside_a_genre(said.start, said.end):
            one = said
        if one:
            found.append(one)
        at = one.end if one else at + 1
    return found


def _length_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    if said := SAID.at(tokens, at):
        return said
    if between := _range_at(tokens, at):
        return between
    if runtime := _runtime_at(tokens, at) or _two_ranges_at(tokens, at):
        return runtime
    for marker, minutes in BEFORE_AN_AMOUNT:
        longest = NO_FILM if marker in (MORE, AT_LEAST) else LONGEST
        if (before := marker.at(tokens, at)) and (amount := _amount(tokens, before.end, longest)):
            return FoundPhrase(at, _after(tokens, amount.end), minutes(amount.value[0]))
    if (said_exactly := EXACTLY.at(tokens, at)) and (amount := _amount(tokens, said_exactly.end)):
        return FoundPhrase(at, _after(tokens, amount.end), Minutes(amount.value[0], amount.value[0]))
    about = ABOUT.at(tokens, at)
    amount = _amount(tokens, about.end if about else at)
    if amount is None:
        return None
    length, in_hours = amount.value
    for marker, minutes in AFTER_AN_AMOUNT:
        if after := marker.at(tokens, amount.end):
            return FoundPhrase(at, after.end, minutes(length))
    less, more = (HOURS_SPREAD, HOURS_SPREAD) if in_hours else (ABOUT_LESS, ABOUT_MORE)
    return FoundPhrase(at, _after(tokens, amount.end), Minutes(max(SHORTEST, length - less), length + more))


def _range_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    """ "Between 90 and 110 minutes", "two to three hours", "80-95 min": the last one says the unit."""
    said = BETWEEN.at(tokens, at)
    start = said.end if said else at
    least = _amount(tokens, start)
    number = number_at(tokens, start)
    end = least.end if least else start + 1
    if number is None or end >= len(tokens):
        return None
    dashed, joiner = tokens[end].gap.strip() in DASHES, tokens[end].form
    if not dashed and (joiner not in TO or (joiner in AND and not said)):
        return None
    most = _amount(tokens, end + (not dashed))
    if most is None:
        return None
    longest, in_hours = most.value
    shortest = least.value[0] if least else round(number * 60 if in_hours else number)
    if not SHORTEST <= shortest < longest:
        return None
    return FoundPhrase(at, _after(tokens, most.end), Minutes(shortest, longest))


def _two_ranges_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    """ "Less than 90 or more than 180 minutes": the last one says the unit."""
    fewer = FEWER.at(tokens, at)
    if fewer is None:
        return None
    first = _amount(tokens, fewer.end)
    number = number_at(tokens, fewer.end)
    joiner = first.end if first else fewer.end + 1
    if number is None or joiner >= len(tokens) or tokens[joiner].form not in OR:
        return None
    more = MORE.at(tokens, joiner + 1)
    last = _amount(tokens, more.end) if more else None
    if last is None:
        return None
    longest, in_hours = last.value
    shortest = first.value[0] if first else round(number * 60 if in_hours else number)
    if shortest > longest:
        return None
    return FoundPhrase(at, _after(tokens, last.end), Minutes(None, None, (shortest, longest)))


def _runtime_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Minutes] | None:
    said = RUNTIME.at(tokens, at)
    if said is None:
        return None
    start, limit = said.end, None
    for marker, minutes in BEFORE_AN_AMOUNT:
        if before := marker.at(tokens, start):
            start, limit = before.end, minutes
            break
    number, end = number_at(tokens, start), start + 1
    if number is None or not LEAST_RUNTIME <= number <= LONGEST or _amount(tokens, start):
        return None
    if limit:
        return FoundPhrase(at, end, limit(round(number)))
    last = None
    if end < len(tokens) and tokens[end].gap.strip() in DASHES:
        last = number_at(tokens, end)
    elif end < len(tokens) and tokens[end].form in TO:
        end, last = end + 1, number_at(tokens, end + 1)
    if last and number < last <= LONGEST:
        return FoundPhrase(at, end + 1, Minutes(round(number), round(last)))
    return FoundPhrase(at, start + 1, Minutes(round(number) - ABOUT_LESS, round(number) + ABOUT_MORE))


def _after(tokens: Sequence[Token], end: int) -> int:
    while end < len(tokens) and tokens[end].form in AFTER_AMOUNT:
        end += 1
    return end


def _amount(tokens: Sequence[Token], at: int, longest: int = LONGEST) -> FoundPhrase[tuple[int, bool]] | None:
    """Minutes, and whether they were said as hours: "90 minutes", "two and a half hours", "1h 45"."""
    start = at
    number = number_at(tokens, at)
    if number is None or at + 1 >= len(tokens):
        return None
    at += 1
    half = 0.0
    if said := HALF.at(tokens, at):
        half, at = 0.5, said.end
    unit = tokens[at].form if at < len(tokens) else ""
    if unit in MINUTE and not (unit == "m" and tokens[at].gap):
        return _possible(start, at + 1, number, in_hours=False, longest=longest)
    if unit not in HOUR:
        return None
    minutes, at = 60 * (number + half), at + 1
    if said := HALF.at(tokens, at):
        return _possible(start, said.end, minutes + 30, in_hours=True, longest=longest)
    rest_at = at + 1 if at < len(tokens) and tokens[at].form in AND else at
    rest = number_at(tokens, rest_at)
    if rest is not None and tokens[rest_at].form[0].isdecimal() and rest < 60:
        followed = rest_at + 1 < len(tokens) and tokens[rest_at + 1].form in MINUTE
        if followed or not tokens[rest_at].gap.strip():
            end = rest_at + 2 if followed else rest_at + 1
            return _possible(start, end, minutes + rest, in_hours=False, longest=longest)
    return _possible(start, at, minutes, in_hours=True, longest=longest)


def _possible(
    start: int, end: int, minutes: float, *, in_hours: bool, longest: int
) -> FoundPhrase[tuple[int, bool]] | None:
    if not SHORTEST <= minutes <= longest:
        return None
    return FoundPhrase(start, end, (round(minutes), in_hours))
