"""When a film came out, as people say it: "80s", "before 1990", "early 70s", "last ten years", "recent"."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from townsquare.services.search.service.understanding.local.numbers import number_at
from townsquare.services.search.service.understanding.local.phrases import FoundPhrase, Phrases, words_of
from townsquare.services.search.service.understanding.local.tokens import Token

FIRST_FILM = 1888
NEW_YEARS = 4  # "new": this year and the four before
RECENT_YEARS = 7
OLD_BEFORE = 1980  # "old": of another generation
CLASSIC_BEFORE = 1985  # a preference only: people also call newer films classics
SILENT_UNTIL = 1929  # in 1930 nearly all films of the catalogue speak
ABOUT_YEARS = 3  # "around 2000"

DECADE = re.compile(r"(?:(1[89]|20)([0-9])0|([0-9])0)s")
YEAR = re.compile(r"(?:18[89]|19[0-9]|20[0-9])[0-9]")
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
BEFORE_A_DECADE = Phrases({"années | los años | años | los | decada de los | década de": True})
PARTS: dict[str, tuple[int, int]] = {  # of a decade
    "early": (0, 3),
    "mid": (4, 6),
    "late": (7, 9),
    "debut": (0, 3),
    "fin": (7, 9),
    "principios": (0, 3),
    "finales": (7, 9),
}
AFTER_PART = words_of("the des de los d to in of")


class Years(NamedTuple):
    """Both included; None is open."""

    first: int | None
    last: int | None
    stated: bool = True
    bare: bool = False  # a year and nothing beside it, which may be a title: "1917"
    text: str = ""  # what it says besides, to be searched: "silent film"


BEFORE = Phrases(
    {"before | pre | prior to | older than | earlier than | avant | antes de | antes del | anterior a": True}
)
UNTIL = Phrases({"until | till | up to | through | no later than | jusqu'en | hasta": True})
AFTER = Phrases({"after | post | newer than | later than | après | después de | posterior a": True})
SINCE = Phrases(
    {"since | from | starting | depuis | desde | à partir de | a partir de | not older than": True}
)
ONWARDS = Phrases(
    {
        "onwards | onward | on | and later | or later | and newer | or newer | and after | and up"
        " | 以降 | 以後 | から後"
        " | en adelante | et après": True
    }
)
EARLIER = Phrases(
    {"or earlier | or older | and earlier | and older | and before | or before | 以前 | より前 | まで": True}
)
BETWEEN = Phrases({"between | from | entre | de | desde | des": True})
TO = words_of("to and through until till thru et y a à hasta al から と 〜")
IN = Phrases(
    {
        "from the | in the | of the | from | in | of | year | released in | made in | out in | circa"
        " | around | from around | about | from about | around the | from around the | during the"
        " | during | de | en | del | del año | des | dans les | de los | en los | sorti en | the": True
    }
)
YEAR_UNIT = "年"
DECADE_UNIT = "年代"

Fixed = Callable[[int], Years]  # of this year

PHRASES: Phrases[Fixed] = Phrases(
    {
        "this year | cette année | este año | 今年": lambda now: Years(now, now),
        "last year | l'année dernière | el año pasado | 去年": lambda now: Years(now - 1, now - 1),
        "this decade": lambda now: Years(now - now % 10, None),
        "last decade | past decade | the last decade | última década | dernière décennie": lambda now: Years(
            now - 10, None
        ),
        "21st century | this century | twenty-first century | siglo xxi | xxie siècle": lambda now: Years(
            2000, None
        ),
        "20th century | last century | twentieth century | siglo xx | xxe siècle": lambda now: Years(
            None, 1999
        ),
        "silent era | silent film | silent films | silent movie | silent movies | silent cinema | film muet"
        " | films muets | cinéma muet | cine mudo | película muda | películas mudas | サイレント映画"
        " | 無声映画": lambda now: Years(None, SILENT_UNTIL, text="silent film"),
        "silent": lambda now: Years(None, None, stated=False, text="silent"),
        "pre-code | pre code": lambda now: Years(1929, 1934, text="pre-code"),
        "golden age of hollywood | golden age hollywood | classic hollywood | old hollywood": lambda now: (
            Years(1930, 1960)
        ),
        "new hollywood": lambda now: Years(1967, 1980, text="New Hollywood"),
        "french new wave | nouvelle vague": lambda now: Years(
            1958, 1969, stated=False, text="French New Wave"
        ),
        "recently released | recent years | the last few years | last few years | past few years"
        " | ces dernières années"
        " | últimos años | récemment | 最近 | 最近の | 近年": lambda now: Years(now - RECENT_YEARS, None),
        "brand new | just released | newly released | newest | latest | new release | new releases"
        " | 最新 | 新作 | 新しい"
        " | nouveauté | nouveautés | estrenos | estreno": lambda now: Years(now - NEW_YEARS, None),
        "old school | old-school | vintage | oldies | oldie": lambda now: Years(
            None, OLD_BEFORE - 1, stated=False
        ),
        "古い | 昔 | 昔の": lambda now: Years(None, OLD_BEFORE - 1),
        "old-time | olden": lambda now: Years(None, OLD_BEFORE - 1),
    }
)
BESIDE_A_GENRE: Phrases[Fixed] = Phrases(  # "a new horror film", but "a new life", "an old man"
    {
        "new | nouveau | nouveaux | nueva | nuevas": lambda now: Years(now - NEW_YEARS, None),
        "recent | récent | récents | récente"
        " | reciente | recientes | modern-day | contemporary": lambda now: Years(now - RECENT_YEARS, None),
        "old | vieux | vieja | viejas | antigua | antiguas | ancien": lambda now: Years(None, OLD_BEFORE - 1),
        "silent | muet | muda | mudas | 無声": lambda now: Years(None, SILENT_UNTIL, text="silent film"),
        "older": lambda now: Years(None, OLD_BEFORE - 1, stated=False),
        "classic | classics | classique | classiques"
        " | clásica | clásicas | clásico | クラシック": lambda now: Years(
            None, CLASSIC_BEFORE - 1, stated=False
        ),
    }
)
LAST_YEARS = Phrases(
    {
        "last | past | in the last | the last | the past | les | dernières | últimos | los últimos"
        " | ここ | 過去": True
    }
)
OR = words_of("or to ou o u à")
ABOUT = words_of("around circa about environ alrededor")
YEARS_WORD = words_of("years year ans annees anos dernieres 年間 年")


def find_dates(
    tokens: Sequence[Token], this_year: int, beside_a_genre: Callable[[int, int], bool]
) -> list[FoundPhrase[Years]]:
    """From left to right; `beside_a_genre` tells whether tokens stand beside a word for a kind of film."""
    found: list[FoundPhrase[Years]] = []
    at = 0
    while at < len(tokens):
        one = _date_at(tokens, at, this_year) or _fixed_at(tokens, at, this_year, beside_a_genre)
        if one:
            found.append(one)
        at = one.end if one else at + 1
    return found


def _fixed_at(
    tokens: Sequence[Token], at: int, this_year: int, beside_a_genre: Callable[[int, int], bool]
) -> FoundPhrase[Years] | None:
    phrase = PHRASES.at(tokens, at)
    beside = BESIDE_A_GENRE.at(tokens, at)
    if beside and (phrase is None or phrase.end == beside.end) and beside_a_genre(at, beside.end):
        return FoundPhrase(at, beside.end, beside.value(this_year))
    if phrase:
        return FoundPhrase(at, phrase.end, phrase.value(this_year))
    if last := LAST_YEARS.at(tokens, at):
        count, end = number_at(tokens, last.end), last.end + 1
        if end < len(tokens) and (tokens[end].form in OR or tokens[end].gap.strip() in ("-", "–")):
            end += tokens[end].form in OR  # "ten or fifteen", "10-15"
            count, end = number_at(tokens, end), end + 1
        if count and end < len(tokens) and tokens[end].form in YEARS_WORD:
            return FoundPhrase(at, end + 1, Years(this_year - int(count), None))
    return None


def _date_at(tokens: Sequence[Token], at: int, this_year: int) -> FoundPhrase[Years] | None:
    if between := BETWEEN.at(tokens, at):
        begin = _point(tokens, between.end)
        if begin and (second := _second_point(tokens, begin.end)):
            return FoundPhrase(at, second.end, Years(begin.value[0], second.value[1]))
    if (said := BEFORE.at(tokens, at)) and (point := _point(tokens, said.end)):
        return FoundPhrase(at, point.end, Years(None, point.value[0] - 1))
    if (said := UNTIL.at(tokens, at)) and (point := _point(tokens, said.end)):
        return FoundPhrase(at, point.end, Years(None, point.value[1]))
    if (said := AFTER.at(tokens, at)) and (point := _point(tokens, said.end)):
        return FoundPhrase(at, point.end, Years(point.value[1] + 1, None))
    if (since := SINCE.at(tokens, at)) and (point := _point(tokens, since.end)):
        onwards = ONWARDS.at(tokens, point.end)
        if onwards or tokens[at].form != "from":
            return FoundPhrase(at, onwards.end if onwards else point.end, Years(point.value[0], None))
    before = IN.at(tokens, at)
    start = before.end if before else at
    point = _point(tokens, start)
    if point is None:
        return None
    first, last = point.value
    if second := _second_point(tokens, point.end):
        return FoundPhrase(at, second.end, Years(first, second.value[1]))
    if (end := _end_of_decades(tokens, point)) > point.end:
        decades = [_decade(tokens, one) for one in range(point.end, end)]
        years = [first, last, *(one.value + more for one in decades if one for more in (0, 9))]
        if second := _second_point(tokens, end):
            years, end = [*years, *second.value], second.end
        return FoundPhrase(at, end, Years(min(years), max(years)))
    if onwards := ONWARDS.at(tokens, point.end):
        return FoundPhrase(at, onwards.end, Years(first, None))
    if earlier := EARLIER.at(tokens, point.end):
        return FoundPhrase(at, earlier.end, Years(None, last))
    if before and first == last and tokens[start - 1].form in ABOUT:
        return FoundPhrase(at, point.end, Years(first - ABOUT_YEARS, last + ABOUT_YEARS))
    bare = before is None and first == last and point.end == start + 1
    return FoundPhrase(at, point.end, Years(first, last, bare=bare))


def _end_of_decades(tokens: Sequence[Token], point: FoundPhrase[tuple[int, int]]) -> int:
    """Of "80s 90s" or "1970s, 1980s": all of them are meant."""
    end = point.end
    while (
        DECADE.fullmatch(tokens[end - 1].form)
        and end < len(tokens)
        and DECADE.fullmatch(tokens[end].form)
        and tokens[end].gap.strip() in ("", ",", "/", "、")
    ):
        end += 1
    return end


def _second_point(tokens: Sequence[Token], at: int) -> FoundPhrase[tuple[int, int]] | None:
    """What follows "1990 to", "1990-" or "70s and"."""
    if at >= len(tokens):
        return None
    if tokens[at].form in TO or tokens[at].form in ("or", "ou", "o", "u"):
        at += 1
        if at < len(tokens) and tokens[at].form in ("the", "les", "los"):
            at += 1
        return _point(tokens, at)
    if tokens[at].gap.strip() in ("-", "–", "—", "~", "〜"):
        return _point(tokens, at)
    return None


def _point(tokens: Sequence[Token], at: int) -> FoundPhrase[tuple[int, int]] | None:
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
    if part is None and at < len(tokens) and YEAR.fullmatch(tokens[at].form):
        year = int(tokens[at].form)
        end = at + 1
        if end < len(tokens) and tokens[end].form in (YEAR_UNIT, "年の", "年公開"):
            end += 1
        return FoundPhrase(at, end, (year, year))
    return None


def _decade(tokens: Sequence[Token], at: int) -> FoundPhrase[int] | None:
    if at >= len(tokens):
        return None
    if word := DECADE_WORDS.at(tokens, at):
        return word
    if written := DECADE.fullmatch(tokens[at].form):
        century, tens, short = written.groups()
        return FoundPhrase(at, at + 1, int(century + tens + "0") if century else _century(int(short)))
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
        return FoundPhrase(at, end, _century(int(form[0])))
    if YEAR.fullmatch(form) and form.endswith("0"):
        return FoundPhrase(at, end, int(form))
    return None


def _century(tens: int) -> int:
    return 2000 + 10 * tens if tens < 2 else 1900 + 10 * tens  # "00s" and "10s" are ours, "20s" were roaring
