"""Years, decades and parts of them, and lists of these: "late 80s", "'86", "70s or 90s"."""

import re
from collections.abc import Sequence

from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.tables import markers, words
from townsquare.services.search.understanding.local.tokens import Token

DECADE = re.compile(r"(?:(1[89]|20)([0-9])0|([0-9])0)(?:s|er)")  # "80s", German "80er"
YEAR = re.compile(r"(?:18[89]|19[0-9]|20[0-9])[0-9]")
SHORT_YEAR = re.compile(r"[0-9]{2}")
TWO_DIGITS = re.compile(r"[0-9]0")

DECADE_WORDS: Phrases[int] = Phrases(
    {
        "twenties | roaring twenties": 1920,
        "thirties": 1930,
        "forties": 1940,
        "fifties": 1950,
        "sixties": 1960,
        "seventies": 1970,
        "eighties": 1980,
        "nineties": 1990,
        "noughties | aughts | two thousands": 2000,
        "twenty tens": 2010,
        "années soixante | años sesenta | los sesenta": 1960,
        "années soixante-dix | años setenta | los setenta": 1970,
        "années quatre-vingt | années quatre-vingts | años ochenta | los ochenta": 1980,
        "années quatre-vingt-dix | años noventa | los noventa": 1990,
        "années cinquante | años cincuenta | los cincuenta": 1950,
    }
)
BEFORE_A_DECADE = markers("before_a_decade", "dates")
PARTS: dict[str, tuple[int, int]] = {  # of a decade
    "early": (0, 3),
    "mid": (4, 6),
    "late": (7, 9),
    "debut": (0, 3),
    "fin": (7, 9),
    "principios": (0, 3),
    "finales": (7, 9),
}
AFTER_PART = words("after_part", "dates")
TO = words("to", "dates")
ALSO = words("also", "dates")  # "70s and 90s": nothing between them
BEFORE_A_POINT = words("before_a_point", "dates")
DASHES = ("-", "–", "—", "~", "〜", "～")
YEAR_UNIT = "年"
DECADE_UNIT = "年代"

Stretch = tuple[int, int]


def points_at(tokens: Sequence[Token], at: int) -> FoundPhrase[list[Stretch]] | None:
    """One year or decade, or a list of them: "70s or 90s", "1970s, 1980s", "1990 to 1995"."""
    found = point_at(tokens, at)
    if found is None:
        return None
    stretches, end = [found.value], found.end
    while end < len(tokens):
        through, start = _joined(tokens, end)
        following = point_at(tokens, start) if start is not None else None
        if following is None:
            break
        if through:
            stretches[-1] = stretches[-1][0], following.value[1]
        else:
            stretches.append(following.value)
        end = following.end
    return FoundPhrase(at, end, stretches)


def _joined(tokens: Sequence[Token], at: int) -> tuple[bool, int | None]:
    """Whether a range goes on there or a list, and where its next year begins."""
    token, gap = tokens[at], tokens[at].gap.strip()
    if gap in DASHES:
        return True, at
    if token.form in TO:
        return True, at + 1
    if token.form in ALSO:
        start = at + 1
        while start < len(tokens) and tokens[start].form in BEFORE_A_POINT:
            start += 1
        return False, start
    decades = DECADE.fullmatch(tokens[at - 1].form) and DECADE.fullmatch(token.form)
    listed = gap in ("&", "/", "+") or (gap in ("", ",", "、") and decades)
    return False, at if listed else None


def gaps_between(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    gaps: list[Stretch] = []
    reached = min(first for first, _ in stretches)
    for first, last in sorted(stretches):
        if first > reached:
            gaps.append((reached, first - 1))
        reached = max(reached, last + 1)
    return tuple(gaps)


def point_at(tokens: Sequence[Token], at: int) -> FoundPhrase[tuple[int, int]] | None:
    """A year, a decade or a part of one."""
    if at < len(tokens) and tokens[at].form in ("the", "les", "el", "l"):
        at += 1
    if at >= len(tokens):
        return None
    part = PARTS.get(tokens[at].form)
    if part:
        at += 1
        while at < len(tokens) and tokens[at].form in AFTER_PART:
            at += 1
    decade = _decade(tokens, at)
    if decade:
        first, last = part or (0, 9)
        return FoundPhrase(at, decade.end, (decade.value + first, decade.value + last))
    if part is None and at < len(tokens) and (short := _short_year(tokens[at])):
        return FoundPhrase(at, at + 1, (short, short))
    if part is None and at < len(tokens) and YEAR.fullmatch(tokens[at].form):
        year = int(tokens[at].form)
        end = at + 1
        if end < len(tokens) and tokens[end].form in (YEAR_UNIT, "年の", "年公開"):
            end += 1
        return FoundPhrase(at, end, (year, year))
    return None


def _short_year(token: Token) -> int | None:
    """'86, '05"""
    if not SHORT_YEAR.fullmatch(token.form) or not token.gap.endswith(("'", "’", "‘")):
        return None
    return century_of(int(token.form[0])) + int(token.form[1])


def is_time(tokens: Sequence[Token], at: int) -> bool:
    """A decade or a year begins there, or the number of a decade: "60" of "des années 60"."""
    named = at > 0 and BEFORE_A_DECADE.at(tokens, at - 1) is not None
    return point_at(tokens, at) is not None or (
        named and at < len(tokens) and bool(TWO_DIGITS.fullmatch(tokens[at].form))
    )


def _decade(tokens: Sequence[Token], at: int) -> FoundPhrase[int] | None:
    if at >= len(tokens):
        return None
    if word := DECADE_WORDS.at(tokens, at):
        return word
    if written := DECADE.fullmatch(tokens[at].form):
        century, tens, short = written.groups()
        return FoundPhrase(at, at + 1, int(century + tens + "0") if century else century_of(int(short)))
    before = BEFORE_A_DECADE.at(tokens, at)
    start = before.end if before else at
    if start >= len(tokens):
        return None
    form = tokens[start].form
    after = start + 1 < len(tokens) and tokens[start + 1].form == DECADE_UNIT
    if not (before or after):
        return None
    end = start + 2 if after else start + 1
    if TWO_DIGITS.fullmatch(form):
        return FoundPhrase(at, end, century_of(int(form[0])))
    if YEAR.fullmatch(form) and form.endswith("0"):
        return FoundPhrase(at, end, int(form))
    return None


def century_of(tens: int) -> int:
    return 2000 + 10 * tens if tens < 2 else 1900 + 10 * tens  # "00s" and "10s" are ours, "20s" were roaring
