"""What a film must or should be, found in the tables."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from townsquare.services.search.models.films import Channel, Film
from townsquare.services.search.understanding.local import tables
from townsquare.services.search.understanding.local.dates import (
    DECADE,
    SHORT_YEAR,
    YEAR,
    find_dates,
    is_time,
)
from townsquare.services.search.understanding.local.exclusions import (
    excluding_words,
    marker_before,
    with_exclusions,
)
from townsquare.services.search.understanding.local.lengths import LONGEST, find_lengths
from townsquare.services.search.understanding.local.phrases import FoundPhrase, covered
from townsquare.services.search.understanding.local.ranges import Minutes, Years
from townsquare.services.search.understanding.local.reading import QueryReading, Wish
from townsquare.services.search.understanding.local.tables import Genre, Measure, Origin, markers, words

# as good as "film": "german silent", "italian classics", "war epic"
WORDS_FOR_FILMS = tables.FILM | words("words_for_films", "kinds")
OF, FROM_A_TIME = words("of", "kinds"), markers("from_a_time", "kinds")
BEFORE_A_SETTING, SETTING = words("before_a_setting", "kinds"), words("setting", "kinds")
NO_GENRE_AFTER = words("no_genre_after", "kinds")  # "goes to war"
HEADS = ("romance", "action", "adventure", "mystery")  # "a romance that …", "buddy cop action"
ADJECTIVES_BETWEEN = 3  # "a short, tense, clever thriller"


class Kinds:
    """Words for kinds of films and where they stand: what decides whether "new" is a date."""

    def __init__(self, reading: QueryReading) -> None:
        self._reading = reading
        self.genres = tables.GENRES.find(reading.tokens)
        self.origins = tables.ORIGINS.find(reading.tokens)
        kinds: list[FoundPhrase[Any]] = [*self.genres, *self.origins]
        self._starts, self._ends = {found.start for found in kinds}, {found.end for found in kinds}
        moods = [one for one in tables.CHANNEL_CUES.find(reading.tokens) if one.value == "viewer_experience"]
        self._adjectives = {mood.start: mood.end for mood in moods}
        self._inside = covered(kinds) | covered(moods)

    def follows(self, end: int) -> bool:
        """A kind of film is named from there on, with at most some adjectives between."""
        for _ in range(ADJECTIVES_BETWEEN):
            end += self._reading.form(end) == "の"  # "フランスのコメディ"
            form = self._reading.form(end)
            if form in WORDS_FOR_FILMS or end in self._starts:
                return True
            if end not in self._adjectives and form not in tables.LIST_WORDS:
                return False
            end = self._adjectives.get(end, end + 1)
        return False

    def beside(self, start: int, end: int) -> bool:
        reading, before = self._reading, self._reading.form(start - 1)
        if before in ("year", "years"):  # "five year old"
            return False
        if self.follows(end) or start in self._ends or before in tables.FILM:
            return True
        if before in OF and reading.form(start - 2) in tables.FILM:  # "films de guerre"
            return True
        from_a_time = FROM_A_TIME.at(reading.tokens, end)
        if is_time(reading.tokens, from_a_time.end if from_a_time else end) or is_year_or_decade(before):
            return True
        if start - 1 in self._ends and start - 1 not in self._inside and not reading.is_light(start - 1):
            return True  # "thriller psicológico coreano"
        return reading.ends_clause(end) and reading.are_light(range(start))


def is_year_or_decade(form: str) -> bool:
    return bool(DECADE.fullmatch(form) or YEAR.fullmatch(form))


def find_wishes(reading: QueryReading, this_year: int) -> tuple[list[Wish], QueryReading]:
    """From left to right; names are claimed already."""
    kinds = Kinds(reading)
    finders: tuple[Callable[[QueryReading, Kinds], Iterable[Wish]], ...] = (
        _keywords,
        _lengths,
        _ratings,
        lambda reading, kinds: _dates(reading, kinds, this_year),
        _languages,
        _standings,
        _genres,
        _origins,
    )
    wishes = [wish for find in finders for wish in find(reading, kinds)]
    free: list[Wish] = []
    for wish in wishes:
        claims = {reading.claims[at] for at in range(wish.start, wish.end)}
        longer = any(  # "czech new wave" is no other new wave
            other.start <= wish.start
            and wish.end <= other.end
            and other.end - other.start > wish.end - wish.start
            for other in wishes
            if isinstance(wish.value, Years) and isinstance(other.value, Origin)
        )
        if not longer and claims <= {None, "aspect"} and (None in claims or isinstance(wish.value, Years)):
            reading = reading.claimed(wish.claim, (wish.start, wish.end))
            free.append(wish)
    return with_exclusions(reading, sorted(free, key=lambda wish: wish.start))


def _keywords(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    found = tables.KEYWORDS.find(reading.tokens)
    beside = tables.KEYWORDS_BESIDE_A_KIND.find(reading.tokens)
    found += [one for one in beside if kinds.beside(one.start, one.end)]
    unwanted = -1  # where a list of unwanted things goes on: "no sequels or remakes"
    for one in [] if reading.is_prose else sorted(found):
        if one.start == unwanted or excluding_words(reading, one.start, one.end):
            unwanted = one.end + (reading.form(one.end) in tables.LIST_WORDS)
        elif one.value.only_unwanted:
            continue
        yield Wish("aspect" if one.value.name else "unheld", *one)


def _lengths(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    for one in find_lengths(reading.tokens, kinds.beside):
        least, most = one.value.least, one.value.most
        # "three hours of rain": without "under" or "over"; "told over 24 hours": longer than any film
        stretch = reading.is_prose and least is not None and most is not None and not kinds.follows(one.end)
        if not stretch and ((least or 0) <= LONGEST or kinds.beside(one.start, one.end)):
            yield Wish("limit", *one)


def _ratings(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    for one in tables.RATINGS.find(reading.tokens):
        yield Wish("limit", *one, one.value.stated)


def _dates(reading: QueryReading, kinds: Kinds, this_year: int) -> Iterable[Wish]:
    wishes = [
        Wish("aspect" if found.value.says_more else "limit", *found, found.value.stated)
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
        listed = found and found[-1].end == at - 1 and reading.form(at - 1) in tables.LIST_WORDS
        if listed or marker_before(reading, at) is not None:
            years = [first // 10 * 10 + int(reading.form(at)[1]) for first in decades]
            years = [year for year in years if year % 100 == int(reading.form(at))]
            found += [Wish("limit", at, at + 1, Years(year, year)) for year in years[:1]]
    return found


def _is_setting(reading: QueryReading, found: FoundPhrase[Years], kinds: Kinds) -> bool:
    """ "Set in the 80s", "in 1944 a boy": when the story plays, not when the film came out."""
    form = reading.form(found.start)
    if reading.form(found.start - 1) in BEFORE_A_SETTING:
        return True
    placed = found.value.bare or form in SETTING or DECADE.fullmatch(form)
    return reading.is_prose and bool(placed) and not kinds.beside(found.start, found.end)


def _standings(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    best = [
        found
        for found in tables.BEST.find(reading.tokens)
        if kinds.beside(found.start, found.end) or reading.form(found.end) in tables.AFTER_BEST
    ]
    return [Wish("limit", *found) for found in (*tables.STANDINGS.find(reading.tokens), *best)]


def _languages(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    english = Origin(languages=("en",))
    for at in range(len(reading)):
        if reading.form(at) in tables.FOREIGN and kinds.beside(at, at + 1):
            yield Wish("limit", at, at + 1, english, unwanted=True)
    for found in tables.NOT_ENGLISH.find(reading.tokens):
        yield Wish("limit", found.start, found.end, english, unwanted=True)
    for found in tables.ENGLISH.find(reading.tokens):
        yield Wish("limit", found.start, found.end, english)
    starts = {one.start for one in kinds.origins}
    for language in tables.LANGUAGES.find(reading.tokens):
        start, end = language.start, language.end
        joins = reading.ends_clause_or_joins(end) or reading.form(end) in tables.LIST_WORDS
        said_in = reading.form(start - 1) in tables.IN and joins
        named = reading.form(end) in tables.LANGUAGE_WORDS or reading.form(start).endswith("語")
        if said_in or named or (start not in starts and kinds.follows(end)):
            languages = tables.RELATED_LANGUAGES.get(language.value, (language.value,))
            end += reading.form(end) in tables.LANGUAGE_WORDS
            yield Wish("limit", start - said_in, end, Origin(languages=languages))
    for country in tables.COUNTRY_NAMES.find(reading.tokens):
        start, end = country.start, country.end
        if reading.form(start - 1) in tables.FROM and not reading.is_prose:
            yield Wish("limit", start - 1, end, country.value)
        elif _is_clause(reading, start, end) and end - start < len(reading):
            yield Wish("limit", *country)


def _is_clause(reading: QueryReading, start: int, end: int) -> bool:
    """ ", italian, …", ", italy 1960s": the clause says nothing else but a time."""
    at, last = reading.clause_start(start), end
    while not reading.ends_clause(last):
        last += 1
    return all(start <= one < end or is_year_or_decade(reading.form(one)) for one in range(at, last))


def _origins(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    for found in kinds.origins:
        start, end = found.start, found.end
        if reading.form(start) == "us" and reading.tokens[start].text != "US":
            continue
        if any(one.start <= start and end < one.end for one in kinds.genres):  # "korean war"
            continue
        beside = found.value.only_films or kinds.beside(start, end)
        if beside or _is_clause(reading, start, end) or excluding_words(reading, start, end):
            yield Wish("limit", *found)
        elif reading.ends_clause_or_joins(end) and reading.is_light(start - 1):  # "John Wick but Korean"
            contrast = (
                start - 3 if reading.form(start - 1) in tables.LIST_WORDS else start - 1
            )  # "but old and french"
            yield Wish("limit", *found, stated=reading.form(contrast) in tables.CONTRAST)


def _genres(reading: QueryReading, kinds: Kinds) -> Iterable[Wish]:
    ends = {one.end for one in kinds.genres}
    starts = {one.start for one in kinds.genres}
    for found in kinds.genres:
        genre, start, end = found.value, found.start, found.end
        stated = genre.stated and _is_head(reading, kinds, start, end)
        if genre.in_prose and not _names_a_genre(reading, kinds, start, end):
            closes = reading.ends_clause(end) or reading.form(end) in tables.NOUN_PHRASE_ENDS
            closes = closes or tables.EXCLUDING.at(reading.tokens, end) is not None
            head = genre.names[0] in HEADS and not reading.is_prose
            first = reading.are_light(range(reading.clause_start(start), start))
            if not closes or (reading.form(start - 1) in NO_GENRE_AFTER and not (head and first)):
                continue
            clause = first and reading.ends_clause(end) and not reading.is_prose  # ", crime"
            stated = clause or (head and (first or reading.ends_clause(end)))
        either = (start - 1 in ends and reading.form(start - 1) in tables.EITHER) or (
            end + 1 in starts and reading.form(end) in tables.EITHER
        )
        more = genre.says_more or (genre.in_prose and not stated)
        yield Wish("aspect" if more else "genre", start, end, genre, stated, either=either)


def _is_head(reading: QueryReading, kinds: Kinds, start: int, end: int) -> bool:
    """Whether a genre is the head noun. In prose: before the plot or alone ("a western about …")."""
    if not reading.is_prose or excluding_words(reading, start, end):
        return True
    return (reading.ends_clause(end) or reading.is_light(end)) and reading.are_light(range(start))


def _names_a_genre(reading: QueryReading, kinds: Kinds, start: int, end: int) -> bool:
    alone = reading.are_light((*range(start), *range(end, len(reading))))
    return alone or kinds.beside(start, end) or excluding_words(reading, start, end) is not None


class Compared(NamedTuple):
    wishes: tuple[Wish, ...] = ()
    moods: tuple[tuple[Channel, str], ...] = ()


def find_compared(reading: QueryReading, film: Film) -> tuple[Compared, QueryReading]:
    """ "Like X but funnier": what follows "but" of the wanted film, beside the one that it is like."""
    wishes: list[Wish] = []
    moods: list[tuple[Channel, str]] = []
    behind = next((at for at in range(len(reading)) if reading.form(at) in tables.BUT), len(reading))
    for found in tables.COMPARATIVES.find(reading.tokens):
        start, end, value = found
        if start <= behind or not reading.is_free(start, end) or not reading.ends_clause_or_joins(end):
            continue
        reading = reading.claimed("limit", (start, end))
        if value.text:
            moods.append((value.channel, value.text))
        if value.genres:
            wishes.append(Wish("genre", start, end, Genre(names=value.genres)))
        if value.likely:
            wishes.append(Wish("genre", start, end, Genre(names=value.likely), stated=False))
        if value.without:
            wishes.append(Wish("genre", start, end, Genre(names=value.without), unwanted=True))
        bounds: dict[Measure, Years | Minutes | Origin | None] = {
            "elsewhere": Origin(countries=film.countries),
            "older": Years(None, film.year - 1),
            "newer": Years(film.year + 1, None),
            "shorter": Minutes(None, film.runtime - 1) if film.runtime else None,
            "longer": Minutes(film.runtime + 1, None) if film.runtime else None,
        }
        if value.measure and (bound := bounds[value.measure]):
            wishes.append(Wish("limit", start, end, bound, unwanted=value.measure == "elsewhere"))
    return Compared(tuple(wishes), tuple(moods)), reading
