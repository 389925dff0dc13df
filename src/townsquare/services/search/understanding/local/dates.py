"""When a film came out, as people say it: "80s", "before 1990", "early 70s", "last ten years", "recent"."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from townsquare.services.search.understanding.local.numbers import number_at
from townsquare.services.search.understanding.local.phrases import FoundPhrase, Phrases
from townsquare.services.search.understanding.local.tables import markers, words
from townsquare.services.search.understanding.local.tokens import Token
from townsquare.services.search.understanding.local.years import (
    ALSO,
    DASHES,
    TO,
    gaps_between,
    point_at,
    points_at,
)

FIRST_FILM = 1888
NEW_YEARS = 4  # "new": this year and the four before
RECENT_YEARS = 7
OLD_BEFORE = 1980  # "old": of another generation
CLASSIC_BEFORE = 1985  # a preference only: people also call newer films classics
SILENT_UNTIL = 1929  # in 1930 nearly all films of the catalogue speak
ABOUT_YEARS = 3  # "around 2000"


class Years(NamedTuple):
    """Both included; None is open."""

    first: int | None
    last: int | None
    stated: bool = True
    bare: bool = False  # a year and nothing beside it, which may be a title: "1917"
    text: str = ""  # what it says besides, to be searched: "silent film"
    vague: bool = False  # "new", "old": years that are named beside it count more
    gaps: tuple[tuple[int, int], ...] = ()  # between the years of a list: "70s or 90s"


BEFORE = markers("before", "dates")
UNTIL = markers("until", "dates")
AFTER = markers("after", "dates")
SINCE = markers("since", "dates")
ONWARDS = markers("onwards", "dates")
EARLIER = markers("earlier", "dates")
EARLIER_THAN = markers("earlier_than", "dates")
BETWEEN = markers("between", "dates")
RANGE = markers("range", "dates")
IN = markers("in", "dates")
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
        "silent era": lambda now: Years(None, SILENT_UNTIL, text="silent film"),
        "silent film | silent films | silent movie | silent movies | silent cinema | film muet"
        " | films muets | cinéma muet | cine mudo | película muda | películas mudas | サイレント映画"
        " | 無声映画": lambda now: Years(None, None, stated=False, text="silent film"),
        "new wave": lambda now: Years(None, None, stated=False, text="new wave"),
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
        "silent | muet | muda | mudas | 無声": lambda now: Years(
            None, None, stated=False, text="silent film"
        ),
        "older": lambda now: Years(None, OLD_BEFORE - 1, stated=False),
        "classic | classics | classique | classiques"
        " | clásica | clásicas | clásico | クラシック": lambda now: Years(
            None, CLASSIC_BEFORE - 1, stated=False
        ),
    }
)
LAST_YEARS = markers("last_years", "dates")
OLDER = markers("older", "dates")  # so many years
YOUNGER = markers("younger", "dates")
BEFORE_AN_AGE = words("before_an_age", "dates")
OR = words("or", "dates")
ABOUT = words("about", "dates")
YEARS_WORD = words("years_word", "dates")


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
        return FoundPhrase(at, beside.end, beside.value(this_year)._replace(vague=True))
    if phrase:
        return FoundPhrase(at, phrase.end, phrase.value(this_year)._replace(vague=True))
    if last := LAST_YEARS.at(tokens, at):
        count, end = number_at(tokens, last.end), last.end + 1
        if end < len(tokens) and (tokens[end].form in OR or tokens[end].gap.strip() in ("-", "–")):
            end += tokens[end].form in OR  # "ten or fifteen", "10-15"
            count, end = number_at(tokens, end), end + 1
        if count and end < len(tokens) and tokens[end].form in YEARS_WORD:
            return FoundPhrase(at, end + 1, Years(this_year - int(count), None))
    return _age_at(tokens, at, this_year)


def _age_at(tokens: Sequence[Token], at: int, this_year: int) -> FoundPhrase[Years] | None:
    """ "Films older than 20 years"; in "a man older than 50 years" it is not the film's."""
    if at and tokens[at - 1].form not in BEFORE_AN_AGE and not tokens[at].after_break:
        return None
    said = OLDER.at(tokens, at) or YOUNGER.at(tokens, at)
    count = number_at(tokens, said.end) if said else None
    if not said or not count or said.end + 1 >= len(tokens) or tokens[said.end + 1].form not in YEARS_WORD:
        return None
    year = this_year - int(count)
    older = OLDER.at(tokens, at) is not None
    return FoundPhrase(at, said.end + 2, Years(None, year - 1) if older else Years(year, None))


def _date_at(tokens: Sequence[Token], at: int, this_year: int) -> FoundPhrase[Years] | None:
    if years := _range_at(tokens, at):
        return years
    if (said := BEFORE.at(tokens, at)) and (point := point_at(tokens, said.end)):
        if point.end < len(tokens) and tokens[point.end].form in OR:
            later = AFTER.at(tokens, point.end + 1)
            other = point_at(tokens, later.end) if later else None
            if other and point.value[0] <= other.value[1]:  # "before 1940 or after 2010"
                return FoundPhrase(at, other.end, Years(None, None, gaps=((point.value[0], other.value[1]),)))
        return FoundPhrase(at, point.end, Years(None, point.value[0] - 1))
    if (said := UNTIL.at(tokens, at)) and (point := point_at(tokens, said.end)):
        return FoundPhrase(at, point.end, Years(None, point.value[1]))
    if (said := AFTER.at(tokens, at)) and (point := point_at(tokens, said.end)):
        return FoundPhrase(at, point.end, Years(point.value[1] + 1, None))
    if (since := SINCE.at(tokens, at)) and (point := point_at(tokens, since.end)):
        onwards = ONWARDS.at(tokens, point.end)
        if onwards or tokens[at].form != "from":
            return FoundPhrase(at, onwards.end if onwards else point.end, Years(point.value[0], None))
    before = IN.at(tokens, at)
    start = before.end if before else at
    points = points_at(tokens, start)
    if points is None:
        return None
    first, last = min(one for one, _ in points.value), max(one for _, one in points.value)
    if len(points.value) > 1:
        return FoundPhrase(at, points.end, Years(first, last, gaps=gaps_between(points.value)))
    if onwards := ONWARDS.at(tokens, points.end):
        return FoundPhrase(at, onwards.end, Years(first, None))
    if earlier := EARLIER_THAN.at(tokens, points.end):
        return FoundPhrase(at, earlier.end, Years(None, first - 1))
    if earlier := EARLIER.at(tokens, points.end):
        return FoundPhrase(at, earlier.end, Years(None, last))
    if before and first == last and tokens[start - 1].form in ABOUT:
        return FoundPhrase(at, points.end, Years(first - ABOUT_YEARS, last + ABOUT_YEARS))
    bare = before is None and first == last and points.end == start + 1
    return FoundPhrase(at, points.end, Years(first, last, bare=bare))


def _range_at(tokens: Sequence[Token], at: int) -> FoundPhrase[Years] | None:
    """ "Between 1990 and 1995", "from the 70s to the 90s"."""
    for opening, joiners in ((BETWEEN, TO | ALSO), (RANGE, TO)):
        if (
            (said := opening.at(tokens, at))
            and (begin := point_at(tokens, said.end))
            and begin.end < len(tokens)
            and (dashed := tokens[begin.end].gap.strip() in DASHES) | (tokens[begin.end].form in joiners)
            and (end := point_at(tokens, begin.end + (not dashed)))
        ):
            return FoundPhrase(at, end.end, Years(begin.value[0], end.value[1]))
    return None
