"""When a film came out, as people say it: "80s", "before 1990", "early 70s", "last ten years", "recent"."""

import re
from collections.abc import Callable, Sequence

import msgspec

from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.ranges import (
    Limits,
    Stretch,
    Years,
    form_at,
    joined_at,
    number_at,
    relations,
    skip,
    within,
)
from townsquare.services.search.understanding.local.tables import markers, phrases, words
from townsquare.services.search.understanding.local.tokens import Token

ABOUT_YEARS = 3  # "around 2000"
DECADE = re.compile(r"(?:(1[89]|20)([0-9])0|([0-9])0)(?:s|er)")  # "80s", German "80er"
YEAR = re.compile(r"(?:18[89]|19[0-9]|20[0-9])[0-9]")
SHORT_YEAR = re.compile(r"[0-9]{2}")
APOSTROPHES = ("'", "’", "‘")


class Period(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Years, or how long ago they are."""

    first: int | None = None
    last: int | None = None
    since: int | None = None
    until: int | None = None
    decade: bool = False  # this one
    stated: bool = True
    says_more: bool = False

    def years(self, now: int) -> Years:
        first = now - now % 10 if self.decade else self.first
        first = first if self.since is None else now - self.since
        last = self.last if self.until is None else now - self.until
        return Years(first, last, stated=self.stated, vague=True, says_more=self.says_more)


PERIODS: Phrases[Period] = phrases("dates", "periods", Period)
BESIDE_A_KIND: Phrases[Period] = phrases("dates", "beside_a_kind", Period)  # "a new horror film", no new life
DECADES: Phrases[int] = phrases("dates", "decades", int)
PARTS: Phrases[Stretch] = phrases("dates", "parts", Stretch)  # of a decade
AFTER = relations("dates", "_after")
BETWEEN, RANGE = markers("between", "dates"), markers("range", "dates")
IN, LAST_YEARS = markers("in", "dates"), markers("last_years", "dates")
OLDER, YOUNGER = markers("older", "dates"), markers("younger", "dates")  # than so many years
BEFORE_AN_AGE, OR, ABOUT = words("before_an_age", "dates"), words("or", "dates"), words("about", "dates")
YEARS_WORD = words("years_word", "dates")
BEFORE_A_DECADE, AFTER_PART = markers("before_a_decade", "dates"), words("after_part", "dates")
DECADE_UNIT, YEAR_UNIT = words("decade_unit", "dates"), words("year_unit", "dates")
TO, ALSO = words("to", "dates"), words("also", "dates")  # "70s and 90s": nothing between them
BEFORE_A_POINT, ARTICLES = words("before_a_point", "dates"), words("articles", "dates")


def find_dates(
    tokens: Sequence[Token], this_year: int, beside_a_kind: Callable[[int, int], bool]
) -> list[FoundPhrase[Years]]:
    """From left to right; `beside_a_kind` tells whether tokens stand beside a word for a kind of film."""
    found: list[FoundPhrase[Years]] = []
    at = 0
    while at < len(tokens):
        one = _date_at(tokens, at) or _period_at(tokens, at, this_year, beside_a_kind)
        one = one or _ago_at(tokens, at, this_year)
        if one:
            found.append(one)
        at = one.end if one else at + 1
    return found


def _period_at(
    tokens: Sequence[Token], at: int, this_year: int, beside_a_kind: Callable[[int, int], bool]
) -> FoundPhrase[Years] | None:
    period, beside = PERIODS.at(tokens, at), BESIDE_A_KIND.at(tokens, at)
    if beside and not period and beside_a_kind(at, beside.end):
        period = beside
    return FoundPhrase(at, period.end, period.value.years(this_year)) if period else None


def _ago_at(tokens: Sequence[Token], at: int, this_year: int) -> FoundPhrase[Years] | None:
    """ "The last ten years", "films older than 20 years"; "a man older than 50 years" is no film."""
    last = LAST_YEARS.at(tokens, at)
    of_a_film = at == 0 or tokens[at - 1].form in BEFORE_AN_AGE or tokens[at].after_break
    older = OLDER.at(tokens, at) if of_a_film else None
    said = last or older or (YOUNGER.at(tokens, at) if of_a_film else None)
    if said is None:
        return None
    start = said.end
    if second := joined_at(tokens, start + 1, OR):  # "ten or fifteen", "10-15"
        start = second
    count = number_at(tokens, start)
    if not count or form_at(tokens, start + 1) not in YEARS_WORD:
        return None
    year = this_year - int(count)
    return FoundPhrase(at, start + 2, Years(None, year - 1) if older else Years(year, None))


def _date_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Years] | None:
    for opening, joiners in ((BETWEEN, TO | ALSO), (RANGE, TO)):
        said = opening.at(tokens, at)
        begin = point_at(tokens, said.end) if said else None
        second = joined_at(tokens, begin.end, joiners) if begin else None
        if begin and second is not None and (end := point_at(tokens, second)):
            return FoundPhrase(at, end.end, Years(begin.value[0], end.value[1]))
    if limit := LIMITS.at(tokens, at):
        return FoundPhrase(at, limit.end, Years(*limit.value))
    before = IN.at(tokens, at)
    start = before.end if before else at
    points, behind_points = _points_at(tokens, start)
    if not points:
        return None
    first, last = min(one for one, _ in points), max(one for _, one in points)
    if len(points) > 1:
        return FoundPhrase(at, behind_points, Years(first, last, gaps=_gaps_between(points)))
    if behind := AFTER.at(tokens, behind_points):
        return FoundPhrase(at, behind.end, Years(*within(behind.value, first, last)))
    if before and first == last and tokens[start - 1].form in ABOUT:
        return FoundPhrase(at, behind_points, Years(first - ABOUT_YEARS, last + ABOUT_YEARS))
    return FoundPhrase(at, behind_points, Years(first, last, bare=before is None and first == last))


def _points_at(tokens: Sequence[Token], at: int) -> tuple[list[Stretch], int]:
    """One year or decade, or a list of them, and its end: "70s or 90s", "1970s, 1980s", "1990 to 1995"."""
    found, stretches, end, through = point_at(tokens, at), list[Stretch](), at, None
    while found:
        if through is None:
            stretches.append(found.value)
        else:
            stretches[-1] = stretches[-1][0], found.value[1]
        end = found.end
        through = joined_at(tokens, end, TO)
        found = point_at(tokens, _listed_at(tokens, end) if through is None else through)
    return stretches, end


def _listed_at(tokens: Sequence[Token], at: int) -> int:
    """Where the next year of a list begins; beyond the end if there is no list."""
    if at >= len(tokens):
        return at
    gap, decades = tokens[at].gap.strip(), all(DECADE.fullmatch(one.form) for one in tokens[at - 1 : at + 1])
    if tokens[at].form in ALSO:
        return skip(tokens, at + 1, BEFORE_A_POINT)
    return at if gap in ("&", "/", "+") or (gap in ("", ",", "、") and decades) else len(tokens)


def _gaps_between(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    gaps: list[Stretch] = []
    reached = min(first for first, _ in stretches)
    for first, last in sorted(stretches):
        if first > reached:
            gaps.append((reached, first - 1))
        reached = max(reached, last + 1)
    return tuple(gaps)


def point_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Stretch] | None:
    """A year, a decade or a part of one."""
    at += form_at(tokens, at) in ARTICLES
    part = PARTS.at(tokens, at)
    at = skip(tokens, part.end, AFTER_PART) if part else at
    if decade := _decade_at(tokens, at):
        first, last = part.value if part else (0, 9)
        return FoundPhrase(at, decade.end, (decade.value + first, decade.value + last))
    form = form_at(tokens, at)
    if part or not form:
        return None
    if SHORT_YEAR.fullmatch(form) and tokens[at].gap.endswith(APOSTROPHES):  # '86, '05
        year = _century_of(int(form[0])) + int(form[1])
        return FoundPhrase(at, at + 1, (year, year))
    if YEAR.fullmatch(form):
        return FoundPhrase(at, at + 1 + (form_at(tokens, at + 1) in YEAR_UNIT), (int(form), int(form)))
    return None


LIMITS = Limits(relations("dates"), AFTER, OR, point_at)


def is_time(tokens: Sequence[Token], at: int) -> bool:
    """A decade or a year begins there, or the number of a decade: "60" of "des années 60"."""
    numbered = BEFORE_A_DECADE.at(tokens, at - 1) and _decade_at(tokens, at - 1)
    return point_at(tokens, at) is not None or bool(numbered)


def _decade_at(tokens: Sequence[Token], at: int) -> FoundPhrase[int] | None:
    if word := DECADES.at(tokens, at):
        return word
    if written := DECADE.fullmatch(form_at(tokens, at)):
        century, tens, short = written.groups()
        return FoundPhrase(at, at + 1, int(century + tens + "0") if century else _century_of(int(short)))
    before = BEFORE_A_DECADE.at(tokens, at)
    start = before.end if before else at
    form, unit = form_at(tokens, start), form_at(tokens, start + 1) in DECADE_UNIT
    if not (before or unit) or not form.endswith("0"):
        return None
    if SHORT_YEAR.fullmatch(form):
        return FoundPhrase(at, start + 1 + unit, _century_of(int(form[0])))
    return FoundPhrase(at, start + 1 + unit, int(form)) if YEAR.fullmatch(form) else None


def _century_of(tens: int) -> int:
    return 2000 + 10 * tens if tens < 2 else 1900 + 10 * tens  # "00s" and "10s" are ours, "20s" were roaring
