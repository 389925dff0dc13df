"""What a film must or should be, found in the tables."""

from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.dates import DECADE, SHORT_YEAR, YEAR, find_dates
from townsquare.services.search.understanding.local.exclusions import (
    excluding_words,
    marker_before,
    with_exclusions,
)
from townsquare.services.search.understanding.local.kinds import Kinds
from townsquare.services.search.understanding.local.lengths import LONGEST, find_lengths
from townsquare.services.search.understanding.local.phrases import FoundPhrase
from townsquare.services.search.understanding.local.ranges import Minutes, Years
from townsquare.services.search.understanding.local.reading import Claim, QueryReading, Wish
from townsquare.services.search.understanding.local.tables import Origin, words

BEFORE_A_SETTING = words("before_a_setting", "kinds")
SETTING = words("setting", "kinds")
NO_GENRE_AFTER = words("no_genre_after", "kinds")  # "goes to war"


HEADS = ("romance", "action", "adventure", "mystery")  # "a romance that …", "buddy cop action"


def find_wishes(reading: QueryReading, this_year: int) -> list[Wish]:
    """From left to right; names are claimed already."""
    kinds = Kinds(reading)
    wishes = [
        *_lengths(reading, kinds),
        *_ratings(reading),
        *_dates(reading, kinds, this_year),
        *_languages(reading, kinds),
        *_standings(reading, kinds),
        *_genres(reading, kinds),
        *_origins(reading, kinds),
    ]
    free: list[Wish] = []
    for wish in wishes:
        claims = {reading.claims[at] for at in range(wish.start, wish.end)}
        if claims == {None} or (wish.claim == "date" and claims == {None, "aspect"}):
            reading.claim(wish.start, wish.end, wish.claim)
            free.append(wish)
    return with_exclusions(reading, sorted(free, key=lambda wish: wish.start))


def _lengths(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    found = find_lengths(reading.tokens, kinds.beside)
    return [
        Wish("length", *one)
        for one in found
        if not (reading.is_prose and _is_a_stretch(one, kinds)) and not _is_a_time(one, kinds)
    ]


def _is_a_time(found: FoundPhrase[Minutes], kinds: Kinds) -> bool:
    """ "Told over 24 hours": longer than any film, and not said of films."""
    return (found.value.least or 0) > LONGEST and not kinds.beside(found.start, found.end)


def _is_a_stretch(found: FoundPhrase[Minutes], kinds: Kinds) -> bool:
    """ "Three hours of rain": a length without "under" or "over" that no film has."""
    return found.value.least is not None and found.value.most is not None and not kinds.follows(found.end)


def _ratings(reading: QueryReading) -> list[Wish]:
    return [
        Wish("rating", found.start, found.end, found.value, found.value.stated)
        for found in tables.RATINGS.find(reading.tokens)
        if not any(reading.form(at) in ("too", "unsuitable") for at in range(found.start - 3, found.start))
    ]


def _dates(reading: QueryReading, kinds: Kinds, this_year: int) -> list[Wish]:
    wishes = [
        Wish("date", found.start, found.end, found.value, found.value.stated)
        for found in find_dates(reading.tokens, this_year, kinds.beside)
        if not _is_setting(reading, found, kinds)
    ]
    decades = [wish.value.least for wish in wishes if isinstance(wish.value, Years) and wish.value.least]
    return wishes + _years_of_a_decade(reading, decades)


def _years_of_a_decade(reading: QueryReading, decades: list[int]) -> list[Wish]:
    """ "80s, not 85 or 86"."""
    found: list[Wish] = []
    for at in range(1, len(reading)):
        if not SHORT_YEAR.fullmatch(reading.form(at)) or not reading.ends_clause_or_joins(at + 1):
            continue
        goes_on = found and found[-1].end == at - 1 and reading.form(at - 1) in tables.LIST_WORDS
        if goes_on or marker_before(reading, at) is not None:
            years = [first // 10 * 10 + int(reading.form(at)[1]) for first in decades]
            years = [year for year in years if year % 100 == int(reading.form(at))]
            found += [Wish("date", at, at + 1, Years(year, year)) for year in years[:1]]
    return found


def _is_setting(reading: QueryReading, found: FoundPhrase[Years], kinds: Kinds) -> bool:
    """ "Set in the 80s", "in 1944 a boy": when the story plays, not when the film came out."""
    if reading.form(found.start - 1) in BEFORE_A_SETTING:
        return True
    placed = (
        found.value.bare
        or reading.form(found.start) in SETTING
        or DECADE.fullmatch(reading.form(found.start))
    )
    return reading.is_prose and bool(placed) and not kinds.beside(found.start, found.end)


def _standings(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    said = [Wish("standing", *found) for found in tables.STANDINGS.find(reading.tokens)]
    best = [
        Wish("standing", *found)
        for found in tables.BEST.find(reading.tokens)
        if kinds.beside(found.start, found.end)
        or reading.form(found.end) in tables.AFTER_BEST
        or reading.form(found.end).isdecimal()
    ]
    return said + best


def _languages(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    wishes = [
        Wish("origin", at, at + 1, Origin(languages=("en",)), unwanted=True)
        for at in range(len(reading))
        if reading.form(at) in tables.FOREIGN and kinds.beside(at, at + 1)
    ]
    wishes += [
        Wish("origin", found.start, found.end, Origin(languages=("en",)), unwanted=True)
        for found in tables.NOT_ENGLISH.find(reading.tokens)
    ]
    wishes += [
        Wish("origin", found.start, found.end, Origin(languages=("en",)))
        for found in tables.ENGLISH.find(reading.tokens)
    ]
    for found in tables.LANGUAGES.find(reading.tokens):
        joins = reading.ends_clause_or_joins(found.end) or reading.form(found.end) in tables.LIST_WORDS
        said_in = reading.form(found.start - 1) in tables.IN and joins
        named = reading.form(found.end) in tables.LANGUAGE_WORDS
        alone = all(found.start != one.start for one in kinds.origins)
        if (
            (alone and kinds.follows(found.end))
            or said_in
            or named
            or reading.form(found.start).endswith("語")
        ):
            start = found.start - 1 if said_in else found.start
            languages = tables.RELATED_LANGUAGES.get(found.value, (found.value,))
            wishes.append(Wish("origin", start, found.end + named, Origin(languages=languages)))
    for country in tables.COUNTRY_NAMES.find(reading.tokens):
        if reading.form(country.start - 1) in tables.FROM and not reading.is_prose:
            wishes.append(Wish("origin", country.start - 1, country.end, country.value))
        elif _is_clause(reading, country.start, country.end) and country.end - country.start < len(reading):
            wishes.append(Wish("origin", country.start, country.end, country.value))
    return wishes


def _is_clause(reading: QueryReading, start: int, end: int) -> bool:
    """ ", italian, …", ", italy 1960s": the clause says nothing else but a time."""
    at, last = reading.clause_start(start), end
    while not reading.ends_clause(last):
        last += 1
    others = [one for one in range(at, last) if not start <= one < end]
    return all(DECADE.fullmatch(reading.form(one)) or YEAR.fullmatch(reading.form(one)) for one in others)


def _origins(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    wishes = []
    for found in kinds.origins:
        if reading.form(found.start) == "us" and reading.tokens[found.start].text != "US":
            continue
        if any(one.start <= found.start and found.end < one.end for one in kinds.genres):  # "korean war"
            continue
        beside = found.value.only_films or kinds.beside(found.start, found.end)
        last = reading.ends_clause_or_joins(found.end)
        clause = _is_clause(reading, found.start, found.end)
        if beside or clause or excluding_words(reading, found.start, found.end):
            wishes.append(Wish("origin", *found))
        elif last and reading.is_light(found.start - 1):  # "John Wick but Korean"
            wishes.append(Wish("origin", *found, stated=reading.form(found.start - 1) in tables.CONTRAST))
    return wishes


def _genres(reading: QueryReading, kinds: Kinds) -> list[Wish]:
    wishes = []
    for number, found in enumerate(kinds.genres):
        genre = found.value
        stated = genre.stated and _is_head(reading, kinds, found.start, found.end)
        if genre.in_prose and not _names_a_genre(reading, kinds, found.start, found.end):
            before = reading.form(found.start - 1)
            ends = reading.ends_clause(found.end) or reading.form(found.end) in tables.NOUN_PHRASE_ENDS
            head = genre.names[0] in HEADS and not reading.is_prose
            ends = ends or tables.EXCLUDING.at(reading.tokens, found.end) is not None
            first = all(reading.is_light(at) for at in range(reading.clause_start(found.start), found.start))
            if not ends or (before in NO_GENRE_AFTER and not (head and first)):
                continue
            clause = first and reading.ends_clause(found.end) and not reading.is_prose  # ", crime"
            stated = clause or (head and (first or reading.ends_clause(found.end)))
        either = any(
            other.end + 1 == found.start and reading.form(other.end) in tables.EITHER
            for other in kinds.genres[:number]
        ) or any(
            found.end + 1 == other.start and reading.form(found.end) in tables.EITHER
            for other in kinds.genres[number + 1 :]
        )
        claim: Claim = "aspect" if genre.says_more or (genre.in_prose and not stated) else "genre"
        wishes.append(Wish(claim, found.start, found.end, genre, stated, either=either))
    return wishes


def _is_head(reading: QueryReading, kinds: Kinds, start: int, end: int) -> bool:
    """In a story: the genre stands before what is told of it, or is said by itself ("a western about …")."""
    if not reading.is_prose or excluding_words(reading, start, end):
        return True
    ends = reading.ends_clause(end) or reading.is_light(end) or kinds.follows(end)
    return ends and all(reading.is_light(at) or kinds.is_adjective(at) for at in range(start))


def _names_a_genre(reading: QueryReading, kinds: Kinds, start: int, end: int) -> bool:
    alone = all(start <= at < end or reading.is_light(at) for at in range(len(reading)))
    return alone or kinds.beside(start, end) or excluding_words(reading, start, end) is not None
